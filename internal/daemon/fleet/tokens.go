package fleet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"meterbridge/internal/hooks"
)

// tokens are the credentials of agents. An agent's MCP token lies in its own file,
// 0600, from which `meterbridge mcp --agent` takes it; the token of its hooks is only
// in the environment of one process. In memory there are hashes.
type tokens struct {
	mu sync.Mutex
	// tools are agents by the hash of their MCP token, hooks processes by that of theirs.
	tools map[[32]byte]string
	hooks map[[32]byte]hooks.Spawn
}

const tokenFile = "mcp-token"

// TokenFile is where the MCP token of an agent lies, below the folder of agents.
func TokenFile(folder, agent string) string { return filepath.Join(folder, agent, tokenFile) }

// read takes in the tokens of earlier lives.
func (t *tokens) read(folder string) error {
	t.tools, t.hooks = map[[32]byte]string{}, map[[32]byte]hooks.Spawn{}
	list, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the agents' tokens: %w", err)
	}
	for _, d := range list {
		if !d.IsDir() {
			continue
		}
		t.readHook(folder, d.Name())
		text, err := os.ReadFile(TokenFile(folder, d.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the agents' tokens: %w", err)
		}
		t.tools[sha256.Sum256(trimmed(text))] = d.Name()
	}
	return nil
}

func trimmed(text []byte) []byte { return []byte(strings.TrimSpace(string(text))) }

// tool makes the MCP token of an agent, once.
func (t *tokens) tool(folder, agent string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	path := TokenFile(folder, agent)
	if text, err := os.ReadFile(path); err == nil && len(trimmed(text)) > 0 {
		t.tools[sha256.Sum256(trimmed(text))] = agent
		return nil
	}
	token := "mba_" + random(32)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the agent's token: %w", err)
	}
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return fmt.Errorf("make the agent's token: %w", err)
	}
	t.tools[sha256.Sum256([]byte(token))] = agent
	return nil
}

// hook makes the token of the hooks of one process; those of its agent's earlier
// ones stay known, so that what they say can be told apart. Its hash is kept for a
// daemon that takes the process over.
func (t *tokens) hook(folder string, s hooks.Spawn) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	token := "mbh_" + random(32)
	hash := sha256.Sum256([]byte(token))
	t.hooks[hash] = s
	text := fmt.Sprintf("%d %x\n", s.Generation, hash)
	if err := os.WriteFile(filepath.Join(folder, s.Agent, hookFile), []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("make the token of the agent's hooks: %w", err)
	}
	return token, nil
}

// forget makes the tokens of an agent good for nothing.
func (t *tokens) forget(agent string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.tools, func(_ [32]byte, of string) bool { return of == agent })
	maps.DeleteFunc(t.hooks, func(_ [32]byte, of hooks.Spawn) bool { return of.Agent == agent })
}

// hookFile holds the generation and the hash of the token of an agent's newest process.
const hookFile = "hook-token"

// readHook takes in the token of the process that an earlier life started last.
func (t *tokens) readHook(folder, agent string) {
	text, err := os.ReadFile(filepath.Join(folder, agent, hookFile))
	if err != nil {
		return
	}
	s := hooks.Spawn{Agent: agent}
	var hash []byte
	if n, err := fmt.Sscanf(string(text), "%d %x", &s.Generation, &hash); err == nil && n == 2 && len(hash) == sha256.Size {
		t.hooks[[32]byte(hash)] = s
	}
}

// ToolAgent is the agent of an MCP token.
func (f *Fleet) ToolAgent(token string) (string, bool) {
	f.tokens.mu.Lock()
	defer f.tokens.mu.Unlock()
	agent, ok := f.tokens.tools[sha256.Sum256([]byte(token))]
	return agent, ok
}

// HookSpawn is the process of a token of hooks.
func (f *Fleet) HookSpawn(token string) (hooks.Spawn, bool) {
	f.tokens.mu.Lock()
	defer f.tokens.mu.Unlock()
	s, ok := f.tokens.hooks[sha256.Sum256([]byte(token))]
	return s, ok
}

// AgentToken is the MCP token of an agent, from its file.
func (f *Fleet) AgentToken(agent string) (string, error) {
	text, err := os.ReadFile(TokenFile(f.o.Folder, agent))
	return string(trimmed(text)), err
}
