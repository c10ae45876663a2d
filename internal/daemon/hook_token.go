package daemon

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"meterbridge/internal/config"
)

// machineHookToken is the token of hooks of agents that nobody started here, made
// when there is none. It is good for nothing else.
func machineHookToken(paths config.Paths) (string, error) {
	path := paths.HookToken()
	text, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(text)); err == nil && token != "" {
		return token, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the token of hooks: %w", err)
	}
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	token := "mbh_" + base64.RawURLEncoding.EncodeToString(bits[:])
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the token of hooks: %w", err)
	}
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the token of hooks: %w", err)
	}
	return token, nil
}
