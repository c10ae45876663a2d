package manifest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/bridge"
)

const (
	card    = `{"manifestVersion":1,"name":"launch-board","displayName":"Launch board","version":"1.2.3","protocol":1}`
	process = `{"manifestVersion":1,"name":"ticket-desk","displayName":"Ticket desk","version":"1.2.3","protocol":1,"command":["node","./main.mjs"]}`
	board   = `{"id":"acme.things","version":"1.2.3"}`
)

// with is a manifest with a key set, or taken away.
func with(t *testing.T, manifest, key, value string) string {
	t.Helper()
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	if m[key] = json.RawMessage(value); value == "" {
		delete(m, key)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatalf("%s: %s: %v", key, value, err)
	}
	return string(text)
}

func messages(issues []Issue) string {
	var lines []string
	for _, i := range issues {
		lines = append(lines, fmt.Sprintf("%s %s", i.Code, i))
	}
	return strings.Join(lines, "\n")
}

// rule is a key with a value that is taken, or with the fault that is told.
type rule struct{ key, value, fault string }

func checkRules(t *testing.T, file, manifest string, rules []rule) {
	t.Helper()
	if _, r := Parse(file, []byte(manifest), Options{}); len(r.Issues) > 0 {
		t.Fatalf("the plain manifest: %s", messages(r.Issues))
	}
	for _, c := range rules {
		ext, r := Parse(file, []byte(with(t, manifest, c.key, c.value)), Options{AppVersion: "1.0.0", OS: "linux"})
		got := messages(r.Issues)
		if c.fault == "" && got != "" || c.fault != "" && !strings.Contains(got, c.fault) {
			t.Errorf("%s: %.120s\n got %q\nwant %q", c.key, c.value, got, c.fault)
		}
		if (ext == nil) != (got != "") {
			t.Errorf("%s: %.120s: an extension and issues, or neither", c.key, c.value)
		}
	}
}

func long(n int) string { return `"` + strings.Repeat("x", n) + `"` }

func many(n int, entry string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + "]"
}

