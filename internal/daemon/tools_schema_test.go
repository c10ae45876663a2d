package daemon

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"meterbridge/analytics"
	"meterbridge/dashboard/api"
)

var updateTools = flag.Bool("update-tools", false, "write tools/*.output.json instead of comparing them")

// answersOf are the types of each tool's answers.
func answersOf() map[string][]reflect.Type {
	return map[string][]reflect.Type{
		"meter_usage":        {reflect.TypeFor[UsageReport]()},
		"meter_sessions":     {reflect.TypeFor[SessionList](), reflect.TypeFor[SessionAnswer]()},
		"meter_timeline":     {reflect.TypeFor[Timeline]()},
		"meter_explain":      {reflect.TypeFor[ExplainReport]()},
		"meter_budget":       {reflect.TypeFor[BudgetList]()},
		"agent_list":         {reflect.TypeFor[toolAgents]()},
		"squad_status":       {reflect.TypeFor[toolSquad]()},
		"agent_read":         {reflect.TypeFor[toolAgentRead]()},
		"agent_wait":         {reflect.TypeFor[toolWaited]()},
		"terminal_read":      {reflect.TypeFor[toolScreen]()},
		"terminal_run":       {reflect.TypeFor[toolRun]()},
		"terminal_send_keys": {reflect.TypeFor[toolSent]()},
		"agent_send":         {reflect.TypeFor[toolDelivered]()},
		"meter_pricing":      {reflect.TypeFor[ShowAnswer](), reflect.TypeFor[CostAnswer](), reflect.TypeFor[missing]()},
	}
}

// The committed schemas are those of the types that are answered.
func TestToolSchemas_AreThoseOfTheAnswers(t *testing.T) {
	for name, types := range answersOf() {
		got, err := json.MarshalIndent(outputSchema(types), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		path := filepath.Join("tools", name+".output.json")
		if *updateTools {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s (run this test with -update-tools, and review; -committed +now)\n%s", path, d)
		}
	}
}

// outputSchema is an object that is one of the types, with a note beside.
func outputSchema(types []reflect.Type) map[string]any {
	registry := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[analytics.UsageRow](), reflect.TypeFor[api.UsageRow]())
	var forms []any
	for _, typ := range types {
		forms = append(forms, plainSchema(registry.Schema(typ, true, "")))
	}
	for name, s := range registry.Map() {
		if name == "ExplainRecord" || name == "KeptRow" {
			withoutRequired(s, reflect.TypeFor[analytics.RowCost]())
		}
	}
	defs := map[string]any{}
	for name, s := range registry.Map() {
		def := plainSchema(s).(map[string]any)
		nullable(def["properties"], registry.TypeFromRef("#/$defs/"+name))
		defs[name] = def
	}
	out := map[string]any{"type": "object", "properties": map[string]any{"note": map[string]any{"type": "string"}}, "$defs": defs}
	if len(forms) == 1 {
		out["$ref"] = forms[0].(map[string]any)["$ref"]
	} else {
		out["anyOf"] = forms
	}
	return out
}

// withoutRequired: the fields of an embedded pointer come together or not at all.
func withoutRequired(s *huma.Schema, embedded reflect.Type) {
	for i := range embedded.NumField() {
		name, _, _ := strings.Cut(embedded.Field(i).Tag.Get("json"), ",")
		s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
	}
}

// nullable lets pointers to structs be null, which the framework forgets.
func nullable(properties any, typ reflect.Type) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			nullable(properties, inner)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p, _ := properties.(map[string]any)[name].(map[string]any)
		if f.Type.Kind() == reflect.Pointer && options != "omitempty" && p["$ref"] != nil {
			properties.(map[string]any)[name] = map[string]any{"anyOf": []any{p, map[string]any{"type": "null"}}}
		}
	}
}

// plainSchema is a schema without what only readers of a document need, and
// with lists that are never null.
func plainSchema(s *huma.Schema) any {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	var v any
	_ = json.Unmarshal(text, &v)
	return plainer(v)
}

func plainer(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plainer(v[i])
		}
	case map[string]any:
		for _, key := range []string{"description", "examples", "readOnly"} {
			if _, text := v[key].(map[string]any); !text {
				delete(v, key)
			}
		}
		if f, ok := v["format"].(string); ok && f != "date-time" {
			delete(v, "format")
		}
		if _, decided := v["additionalProperties"].(bool); decided {
			delete(v, "additionalProperties")
		}
		if list, ok := v["type"].([]any); ok && slices.Contains(list, any("array")) {
			v["type"] = "array"
		}
		for key := range v {
			v[key] = plainer(v[key])
		}
	}
	return v
}
