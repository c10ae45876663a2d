package harnesses

import (
	"strconv"
	"strings"
	"unicode"

	"meterbridge"
)

// Hooks is how a harness tells what its agents are doing. Nil functions are
// ways that it does not have. All are pure: they map what was given.
type Hooks struct {
	// Facts maps one payload of a hook, a plugin or a lifecycle hook. It never
	// fails: what says nothing, or cannot be read, gives none.
	Facts func(payload []byte) []meterbridge.StatusFact
	// Allow is the answer to a payload that asks for a permission, when the agent
	// may do everything; false for any other payload.
	Allow func(payload []byte) (answer []byte, asked bool)
	// Title maps the title of the terminal (OSC 0 and 2).
	Title func(title string) (meterbridge.StatusFact, bool)
	// Line maps a line of the terminal that appears while a turn is open.
	Line func(line string) (meterbridge.StatusFact, bool)
	// Transcript opens a view of a session's log, from its first line on.
	Transcript func() TranscriptReader
	// Layer is what a launch needs so that the agent reports.
	Layer func(meterbridge.LaunchHooks) meterbridge.LaunchLayer
	// Settings says what `hooks install` puts where; nil when that is not known.
	Settings func(Env) HookSettings
	// HoldStop: a Stop is held against the transcript before it counts.
	HoldStop bool
}

// TranscriptReader keeps the state of a conversation while its log is read line
// by line. It remembers only what View shows.
type TranscriptReader interface {
	// Line reads one line without its end; what it cannot read changes nothing.
	Line(line []byte)
	View() meterbridge.TranscriptView
}

// HookForm is the form of a harness's hook settings.
type HookForm string

// The forms.
const (
	// JSONHooks is {"hooks": {Event: [{matcher, hooks: [{type, command, timeout}]}]}},
	// with comments where the harness allows them.
	JSONHooks HookForm = "json"
	// PluginFile is a file of its own in a folder of plugins.
	PluginFile HookForm = "plugin"
	// YAMLHooks is hooks: {event: [{command}]} in a YAML file.
	YAMLHooks HookForm = "yaml"
)

// HookEvent is one event that `hooks install` subscribes to.
type HookEvent struct {
	Name string
	// Matcher is the harness's filter; empty for none.
	Matcher string
	// Timeout is in the harness's own unit; zero leaves its default.
	Timeout int
	// Since is the first version that has the event; older ones may refuse a file
	// that names it. Empty when every version has it.
	Since string
}

// Has reports whether a version has the event; an unknown version ("") has only
// those that every version has.
func (e HookEvent) Has(version string) bool {
	return e.Since == "" || version != "" && !older(version, e.Since)
}

// older compares versions by their numbers ("2.1.69" is older than "2.1.145").
func older(a, b string) bool {
	x, y := numbers(a), numbers(b)
	for i := range max(len(x), len(y)) {
		var m, n int
		if i < len(x) {
			m = x[i]
		}
		if i < len(y) {
			n = y[i]
		}
		if m != n {
			return m < n
		}
	}
	return false
}

// numbers are those of the first word of a version that begins with a digit.
func numbers(version string) (out []int) {
	start := strings.IndexFunc(version, unicode.IsDigit)
	if start < 0 {
		return nil
	}
	for part := range strings.SplitSeq(version[start:], ".") {
		end := strings.IndexFunc(part, func(r rune) bool { return !unicode.IsDigit(r) })
		if end < 0 {
			end = len(part)
		}
		n, err := strconv.Atoi(part[:end])
		if err != nil {
			return out
		}
		out = append(out, n)
		if end < len(part) {
			break
		}
	}
	return out
}

// HookSettings is what `hooks install` puts where.
type HookSettings struct {
	Form HookForm
	// Path is the user's file; of a PluginFile that of the plugin.
	Path   string
	Events []HookEvent
	// Content is that of a PluginFile.
	Content func(command string) []byte
	// Note is a sentence on what the user must still do; empty for nothing.
	Note string
}