// numbered are n entries, each with its number for %d.
func numbered(n int, entry string) string {
	var list []string
	for i := range n {
		list = append(list, strings.ReplaceAll(entry, "%d", fmt.Sprint(i)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestCard_Keys(t *testing.T) {
	checkRules(t, CardFile, card, slices.Concat(commonRules(), []rule{
		{"entry", `"dist/index.HTML"`, ""},
		{"entry", `"dist/index.js"`, "schema /entry: must be a path in the package that ends in .html or .htm"},
		{"entry", `"../index.html"`, "schema /entry"},
		{"entry", `"/index.html"`, "schema /entry"},
		{"card", `{"defaultSize":{"w":640,"h":420}}`, ""},
		{"card", `{"defaultSize":{"w":640}}`, "schema /card/defaultSize: needs h"},
		{"card", `{"defaultSize":{"w":199,"h":420}}`, "schema /card/defaultSize/w: must be a whole number from 200 to 2400"},
		{"card", `{"maxSize":{"w":200,"h":1801}}`, "schema /card/maxSize/h: must be a whole number from 120 to 1800"},
		{"card", `{"minSize":{"w":500,"h":120}}`, "semantic /card: the default size 420×320 must lie between the smallest, 500×120, and the largest, 2400×1800"},
		{"card", `{"maxSize":{"w":420,"h":319}}`, "semantic /card: the default size"},
		{"card", `{"size":{}}`, "schema /card/size: unknown key"},
		{"card", `7`, "schema /card: must be an object"},
		{"minAppVersion", `"99.0.0"`, ""}, // of another product
		{"permissions", `["cards.connected","canvas.spawn","clipboard.write"]`, ""},
		{"command", `["node"]`, "schema /command: unknown key"},
		{"ports", `{"inputs":[],"outputs":[]}`, ""},
		{"ports", `{"in":[]}`, "schema /ports/in: unknown key"},
	}))
}

func commonRules() []rule {
	return []rule{
		{"manifestVersion", "", "schema needs manifestVersion"},
		{"manifestVersion", "2", "schema /manifestVersion: must be a whole number from 1 to 1"},
		{"manifestVersion", `"1"`, "schema /manifestVersion"},
		{"$schema", `"./a.json"`, ""},
		{"$schema", long(501), "schema /$schema: must be a string of 0 to 500 characters"},
		{"name", "", "schema needs name"},
		{"name", `"a1"`, ""},
		{"name", `"a"`, "schema /name: must be 2 to 48 of a-z, 0-9 and -, with a letter first"},
		{"name", long(48), ""},
		{"name", long(49), "schema /name"},
		{"name", `"1a"`, "schema /name"},
		{"name", `"Abc"`, "schema /name"},
		{"name", `"a_b"`, "schema /name"},
		{"name", `"a\u0430"`, "schema /name"},
		{"name", `"terminal"`, "semantic /name: the name is reserved (1.0)"},
		{"name", `"memory"`, "semantic /name: the name is reserved (1.3)"},
		{"name", `"mbridge"`, "semantic /name: the name is reserved (ours)"},
		{"displayName", "", "schema needs displayName"},
		{"displayName", `""`, "schema /displayName: must be a string of 1 to 80 characters"},
		{"displayName", long(80), ""},
		{"displayName", long(81), "schema /displayName"},
		{"displayName", `{"en":"A","ru":"Б","zh":"中"}`, ""},
		{"displayName", `{"ru":"Б"}`, "schema /displayName: needs en"},
		{"displayName", `{"en":"A","de":"B"}`, "schema /displayName/de: unknown key"},
		{"displayName", `null`, "schema /displayName: must be a text"},
		{"displayName", `"The OFFICIAL board"`, `semantic /displayName: may not say "official"`},
		{"displayName", `{"en":"A","ru":"Meterbridge"}`, `semantic /displayName: may not say "meterbridge"`},
		{"version", "", "schema needs version"},
		{"version", `"1.2"`, "schema /version: must be a semantic version such as 1.2.3"},
		{"version", `"1.02.3"`, "schema /version"},
		{"version", `"1.2.3-rc.1+build.01"`, ""},
		{"version", `"1.2.3-01"`, "schema /version"},
		{"version", `"v1.2.3"`, "schema /version"},
		{"minAppVersion", `"x"`, "schema /minAppVersion"},
		{"protocol", "", "schema needs protocol"},
		{"protocol", "0", "schema /protocol: must be a whole number from 1 to 1000"},
		{"protocol", "1.5", "schema /protocol"},
		{"protocol", "1e999", "schema /protocol"},
		{"protocol", "1001", "schema /protocol"},
		{"protocol", "2", "protocol /protocol: needs a newer Meterbridge: it speaks protocol 2, this one 1"},
		{"description", long(300), ""},
		{"description", long(301), "schema /description"},
		{"description", `"two\nlines"`, ""},
		{"author", `{"name":"Example Tools"}`, ""},
		{"author", `{"name":"A","url":"https://example.com/a"}`, ""},
		{"author", `{"name":"A","url":"http://example.com/a"}`, "schema /author/url: must be an https address"},
		{"author", `{"name":"A","url":"https://user@example.com/a"}`, "schema /author/url"},
		{"author", `{"name":"A","mail":"a@example.com"}`, "schema /author/mail: unknown key"},
		{"author", `{}`, "schema /author: needs name"},
		{"author", `{"name":` + long(101) + `}`, "schema /author/name"},
		{"author", `{"name":"Verified Tools"}`, `semantic /author: may not say "verified"`},
		{"author", `"A"`, "schema /author: must be an object"},
		{"license", `"MIT"`, ""},
		{"license", long(101), "schema /license"},
		{"homepage", `"https://example.com"`, ""},
		{"homepage", `"javascript:alert(1)"`, "schema /homepage"},
		{"homepage", `"https://example.com/` + strings.Repeat("x", 500) + `"`, "schema /homepage"},
		{"icon", `"a/icon.PNG"`, ""},
		{"icon", `"icon.webp"`, ""},
		{"icon", `"icon.svg"`, "schema /icon: must be a path in the package that ends in .png or .webp"},
		{"icon", `"a/../icon.png"`, "schema /icon"},
		{"keywords", numbered(20, `"k%d"`), ""},
		{"keywords", numbered(21, `"k%d"`), "schema /keywords: must be a list of 0 to 20 entries"},
		{"keywords", `["a","a"]`, `semantic /keywords: "a" comes twice`},
		{"keywords", `["` + strings.Repeat("x", 41) + `"]`, "schema /keywords/0"},
		{"extra", `1`, "schema /extra: unknown key"},
		{"Name", `"a"`, "schema /Name: unknown key"},
		{"permissions", `["agents.read",{"id":"network","hosts":["api.example.com"],"reason":"Reads.","optional":true}]`, ""},
		{"permissions", many(33, `"agents.read"`), "schema /permissions: must be a list of 0 to 32 entries"},
		{"permissions", `["root"]`, "schema /permissions/0/id: must be a permission: agents.read"},
		{"permissions", `[{"hosts":[]}]`, "schema /permissions/0: needs id"},
		{"permissions", `[{"id":"agents.read","why":"x"}]`, "schema /permissions/0/why: unknown key"},
		{"permissions", `[{"id":"agents.read","hosts":["example.com"]}]`, "semantic /permissions: agents.read takes no hosts"},
		{"permissions", `["network"]`, "semantic /permissions: network needs the hosts that it is for"},
		{"permissions", `[{"id":"network","hosts":["localhost"]}]`, `the host "localhost" is this machine`},
		{"settings", numbered(41, `{"key":"k%d","type":"string","label":"L"}`), "schema /settings: must be a list of 0 to 40 entries"},
		{"tools", numbered(32, `{"name":"t%d","description":"d","inputSchema":{"type":"object"}}`), ""},
		{"tools", numbered(33, `{"name":"t%d","description":"d","inputSchema":{"type":"object"}}`), "schema /tools: must be a list of 0 to 32 entries"},
	}
}

func TestCard_Settings(t *testing.T) {
	setting := func(more string) string { return `[{"key":"k","label":"L",` + more + `}]` }
	var rules []rule
	for _, c := range []struct{ setting, fault string }{
		{setting(`"type":"string"`), ""},
		{`[{"key":"k","type":"string"}]`, "schema /settings/0: needs label"},
		{`[{"key":"1k","type":"string","label":"L"}]`, "schema /settings/0/key"},
		{`[{"key":"` + strings.Repeat("k", 64) + `","type":"string","label":"L"}]`, ""},
		{`[{"key":"` + strings.Repeat("k", 65) + `","type":"string","label":"L"}]`, "schema /settings/0/key"},
		{`[{"key":"k","type":"string","label":"L"},{"key":"k","type":"string","label":"L"}]`, `semantic /settings/1/key: "k" comes twice`},
		{setting(`"type":"file"`), "schema /settings/0/type: must be one of string, text, number, boolean, select, secret, color"},
		{setting(`"type":"string","default":"abc","maxLength":3`), ""},
		{setting(`"type":"string","default":"abcd","maxLength":3`), "semantic /settings/0/default: is longer than 3"},
		{setting(`"type":"text","default":"","maxLength":400`), ""},
		{setting(`"type":"text","default":"a\nb"`), ""},
		{setting(`"type":"string","default":"a\nb"`), "holds the hidden character U+000A"},
		{setting(`"type":"string","maxLength":100001`), "schema /settings/0/maxLength"},
		{setting(`"type":"string","default":7`), "semantic /settings/0/default: must be a string"},
		{setting(`"type":"string","default":null`), "schema /settings/0/default: must be a string, a number, true or false"},
		{setting(`"type":"number","default":5,"min":0,"max":10,"step":0.5`), ""},
		{setting(`"type":"number","default":11,"min":0,"max":10`), "semantic /settings/0/default: is outside of min and max"},
		{setting(`"type":"number","min":2,"max":1`), "semantic /settings/0/min: is greater than max"},
		{setting(`"type":"number","step":0`), "schema /settings/0/step: must be greater than 0"},
		{setting(`"type":"number","min":1e999`), "schema /settings/0/min: must be a finite number"},
		{setting(`"type":"number","default":"5"`), "semantic /settings/0/default: must be a number"},
		{setting(`"type":"boolean","default":true`), ""},
		{setting(`"type":"boolean","default":"true"`), "semantic /settings/0/default: must be true or false"},
		{setting(`"type":"select","options":[{"value":"a","label":"A"}],"default":"a"`), ""},
		{setting(`"type":"select","options":[{"value":"a","label":"A"}],"default":"b"`), "semantic /settings/0/default: is none of the options"},
		{setting(`"type":"select"`), "semantic /settings/0/options: belongs to a select, and a select needs it"},
		{setting(`"type":"string","options":[{"value":"a","label":"A"}]`), "semantic /settings/0/options"},
		{setting(`"type":"select","options":[]`), "schema /settings/0/options: must be a list of 1 to 50 entries"},
		{setting(`"type":"select","options":[{"value":"a"}]`), "schema /settings/0/options/0: needs label"},
		{setting(`"type":"select","options":` + numbered(51, `{"value":"%d","label":"A"}`)), "schema /settings/0/options"},
		{setting(`"type":"select","options":[{"value":"a","label":"A"},{"value":"a","label":"B"}]`), `semantic /settings/0/options: "a" comes twice`},
		{setting(`"type":"secret"`), ""},
		{setting(`"type":"secret","default":"x"`), "semantic /settings/0/default: a secret has none: its user sets it"},
		{setting(`"type":"color","default":"#a1b2c3"`), ""},
		{setting(`"type":"color","default":"#abc"`), "semantic /settings/0/default: must be a colour such as #1a2b3c"},
		{setting(`"type":"string","scope":"package","required":true,"placeholder":"P","description":"D"`), ""},
		{setting(`"type":"string","scope":"world"`), "schema /settings/0/scope: must be one of instance, package"},
		{setting(`"type":"string","required":1`), "schema /settings/0/required: must be true or false"},
		{setting(`"type":"string","hint":"x"`), "schema /settings/0/hint: unknown key"},
	} {
		rules = append(rules, rule{"settings", c.setting, c.fault})
	}
	checkRules(t, CardFile, card, rules)
}

func TestCard_Ports(t *testing.T) {
	in := func(more string) string { return `{"inputs":[{"id":"in","label":"In",` + more + `}]}` }
	var rules []rule
	for _, c := range []struct{ ports, fault string }{
		{in(`"type":"ns:tasks","default":true`), ""},
		{in(`"type":"ns:file"`), "schema /ports/inputs/0/type: must be a type such as ns:text, or PACKAGE/TYPE"},
		{in(`"type":"launch-board/check"`), "semantic /ports/inputs/0: the type launch-board/check needs a schema"},
		{in(`"type":"launch-board/check","schema":{"type":"object"}`), ""},
		{in(`"type":"other/check","schema":{"type":"object"}`), ""}, // a warning
		{in(`"type":"-x/check","schema":{}`), "schema /ports/inputs/0/type"},
		{in(`"type":"ns:json","schema":{"pattern":"a"}`), "semantic /ports/inputs/0/schema/pattern: unsupported keyword"},
		{in(`"type":"ns:json","schema":[]`), "schema /ports/inputs/0/schema: must be a JSON Schema object"},
		{in(`"type":"ns:trigger","mode":"request","response":{"type":"ns:json"}`), ""},
		{in(`"type":"ns:trigger","mode":"request"`), "schema /ports/inputs/0/response: belongs to the mode request, which needs it"},
		{in(`"type":"ns:trigger","response":{"type":"ns:json"}`), "schema /ports/inputs/0/response"},
		{in(`"type":"ns:trigger","mode":"push"`), "schema /ports/inputs/0/mode: must be one of stream, request"},
		{in(`"type":"ns:text","retain":true`), "schema /ports/inputs/0/retain: unknown key"},
		{`{"inputs":[{"id":"a","label":" ","type":"ns:text"}]}`, "semantic /ports/inputs/0/label: is blank"},
		{`{"inputs":[{"id":"a","label":"A","type":"ns:text"},{"id":"a","label":"A","type":"ns:text"}]}`, `semantic /ports/inputs/1/id: "a" comes twice`},
		{`{"inputs":[{"id":"a","label":"A","type":"ns:text"}],"outputs":[{"id":"a","label":"A","type":"ns:text","retain":true}]}`, ""},
		{`{"inputs":[{"id":"a","label":"A","type":"ns:text","default":true},{"id":"b","label":"A","type":"ns:text","default":true}]}`, "semantic /ports/inputs: one input may be the default"},
		{`{"outputs":[{"id":"a","label":"A","type":"ns:text","default":true}]}`, "schema /ports/outputs/0/default: unknown key"},
		{`{"outputs":` + numbered(17, `{"id":"a%d","label":"A","type":"ns:text"}`) + `}`, "schema /ports/outputs: must be a list of 0 to 16 entries"},
		{`{"outputs":[{"id":"A","label":"A","type":"ns:text"}]}`, "schema /ports/outputs/0/id"},
	} {
		rules = append(rules, rule{"ports", c.ports, c.fault})
	}
	checkRules(t, CardFile, card, rules)
	_, r := Parse(CardFile, []byte(with(t, card, "ports", in(`"type":"other/check","schema":{"type":"object"}`))), Options{})
	if want := []string{"/ports/inputs/0/type: other/check is a type of another package"}; !slices.Equal(r.Warnings, want) {
		t.Errorf("got %q, want %q", r.Warnings, want)
	}
}

func TestCard_Tools(t *testing.T) {
	tool := func(name, more string) string {
		return `[{"name":"` + name + `","description":"Does.","inputSchema":{"type":"object"}` + more + `}]`
	}
	var rules []rule
	for _, c := range []struct{ tools, fault string }{
		{tool("list_checks", ""), ""},
		{tool("list_checks", `,"title":"List","readOnly":true,"timeoutMs":120000`), ""},
		{tool("List", ""), "schema /tools/0/name: must be 1 to 40 of a-z, 0-9 and _, with a letter first"},
		{tool("list-checks", ""), "schema /tools/0/name"},
		{tool(strings.Repeat("x", 41), ""), "schema /tools/0/name"},
		{tool("a__b", ""), "semantic /tools/0: launch_board_a__b: its name for agents would hold __"},
		{tool("x", `,"title":""`), "schema /tools/0/title"},
		{tool("x", `,"timeoutMs":999`), "schema /tools/0/timeoutMs: must be a whole number from 1000 to 120000"},
		{tool("x", `,"timeoutMs":120001`), "schema /tools/0/timeoutMs"},
		{tool("x", `,"readOnly":"yes"`), "schema /tools/0/readOnly"},
		{tool("x", `,"outputSchema":{}`), "schema /tools/0/outputSchema: unknown key"},
		{`[{"name":"x","inputSchema":{"type":"object"}}]`, "schema /tools/0: needs description"},
		{`[{"name":"x","description":"d"}]`, "schema /tools/0: needs inputSchema"},
		{`[{"name":"x","description":"` + strings.Repeat("d", 2001) + `","inputSchema":{"type":"object"}}]`, "schema /tools/0/description"},
		{`[{"name":"x","description":"d","inputSchema":{}}]`, "semantic /tools/0/inputSchema: its type must be object"},
		{`[{"name":"x","description":"d","inputSchema":{"type":["object"]}}]`, "semantic /tools/0/inputSchema: its type must be object"},
		{`[{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"card":{}}}}]`, "semantic /tools/0/inputSchema: may not define a property card"},
		{`[{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"a":{"pattern":"x"}}}}]`, "semantic /tools/0/inputSchema/properties/a/pattern: unsupported keyword"},
		{`[{"name":"x","description":"d","inputSchema":{"type":"object"}},{"name":"x","description":"d","inputSchema":{"type":"object"}}]`, "semantic /tools/1: there are two tools named x"},
		{`[7]`, "schema /tools/0: must be an object"},
	} {
		rules = append(rules, rule{"tools", c.tools, c.fault})
	}
	checkRules(t, CardFile, card, rules)
}

// Names that would be those of built-in tools, ours, or hold what clients put
// between a server and a tool: the result counts, not its parts.
func TestNames_Reserved(t *testing.T) {
	tool := func(name string) string {
		return `[{"name":"` + name + `","description":"Does.","inputSchema":{"type":"object"}}]`
	}
	for _, c := range []struct{ name, tool, want string }{
		{"agent-set", "model", "agent_set_model is the name of a built-in tool"},
		{"browser-press", "key", "browser_press_key is the name of a built-in tool"},
		{"find", "tool", "find_tool is the name of a built-in tool"},
		{"meter-x", "y", "meter_x_y: names that begin with meter_ are ours"},
		{"bridge-x", "y", "bridge_x_y: names that begin with bridge_ are ours"},
		{"a--b", "c", "a__b_c: its name for agents would hold __"},
		{"ab-", "c", "ab__c: its name for agents would hold __"},
		{"metering", "y", ""},
	} {
		text := with(t, with(t, card, "name", `"`+c.name+`"`), "tools", tool(c.tool))
		_, r := Parse(CardFile, []byte(text), Options{})
		if got := messages(r.Issues); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s/%s: got %q, want %q", c.name, c.tool, got, c.want)
		}
	}
	if got := len(BuiltIns()); got != 77 {
		t.Errorf("got %d built-in names, want 74 of the card product and 3 of ours", got)
	}
	for release, want := range map[string]int{"1.0": 25, "1.3": 7, "ours": 4} {
		if got := len(reservedData().Packages[release]); got != want {
			t.Errorf("release %s: got %d reserved packages, want %d", release, got, want)
		}
	}
	for _, short := range []string{"meter", "mcp"} {
		_, r := Parse(SwitchboardFile, []byte(with(t, board, "shortName", `"`+short+`"`)), Options{})
		if got := messages(r.Issues); !strings.Contains(got, "semantic /shortName: "+short+" is reserved") {
			t.Errorf("short name %s: got %q", short, got)
		}
	}
	_, r := Parse(SwitchboardFile, []byte(`{"id":"acme.terminal","version":"1.0.0"}`), Options{})
	if got := messages(r.Issues); !strings.Contains(got, "semantic /id: terminal is reserved") {
		t.Errorf("short name out of the id: got %q", got)
	}
}

func TestSwitchboard_Keys(t *testing.T) {
	tools := func(entry string) string { return `{"mcpTools":[` + entry + `]}` }
	checkRules(t, SwitchboardFile, board, []rule{
		{"id", "", "schema needs id"},
		{"id", `"Acme"`, "schema /id: must be 1 to 128"},
		{"id", `"acme."`, "semantic /id: its last part begins no name, so a shortName is needed"},
		{"id", `"acme.1things"`, "semantic /id"},
		{"version", "", "schema needs version"},
		{"version", `"1"`, "schema /version"},
		{"shortName", `"things-2"`, ""},
		{"shortName", `"Things"`, "schema /shortName"},
		{"name", long(81), "schema /name"},
		{"title", `"Things"`, ""},
		{"description", long(301), "schema /description"},
		{"author", `"Example Tools"`, ""},
		{"author", `{"name":"Example Tools"}`, ""},
		{"author", `7`, "schema /author"},
		{"author", `"official"`, `semantic /author: may not say "official"`},
		{"main", `"lib/main.mjs"`, ""},
		{"main", `"../main.js"`, "schema /main"},
		{"main", `"main.py"`, "schema /main"},
		{"command", `["./run"]`, ""},
		{"command", `["/bin/sh"]`, "semantic /command/0: must be a program's name"},
		{"views", `[]`, ""}, // of the real product
		{"adds", `{"views":[]}`, ""},
		{"adds", `7`, "schema /adds: must be an object"},
		{"adds", tools(`{"id":"open-ticket","title":"Open a ticket"}`), ""},
		{"adds", tools(`{"id":"open.ticket_2","title":"T","description":"D","params":{"type":"object","properties":{"card":{}}},"returns":{"type":"array"},"readOnly":true}`), ""},
		{"adds", tools(`{"id":"x"}`), "schema /adds/mcpTools/0: needs title"},
		{"adds", tools(`{"title":"x"}`), "schema /adds/mcpTools/0: needs id"},
		{"adds", tools(`{"id":"X","title":"x"}`), "schema /adds/mcpTools/0/id"},
		{"adds", tools(`{"id":"x","title":"x","timeoutMs":1000}`), "schema /adds/mcpTools/0/timeoutMs: unknown key"},
		{"adds", tools(`{"id":"x","title":"x","params":{"type":"array"}}`), "semantic /adds/mcpTools/0/params: its type must be object"},
		{"adds", tools(`{"id":"x","title":"x","returns":{"not":{}}}`), "semantic /adds/mcpTools/0/returns/not: unsupported keyword"},
		{"adds", tools(`{"id":"x","title":"x"},{"id":"x","title":"x"}`), "semantic /adds/mcpTools/1: there are two tools named x"},
		{"adds", tools(`{"id":"x","title":"x","description":"` + strings.Repeat("d", 2001) + `"}`), "schema /adds/mcpTools/0/description"},
	})
	both := with(t, with(t, board, "main", `"a.js"`), "command", `["node"]`)
	if _, r := Parse(SwitchboardFile, []byte(both), Options{}); messages(r.Issues) != "schema /main: main and command exclude each other" {
		t.Errorf("main and command: got %q", messages(r.Issues))
	}
	_, r := Parse(SwitchboardFile, []byte(`{"id":"acme.things","version":"1.0.0","views":[],"adds":{"commands":[]}}`), Options{})
	if want := []string{"ignored: views", "ignored: adds/commands"}; !slices.Equal(r.Warnings, want) {
		t.Errorf("got %q, want %q", r.Warnings, want)
	}
}

func TestProcess_Keys(t *testing.T) {
	checkRules(t, ProcessFile, process, slices.Concat(commonRules(), []rule{
		{"command", "", "schema needs command"},
		{"command", `[]`, "schema /command: must be a list of 1 to 32 entries"},
		{"command", many(33, `"a"`), "schema /command"},
		{"command", `["a",""]`, "schema /command/1"},
		{"command", `["a",` + long(4096) + `]`, ""},
		{"command", `["a",` + long(4097) + `]`, "schema /command/1"},
		{"command", `["a","b\u0000"]`, "schema /command/1: holds a NUL"},
		{"command", `["./bin/run"]`, ""},
		{"command", `["./../run"]`, "semantic /command/0"},
		{"command", `["bin/run"]`, "semantic /command/0: must be a program's name"},
		{"command", `["/bin/sh","-c","x"]`, "semantic /command/0"},
		{"command", `["..\\run"]`, "semantic /command/0"},
		{"command", `["C:run"]`, "semantic /command/0"},
		{"command", `["node","--flag\u202e"]`, "semantic /command/1: holds the hidden character U+202E"},
		{"env", `["TICKET_URL","_X1"]`, ""},
		{"env", `["path"]`, "schema /env/0"},
		{"env", `["1A"]`, "schema /env/0"},
		{"env", `["LD_PRELOAD"]`, "semantic /env: LD_PRELOAD is never passed on"},
		{"env", `["DYLD_X"]`, "semantic /env: DYLD_X is never passed on"},
		{"env", `["NODE_OPTIONS"]`, "semantic /env: NODE_OPTIONS"},
		{"env", `["PYTHONPATH"]`, "semantic /env: PYTHONPATH"},
		{"env", `["METERBRIDGE_HOME"]`, "semantic /env: METERBRIDGE_HOME"},
		{"env", `["A_TOKEN"]`, "semantic /env: A_TOKEN looks like a secret"},
		{"env", `["A_KEY"]`, "semantic /env: A_KEY"},
		{"env", `["A_SECRET"]`, "semantic /env: A_SECRET"},
		{"env", `["A_PASSWORD"]`, "semantic /env: A_PASSWORD"},
		{"env", numbered(33, `"V%d"`), "schema /env: must be a list of 0 to 32 entries"},
		{"secretsEnv", `["A_TOKEN"]`, "semantic /secretsEnv: A_TOKEN is not in env"},
		{"secretsEnv", numbered(9, `"V%d"`), "schema /secretsEnv: must be a list of 0 to 8 entries"},
		{"os", `["linux","darwin"]`, ""},
		{"os", `["plan9"]`, "schema /os/0: must be linux, darwin or windows"},
		{"os", `["windows"]`, "semantic /os: it is for windows, this is linux"},
		{"os", `["linux","linux"]`, `semantic /os: "linux" comes twice`},
		{"minAppVersion", `"1.0.0"`, ""},
		{"minAppVersion", `"1.0.1"`, "protocol /minAppVersion: needs a newer Meterbridge: 1.0.1 or later, this one is 1.0.0"},
		{"permissions", `["cards.connected"]`, "semantic /permissions: cards.connected needs a page, which a process has not"},
		{"permissions", `["canvas.spawn"]`, "semantic /permissions: canvas.spawn needs a page"},
		{"permissions", `["clipboard.write"]`, "semantic /permissions: clipboard.write needs a page"},
		{"entry", `"index.html"`, "schema /entry: unknown key"},
		{"ports", `{}`, "schema /ports: unknown key"},
	}))
	good := with(t, with(t, process, "env", `["A_TOKEN"]`), "secretsEnv", `["A_TOKEN"]`)
	if _, r := Parse(ProcessFile, []byte(good), Options{}); len(r.Issues) > 0 {
		t.Errorf("a secret that is listed twice: %s", messages(r.Issues))
	}
}

// What a manifest says is what the model holds, whatever the dialect.
func TestParse_OneModel(t *testing.T) {
	text := with(t, process, "tools", `[{"name":"open_ticket","description":"Opens.","inputSchema": {"type":"object",  "required":["title"]},"timeoutMs":5000}]`)
	text = with(t, text, "permissions", `["usage.read",{"id":"network","hosts":["b.example.com"],"optional":true},{"id":"network","hosts":["a.example.com","b.example.com"],"reason":"Why."}]`)
	ext, r := Parse(ProcessFile, []byte(text), Options{})
	if ext == nil {
		t.Fatal(messages(r.Issues))
	}
	want := &bridge.Extension{
		Dialect: bridge.DialectProcess, Name: "ticket-desk", ShortName: "ticket-desk", DisplayName: bridge.Localised{"en": "Ticket desk"},
		Version: "1.2.3", Protocol: 1, Command: []string{"node", "./main.mjs"},
		Permissions: []bridge.Permission{
			{ID: "network", Hosts: []string{"a.example.com", "b.example.com"}, Reason: bridge.Localised{"en": "Why."}}, {ID: "usage.read"},
		},
		Tools: []bridge.ExtensionTool{{LocalID: "open_ticket", Text: "Opens.", Input: json.RawMessage(`{"type":"object","required":["title"]}`), Timeout: 5 * time.Second}},
	}
	if diff := cmp.Diff(want, ext); diff != "" {
		t.Errorf("process (-want +got)\n%s", diff)
	}
	ext, r = Parse(SwitchboardFile, []byte(`{"id":"acme.my-things","version":"2.0.0","adds":{"mcpTools":[{"id":"add-todo","title":"Add a todo","returns":{"type":"string"}}]}}`), Options{})
	if ext == nil {
		t.Fatal(messages(r.Issues))
	}
	want = &bridge.Extension{
		Dialect: bridge.DialectSwitchboard, Name: "acme.my-things", ShortName: "my-things", DisplayName: bridge.Localised{"en": "acme.my-things"},
		Version: "2.0.0", Protocol: 1, Main: "index.js",
		Tools: []bridge.ExtensionTool{{
			LocalID: "add-todo", Title: "Add a todo", Text: "Add a todo", Input: json.RawMessage(noArguments), Output: json.RawMessage(`{"type":"string"}`), Timeout: 30 * time.Second,
		}},
	}
	if diff := cmp.Diff(want, ext); diff != "" {
		t.Errorf("switchboard (-want +got)\n%s", diff)
	}
	if got := Exposed(ext.ShortName, "add-todo"); got != "my_things_add_todo" {
		t.Errorf("exposed: got %s", got)
	}
}

// A schema reaches clients as its author wrote it, white space and all.
func TestParse_KeepsTheTextOfSchemas(t *testing.T) {
	schema := "{ \"type\":\t\"object\", \"title\":\"\\u00e9\", \"properties\": {\"a~/b\": {}} }"
	text := strings.TrimSuffix(card, "}") + `,"tools":[{"name":"x","description":"d","inputSchema":` + schema + `}]}`
	ext, r := Parse(CardFile, []byte(text), Options{})
	if ext == nil {
		t.Fatal(messages(r.Issues))
	}
	if got := string(ext.Tools[0].Input); got != schema {
		t.Errorf("got %q, want %q", got, schema)
	}
}

// Strict JSON: what two parsers could read differently is no manifest.
func TestParse_StrictJSON(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"duplicate key", strings.TrimSuffix(card, "}") + `,"name":"other-name"}`, `the key "name" comes twice`},
		{"duplicate key in another spelling", strings.TrimSuffix(card, "}") + `,"\u006eame":"other-name"}`, `the key "name" comes twice`},
		{"duplicate key deep inside", with(t, card, "tools", `[{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"a":{},"a":{}}}}]`), ""},
		{"byte order mark", "\xef\xbb\xbf" + card, "a value is missing at byte 0"},
		{"trailing data", card + `{}`, "something follows the value"},
		{"comment", `/* x */` + card, "a value is missing"},
		{"invalid UTF-8", strings.Replace(card, "Launch", "La\xffnch", 1), "invalid UTF-8"},
		{"deep", strings.TrimSuffix(card, "}") + `,"x":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`, "nested deeper than 64"},
		{"list", `[]`, "must be an object"},
		{"large", card + strings.Repeat(" ", MaxSize), "a manifest may have 256 KiB"},
		{"empty", ``, "a value is missing"},
		{"lone surrogate", strings.Replace(card, "Launch", `La\ud800nch`, 1), "holds the hidden character U+FFFD"},
	} {
		if c.name == "duplicate key deep inside" {
			// Marshalling would repair it.
			c.text = strings.TrimSuffix(card, "}") + `,"tools":[{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"a":{},"a":{}}}}]}`
			c.want = `the key "a" comes twice`
		}
		_, r := Parse(CardFile, []byte(c.text), Options{})
		if got := messages(r.Issues); !strings.Contains(got, c.want) || got == "" {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Faults of form come first, those of meaning only when there are none; there are
// at most 50.
func TestParse_Issues(t *testing.T) {
	both := with(t, with(t, card, "name", `"terminal"`), "icon", `7`)
	_, r := Parse(CardFile, []byte(both), Options{})
	if got := messages(r.Issues); got != "schema /icon: must be a path in the package that ends in .png or .webp" {
		t.Errorf("got %q", got)
	}
	m := map[string]int{}
	for i := range 200 {
		m[fmt.Sprintf("k%03d", i)] = i
	}
	text, _ := json.Marshal(m)
	if _, r = Parse(CardFile, text, Options{}); len(r.Issues) != MaxIssues || r.Issues[0].Path != "/k000" {
		t.Errorf("got %d issues, the first %v", len(r.Issues), r.Issues[0])
	}
}

// Instructions hide in characters that people do not see.
func TestInstall_PoisonedCorpus(t *testing.T) {
	poison := map[string]string{
		"zero-width space": "\u200b", "zero-width joiner": "\u200d", "bidi override": "\u202e", "bidi isolate": "\u2066", "tag": "\U000e0041",
		"word joiner": "\u2060", "mark in the text": "\ufeff", "escape": "\u001b", "NUL": "\u0000", "C1 control": "\u009b", "carriage return": "\r",
		"line separator": "\u2028", "paragraph separator": "\u2029", "soft hyphen": "\u00ad", "selector": "\U000e0100", "blank letter": "\u3164",
	}
	tool := `[{"name":"x","title":"T%0","description":"d%1","inputSchema":{"type":"object","title":"t%2","description":"d%3","properties":{"p%4":{"enum":["e%5"],"default":"f%6","examples":[{"k%7":1}]},"q":{"const":"c%8"}},"required":["r%9"],"$defs":{"s%A":{}}}}]`
	for name, c := range poison {
		quoted, _ := json.Marshal(c)
		inner := strings.Trim(string(quoted), `"`)
		for i := range 11 {
			place := fmt.Sprintf("%%%X", i)
			text := with(t, card, "tools", strings.Replace(tool, place, inner, 1))
			if _, r := Parse(CardFile, []byte(text), Options{}); !strings.Contains(messages(r.Issues), "hidden character") {
				t.Errorf("%s at %s: got %q", name, place, messages(r.Issues))
			}
		}
		for key, value := range map[string]string{
			"displayName": `"A%"`, "description": `{"en":"A","zh":"B%"}`, "author": `{"name":"A%"}`, "license": `"M%"`, "keywords": `["k%"]`,
			"permissions": `[{"id":"agents.read","reason":"r%"}]`, "settings": `[{"key":"k","type":"select","label":"L","options":[{"value":"v","label":"o%"}]}]`,
			"ports": `{"outputs":[{"id":"a","label":"A%","type":"ns:text"}]}`,
		} {
			text := with(t, card, key, strings.Replace(value, "%", inner, 1))
			if _, r := Parse(CardFile, []byte(text), Options{}); !strings.Contains(messages(r.Issues), "hidden character") {
				t.Errorf("%s in %s: got %q", name, key, messages(r.Issues))
			}
		}
	}
}

func TestHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"example.com": true, "api.example.com:8443": true, "*.example.com": true, "xn--bcher-kva.example": true, "a.b": true,
		"example": false, "*": false, "*.com": false, "*.*.example.com": false, "a.*.example.com": false, "https://example.com": false,
		"example.com/": false, "user@example.com": false, "127.0.0.1": false, "[::1]": false, "1.2": false, "localhost": false, "a.localhost": false,
		"Example.com": false, "example.com:0": false, "example.com:65536": false, "example.com:": false, "example.com:80:90": false, "-a.example.com": false,
		"example.com.": false, "bücher.example": false, "exa mple.com": false, "*.localhost": false, "example.com:+80": false, "example.com:080": false,
	} {
		if got := hostFault(host) == ""; got != want {
			t.Errorf("%q: got %v (%s), want %v", host, got, hostFault(host), want)
		}
	}
}

func TestCheckPath(t *testing.T) {
	for path, want := range map[string]bool{
		"a": true, "dist/assets/index-a1.js": true, ".hidden": true, "console.log": true, "ns/__ns": true, "com": true, "com10.txt": true, "ünï/ç": true,
		strings.Repeat("a", 240): true, strings.TrimSuffix(strings.Repeat("a/", 20), "/"): true,
		"": false, "/a": false, "a//b": false, "a/": false, "./a": false, "a/./b": false, "../a": false, "a/../b": false, `a\b`: false, `..\a`: false,
		"C:/a": false, "a:b": false, "a\x00b": false, "a\nb": false, "a<b": false, "a|b": false, "a?": false, "a*": false, `a"b`: false, "a.": false, "a ": false, "a./b": false,
		"con": false, "CON.txt": false, "aux.tar.gz": false, "Com1": false, "lpt9.x": false, "com¹": false, "conin$": false, "nul .txt": false, "a/PRN/b": false, "clock$": false,
		"__ns/x": false, "__NS/x": false, "__ns": false, strings.Repeat("a", 241): false, strings.TrimSuffix(strings.Repeat("a/", 21), "/"): false, "a\xffb": false,
	} {
		if got := CheckPath(path) == nil; got != want {
			t.Errorf("%q: got %v (%v), want %v", path, got, CheckPath(path), want)
		}
	}
}

func TestNeverWritten(t *testing.T) {
	for path, want := range map[string]bool{
		".git/config": true, "a/.GIT/hooks/x": true, ".git": true, "sub/.claude/settings.json": true, "CLAUDE.md": true, "docs/claude.MD": true,
		"a/../AGENTS.md": true, ".github/workflows/x.yml": true, "x/.github/Workflows": true, ".npmrc": true, "a/opencode.json": true, `a\.vscode\x`: true,
		"./Jenkinsfile": true, ".git./config": true, "CLAUDE.md.": true, ".envrc": true,
		".github/dependabot.yml": false, "git/config": false, "CLAUDE.md.bak": false, "src/main.go": false, "workflows/x": false, ".gitignore": false,
	} {
		if got := NeverWritten(path); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
}

func TestVersions(t *testing.T) {
	order := []string{"0.9.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.10.0", "2.0.0"}
	for i, a := range order {
		for j, b := range order {
			if got := CompareVersions(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s and %s: got %d", a, b, got)
			}
		}
	}
	if CompareVersions("dev", "9.9.9") <= 0 || CompareVersions("1.0.0+a", "1.0.0+b") != 0 {
		t.Error("a development version is the newest, and builds do not count")
	}
}

func TestCheckFiles(t *testing.T) {
	ext, r := Parse(CardFile, []byte(with(t, with(t, card, "icon", `"icon.png"`), "entry", `"dist/index.html"`)), Options{})
	if ext == nil {
		t.Fatal(messages(r.Issues))
	}
	root := fstest.MapFS{CardFile: {Data: []byte(card)}, "icon.png": {Data: make([]byte, MaxIcon+1)}}
	if got, want := messages(CheckFiles(ext, root)), "semantic /icon: icon.png is larger than 128 KiB\nsemantic /entry: the package has no file dist/index.html"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	root["icon.png"].Data, root["dist/index.html"] = make([]byte, MaxIcon), &fstest.MapFile{}
	if got := messages(CheckFiles(ext, root)); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
	if name, err := Find(root); name != CardFile || err != nil {
		t.Errorf("find: got %q, %v", name, err)
	}
	root[ProcessFile] = &fstest.MapFile{}
	if _, err := Find(root); err == nil || !strings.Contains(err.Error(), "more than one manifest") {
		t.Errorf("two manifests: got %v", err)
	}
	if _, err := Find(fstest.MapFS{}); err == nil {
		t.Error("no manifest: got no error")
	}
}

// The permissions come in one order, and imply only permissions that there are.
func TestPermissionTable(t *testing.T) {
	ids := permissionIDs()
	if len(ids) != 13 || ids[0] != "agents.read" || ids[12] != "usage.read" {
		t.Errorf("got %v", ids)
	}
	for _, p := range PermissionTable() {
		for _, implied := range p.Implies {
			if !slices.Contains(ids, implied) {
				t.Errorf("%s implies %s", p.ID, implied)
			}
		}
	}
}

// Manifests as authors write them, of each dialect.
func TestParse_Examples(t *testing.T) {
	for _, file := range Files() {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if _, r := Parse(file, text, Options{}); len(r.Issues)+len(r.Warnings) > 0 {
			t.Errorf("%s: %s %v", file, messages(r.Issues), r.Warnings)
		}
	}
}

func FuzzManifest(f *testing.F) {
	for _, file := range Files() {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		for _, as := range Files() {
			f.Add(as, text)
		}
	}
	f.Add(CardFile, []byte(`{"manifestVersion":1e1000000000,"name":"\ud800","tools":[{"inputSchema":{"$ref":"#"}}],"name":1}`))
	f.Fuzz(func(t *testing.T, file string, text []byte) {
		ext, r := Parse(file, text, Options{AppVersion: "1.0.0"})
		if (ext == nil) != (len(r.Issues) > 0) || len(r.Issues) > MaxIssues {
			t.Fatalf("%s: an extension and issues, or neither, or %d", file, len(r.Issues))
		}
		if ext == nil {
			return
		}
		for _, tool := range ext.Tools {
			if name := Exposed(ext.ShortName, tool.LocalID); NameFault(name) != "" || len(name) > longestName {
				t.Fatalf("%s: %s", name, NameFault(name))
			}
			if !json.Valid(tool.Input) {
				t.Fatalf("input of %s is no JSON: %s", tool.LocalID, tool.Input)
			}
		}
	})
}

// mcp-go skips a schema that does not compile (its defect 8): such a tool is never
// installed.
func TestInstall_BadSchemaRefused(t *testing.T) {
	for _, schema := range []string{
		`{"type":"nothing"}`, `{"type":"object","properties":{"a":{"pattern":"x"}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`, `{"type":"object","required":"a"}`, `{"type":"object","allOf":[{}]}`, `[]`, `true`,
	} {
		text := `{"manifestVersion":1,"name":"desk","displayName":"Desk","version":"1.0.0","protocol":1,"command":["./run"],"tools":[{"name":"open","description":"Opens.","inputSchema":` + schema + `}]}`
		if ext, report := Parse("meterbridge-extension.json", []byte(text), Options{}); ext != nil || len(report.Issues) == 0 {
			t.Errorf("%s is taken", schema)
		}
	}
}
