package extensions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"meterbridge/bridge/policy"
	"meterbridge/sdk/js"
)

// sdkName is the name under which modules import the SDK.
const sdkName = "@meterbridge/sdk"

// Modules puts the SDK for JavaScript beside the packages, where Node finds it, and
// returns the folder of modules and the command that runs a Switchboard module.
func Modules(folder string) (modules string, runner []string, err error) {
	modules = filepath.Join(folder, modulesFolder)
	to := filepath.Join(modules, filepath.FromSlash(sdkName))
	runner = []string{"node", filepath.Join(to, filepath.FromSlash(js.Runner))}
	want, err := policy.ReadTree(js.Files)
	if err != nil {
		return "", nil, fmt.Errorf("read the SDK: %w", err)
	}
	if got, err := policy.ReadTree(os.DirFS(to)); err == nil && got == want {
		return modules, runner, nil
	}
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o700)); err != nil {
		return "", nil, fmt.Errorf("put down the SDK: %w", err)
	}
	err = fs.WalkDir(js.Files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := filepath.Join(to, filepath.FromSlash(path.Clean(name)))
		if e.IsDir() {
			return os.MkdirAll(at, 0o700)
		}
		text, err := fs.ReadFile(js.Files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(at, text, 0o600)
	})
	if err != nil {
		return "", nil, fmt.Errorf("put down the SDK: %w", err)
	}
	return modules, runner, nil
}
