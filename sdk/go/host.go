package ext

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
)

// On hears an event of the host, such as settings.changed, until the function that
// it returns is called. Topics that need a subscription have functions of their own.
func (x *Extension) On(event string, f func(data json.RawMessage)) (remove func()) {
	id := x.listen(event, f)
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.heard[event], id)
	}
}

// Settings are the values in force now.
func (x *Extension) Settings(ctx context.Context) (s Settings, err error) {
	err = x.Ask(ctx, "settings.get", struct{}{}, &s)
	return s, err
}

// SetSettings changes settings that are no secrets; a value that does not fit changes
// none.
func (x *Extension) SetSettings(ctx context.Context, values map[string]any) (s Settings, err error) {
	err = x.Ask(ctx, "settings.set", map[string]any{"values": values}, &s)
	return s, err
}

// Load reads a value that was stored; found is false when there is none.
func (x *Extension) Load(ctx context.Context, key string, into any) (found bool, err error) {
	var stored struct {
		Exists bool
		Value  json.RawMessage
	}
	if err := x.Ask(ctx, "storage.get", map[string]string{"scope": "instance", "key": key}, &stored); err != nil || !stored.Exists {
		return false, err
	}
	if err := json.Unmarshal(stored.Value, into); err != nil {
		return true, fmt.Errorf("read the stored %s: %w", key, err)
	}
	return true, nil
}

// Store keeps a value, of at most 1 MiB as JSON, over suspensions and restarts.
func (x *Extension) Store(ctx context.Context, key string, value any) error {
	return x.Ask(ctx, "storage.set", map[string]any{"scope": "instance", "key": key, "value": value}, nil)
}

// Forget deletes a stored value.
func (x *Extension) Forget(ctx context.Context, key string) error {
	return x.Ask(ctx, "storage.delete", map[string]string{"scope": "instance", "key": key}, nil)
}

// Summary answers usage.summary for "today", "7d" or "30d".
func (x *Extension) Summary(ctx context.Context, period string) (answer json.RawMessage, err error) {
	err = x.Ask(ctx, "usage.summary", map[string]string{"period": period}, &answer)
	return answer, err
}

// FetchRequest is what the host is to ask a server. {{secret:KEY}} in the value of a
// header is filled in by the host from a secret setting.
type FetchRequest struct {
	URL string
	// Method is GET when it is empty.
	Method  string
	Headers map[string]string
	// Body is nil for none.
	Body []byte
	// Timeout is 1 to 120 s; 0 is 30.
	Timeout time.Duration
}

// FetchAnswer is what the server answered, whatever its status.
type FetchAnswer struct {
	Status int
	// Headers have lower-case keys.
	Headers map[string]string
	// URL is that which answered.
	URL  string
	Body []byte
	// Truncated: the body was longer than 10 MiB.
	Truncated bool
}

// Fetch has the host ask a server that the manifest names (network), or one on this
// computer (network.local).
func (x *Extension) Fetch(ctx context.Context, r FetchRequest) (FetchAnswer, error) {
	params := map[string]any{"url": r.URL, "responseType": "base64"}
	if r.Method != "" {
		params["method"] = r.Method
	}
	if r.Headers != nil {
		params["headers"] = r.Headers
	}
	if r.Body != nil {
		params["body"], params["bodyEncoding"] = base64.StdEncoding.EncodeToString(r.Body), "base64"
	}
	if r.Timeout > 0 {
		params["timeoutMs"] = r.Timeout.Milliseconds()
	}
	var told struct {
		Status    int
		Headers   map[string]string
		URL       string
		Body      []byte
		Truncated bool
	}
	err := x.Ask(ctx, "net.fetch", params, &told)
	return FetchAnswer(told), err
}

// FileStat is what a file or folder of the workspace folder is.
type FileStat struct {
	Path string `json:"path"`
	// Type is "file" or "directory".
	Type string `json:"type"`
	Size int64  `json:"size"`
	// MtimeMs is when it changed, in epoch ms.
	MtimeMs float64 `json:"mtimeMs"`
}

// Stat looks at a file or folder of the workspace folder.
func (x *Extension) Stat(ctx context.Context, path string) (s FileStat, err error) {
	err = x.Ask(ctx, "fs.stat", map[string]string{"path": path}, &s)
	return s, err
}

// List lists a folder by path, with recursive all that is below it; truncated when
// there are more than 5,000 entries.
func (x *Extension) List(ctx context.Context, path string, recursive bool) (entries []FileStat, truncated bool, err error) {
	var told struct {
		Entries   []FileStat
		Truncated bool
	}
	err = x.Ask(ctx, "fs.list", map[string]any{"path": path, "recursive": recursive}, &told)
	return told.Entries, told.Truncated, err
}

// ReadFile reads a file; truncated when it is longer than 8 MiB.
func (x *Extension) ReadFile(ctx context.Context, path string) (data []byte, truncated bool, err error) {
	var told struct {
		Data      []byte
		Truncated bool
	}
	err = x.Ask(ctx, "fs.read", map[string]any{"path": path, "encoding": "base64", "maxBytes": 8 << 20}, &told)
	return told.Data, told.Truncated, err
}

// WriteFile replaces a file and makes the folders on the way to it. What steers
// agents and builds may not be written.
func (x *Extension) WriteFile(ctx context.Context, path string, data []byte) (s FileStat, err error) {
	params := map[string]any{"path": path, "data": base64.StdEncoding.EncodeToString(data), "encoding": "base64", "createDirs": true}
	err = x.Ask(ctx, "fs.write", params, &s)
	return s, err
}

// Trash throws a file or folder away; its user finds it in the trash of the
// extension.
func (x *Extension) Trash(ctx context.Context, path string) error {
	return x.Ask(ctx, "fs.trash", map[string]string{"path": path}, nil)
}
