package claudecode

import (
	"bytes"
	"encoding/json"
)

// reread is the second opinion on a line that the walker rejects: what
// encoding/json accepts is written anew in its plainest form and walked again.
// It reports false for what is no JSON object.
func (r *row) reread(line []byte) bool {
	if !json.Valid(line) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var object map[string]any
	if d.Decode(&object) != nil {
		return false
	}
	plain, err := json.Marshal(object)
	return err == nil && r.read(plain) == nil
}
