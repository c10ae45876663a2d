package meterbridge

import (
	"slices"
	"strings"
)

// LaunchProfile says, as data, how a program is started as an agent and how it is
// spoken to. A harness declares its own; whoever starts agents knows none of them
// by name.
//
// Words in braces are filled in at a launch: {session} an id of a session, {model},
// {dir} the absolute folder ({dir-json} as JSON text), {server} the name of the MCP server, and as JSON text
// {command} (its program), {args} (a list), {argv} (both as one list), {env} (an
// object); {env-toml} is the same as a TOML inline table, {file} the path of the
// file that MCPFile was written to.
type LaunchProfile struct {
	Kind AgentKind
	// Program is the program's name, found on the PATH, and the arguments that
	// always come first.
	Program []string
	// Shell names the prompt marks that commands need ("bash"); empty for others.
	Shell string
	// Always are arguments of each launch.
	Always []string
	// New are those of a new session; when one has {session}, the id is chosen by
	// whoever starts it, as a UUID. Resume goes on with a session; nil cannot.
	New, Resume []string
	// Model, Dangerous and Trust are added when they are asked for; nil is not
	// possible by an argument.
	Model, Dangerous, Trust []string
	// DangerousByHook: dangerous mode is that its permission hook is answered with
	// yes, instead of Dangerous.
	DangerousByHook bool
	// Env is added to the environment, as NAME=value.
	Env []string

	// MCPArgs give the program an MCP server for this launch alone; nil cannot.
	MCPArgs []string
	// MCPFile is the document that {file} stands for; empty when none is needed.
	MCPFile string
	// MCPConfig is a JSON object that is merged into the configuration file that
	// the variable ConfigVariable names, instead of MCPArgs.
	MCPConfig, ConfigVariable string

	// Interrupt are the keys that stop a turn, each a write of its own; nil is ^C.
	Interrupt []string
	// Exit are the keys that ask the program to end by itself, each a write of its own.
	Exit []string
	// Composer are the marks that begin the first row of its input on the screen, and
	// Placeholders the beginnings of what stands there while nothing is typed; nil is
	// not known.
	Composer, Placeholders []string
	// Suggests: its input may show a text that nobody typed, as a suggestion.
	Suggests bool
	// NotFound are texts by which it says that the session to resume is not there.
	NotFound []string
	// TrustPrompt are texts of its question whether the folder can be trusted, all on
	// the screen at once; TrustKeys answer it with yes.
	TrustPrompt, TrustKeys []string
	// Keeps are arguments of processes that it leaves running on purpose, for other
	// sessions of its user: they are never ended.
	Keeps []string
	// Version are the arguments by which the program tells its version.
	Version []string
}

// ChoosesSession reports whether a new session gets the id that it is given.
func (p *LaunchProfile) ChoosesSession() bool {
	return slices.ContainsFunc(p.New, func(a string) bool { return strings.Contains(a, "{session}") })
}
