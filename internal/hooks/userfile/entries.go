package userfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"meterbridge/harnesses"
	"meterbridge/harnesses/jsonc"
)

// put adds a hook of each event to the settings and returns which containers it had
// to make ("hooks", "hooks.Stop"). A hook that is there already stays.
func put(text []byte, events []harnesses.HookEvent, command string) (changed []byte, made []string, err error) {
	d, err := open(text)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range events {
		if err := d.put(e, command, &made); err != nil {
			return nil, nil, err
		}
	}
	return d.text, made, nil
}

func (d *document) put(e harnesses.HookEvent, command string, made *[]string) error {
	hooks, err := d.container(d.root(), "hooks", "{}", "hooks", made)
	if err != nil {
		return err
	}
	list, err := d.container(hooks, e.Name, "[]", "hooks."+e.Name, made)
	if err != nil {
		return err
	}
	elements := d.elements(list)
	for _, s := range elements {
		if d.holds(s, command) {
			return nil
		}
	}
	var last *span
	if n := len(elements); n > 0 {
		last = &elements[n-1]
	}
	d.add(list, last, entryText(e, command))
	return nil
}

// container is the object or array of a name, made where there is none.
func (d *document) container(in span, name, empty, path string, made *[]string) (span, error) {
	m, ok := d.member(in, name)
	if !ok {
		var last *span
		if list := d.members(in); len(list) > 0 {
			last = &span{list[len(list)-1].key.from, list[len(list)-1].value.to}
		}
		key, _ := json.Marshal(name) // a string can always be written
		d.add(in, last, string(key)+": "+empty)
		*made = append(*made, path)
		if path != "hooks" {
			hooks, _ := d.member(d.root(), "hooks")
			in = hooks.value
		} else {
			in = d.root()
		}
		m, ok = d.member(in, name)
	}
	if !ok || d.kind(m.value) != empty[0] {
		return span{}, fmt.Errorf("%q is not what hooks are kept in", path)
	}
	return m.value, nil
}

// entryText is one element of an event's list.
func entryText(e harnesses.HookEvent, command string) string {
	hook := struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout,omitempty"`
	}{"command", command, e.Timeout}
	group := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []any  `json:"hooks"`
	}{e.Matcher, []any{hook}}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(group) // it holds texts and numbers only
	return strings.TrimSuffix(b.String(), "\n")
}

// holds reports whether an element has a hook with exactly this command.
func (d *document) holds(s span, command string) bool {
	var group struct {
		Hooks []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	}
	if json.Unmarshal(jsonc.Plain(d.body())[s.from:s.to], &group) != nil {
		return false
	}
	for _, h := range group.Hooks {
		if h.Command == command {
			return true
		}
	}
	return false
}

// installed are the events that have a hook with exactly this command.
func installed(text []byte, command string) ([]string, error) {
	d, err := open(text)
	if err != nil {
		return nil, err
	}
	hooks, ok := d.member(d.root(), "hooks")
	if !ok || d.kind(hooks.value) != '{' {
		return nil, nil
	}
	var found []string
	for _, m := range d.members(hooks.value) {
		if d.kind(m.value) != '[' {
			continue
		}
		if slices.ContainsFunc(d.elements(m.value), func(s span) bool { return d.holds(s, command) }) {
			found = append(found, m.name)
		}
	}
	return found, nil
}

// take removes every hook with this command, and of the containers that were made
// for them those that are empty now.
func take(text []byte, command string, made []string) ([]byte, error) {
	d, err := open(text)
	if err != nil {
		return nil, err
	}
	names, err := installed(text, command)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		d.takeFrom(name, command)
	}
	for _, path := range slices.Backward(made) {
		d.unmake(path)
	}
	return d.text, nil
}

// takeFrom removes the hooks of one event.
func (d *document) takeFrom(name, command string) {
	for {
		hooks, _ := d.member(d.root(), "hooks")
		list, ok := d.member(hooks.value, name)
		if !ok {
			return
		}
		elements := d.elements(list.value)
		i := slices.IndexFunc(elements, func(s span) bool { return d.holds(s, command) && d.alone(s) })
		if i < 0 {
			return
		}
		d.cut(list.value, elements, i)
	}
}

// alone reports whether an element has one hook only: one to which its user added
// others is theirs.
func (d *document) alone(s span) bool {
	hooks, ok := d.member(s, "hooks")
	return ok && len(d.elements(hooks.value)) == 1
}

// unmake removes a container that was made, if it is empty.
func (d *document) unmake(path string) {
	in, name := d.root(), path
	if event, ok := strings.CutPrefix(path, "hooks."); ok {
		hooks, found := d.member(in, "hooks")
		if !found {
			return
		}
		in, name = hooks.value, event
	}
	list := d.members(in)
	i := slices.IndexFunc(list, func(m member) bool { return m.name == name })
	if i < 0 || strings.Trim(string(d.text[list[i].value.from+1:list[i].value.to-1]), " \t\r\n") != "" {
		return
	}
	spans := make([]span, len(list))
	for n, m := range list {
		spans[n] = span{m.key.from, m.value.to}
	}
	d.cut(in, spans, i)
}
