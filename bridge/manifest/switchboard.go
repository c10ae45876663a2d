package manifest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"meterbridge/bridge"
)

// switchboard reads switchboard.json. The real product has more keys than are
// known, so unknown ones at the top, and unknown members of adds, are named once.
func (r *reader) switchboard(v any) *bridge.Extension {
	o := r.open(v, "")
	r.ignored(o, "id", "shortName", "name", "title", "version", "description", "author", "main", "command", "adds")
	o.need("id", "version")
	ext := &bridge.Extension{
		Dialect:     bridge.DialectSwitchboard,
		Name:        o.word("id", isID, "1 to 128 of a-z, 0-9, dot, _ and -, with a letter first"),
		ShortName:   o.word("shortName", isShortName, "1 to 32 of a-z, 0-9 and -, with a letter first"),
		Version:     o.word("version", isVersion, "a semantic version such as 1.2.3"),
		Description: o.localised("description", 300),
		Protocol:    Protocol,
	}
	ext.DisplayName = bridge.Localised{"en": cmp.Or(o.text("name", 1, 80), o.text("title", 1, 80), ext.Name)}
	if _, isText := o.m["author"].(string); isText {
		ext.Author = o.text("author", 1, 100)
	} else {
		ext.Author = r.author(o)
	}
	if o.has("command") {
		ext.Command = r.command(o)
		if o.has("main") {
			r.shape("/main", "main and command exclude each other")
		}
	} else {
		ext.Main = "index.js"
		if o.has("main") {
			ext.Main = o.file("main", ".js", ".mjs", ".cjs")
		}
	}
	if o.has("adds") {
		adds := r.open(o.m["adds"], "/adds")
		r.ignored(adds, "mcpTools")
		ext.Tools = r.mcpTools(adds)
	}
	if r.shaped() {
		r.switchboardMeaning(ext)
	}
	return ext
}

// ignored names, in one warning, the keys that mean nothing to us.
func (r *reader) ignored(o object, known ...string) {
	var unknown []string
	for _, key := range sorted(o.m) {
		if _, found := hidden(key, false); found || len(key) > 64 {
			r.shape(o.path, "a key is longer than 64 characters or hides some")
			return
		}
		if !slices.Contains(known, key) {
			unknown = append(unknown, strings.TrimPrefix(o.at(key), "/"))
		}
	}
	if unknown != nil {
		r.warn("ignored: %s", strings.Join(unknown[:min(len(unknown), MaxIssues)], ", "))
	}
}

func (r *reader) mcpTools(adds object) []bridge.ExtensionTool {
	var list []bridge.ExtensionTool
	for i, v := range adds.list("mcpTools", 0, maxTools) {
		in := r.object(v, adds.entry("mcpTools", i), "id", "title", "description", "params", "returns", "readOnly")
		in.need("id", "title")
		t := bridge.ExtensionTool{
			LocalID:  in.word("id", isEntry, "1 to 64 of a-z, 0-9, dot, _ and -, with a letter first"),
			Title:    in.text("title", 1, 80),
			Input:    in.schema("params"),
			Output:   in.schema("returns"),
			ReadOnly: in.flag("readOnly"),
			Timeout:  30 * time.Second,
		}
		t.Text = cmp.Or(in.text("description", 1, 2000), t.Title)
		if t.Input == nil {
			t.Input = json.RawMessage(noArguments)
		}
		list = append(list, t)
	}
	return list
}

func (r *reader) switchboardMeaning(ext *bridge.Extension) {
	from := "/shortName"
	if ext.ShortName == "" {
		from = "/id"
		ext.ShortName = ext.Name[strings.LastIndexByte(ext.Name, '.')+1:]
		if !word(ext.ShortName, 1, 128, "_-") {
			r.meaning("/id", "its last part begins no name, so a shortName is needed")
			return
		}
	}
	for _, name := range []string{ext.Name, ext.ShortName} {
		if since := reservedPackage(name); since != "" {
			r.meaning(from, name+" is reserved ("+since+")")
		}
	}
	r.identityMeaning(ext)
	r.commandMeaning(ext.Command)
	r.toolsMeaning(ext, "/adds/mcpTools", "/params", "/returns")
}
