package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"meterbridge/bridge"
)

func (r *reader) settings(o object) []bridge.Setting {
	var list []bridge.Setting
	for i, v := range o.list("settings", 0, 40) {
		list = append(list, r.setting(r.object(v, o.entry("settings", i), "key", "type", "label", "description", "default", "required", "scope",
			"placeholder", "maxLength", "min", "max", "step", "options")))
	}
	return list
}

func (r *reader) setting(o object) bridge.Setting {
	o.need("key", "type", "label")
	s := bridge.Setting{
		Key:         o.word("key", isKey, "1 to 64 letters, digits, _ and -, with a letter first"),
		Type:        o.choice("type", "", "string", "text", "number", "boolean", "select", "secret", "color"),
		Label:       o.localised("label", 80),
		Description: o.localised("description", 300),
		Required:    o.flag("required"),
		Scope:       o.choice("scope", "instance", "instance", "package"),
		Placeholder: o.localised("placeholder", 80),
		Min:         o.number("min"), Max: o.number("max"), Step: o.number("step"),
	}
	longest := map[string]int{"string": 2000, "text": 20_000, "secret": 2000}[s.Type]
	s.MaxLength = o.whole("maxLength", 1, 100_000, longest)
	if s.Step != nil && *s.Step <= 0 {
		r.shape(o.at("step"), "must be greater than 0")
	}
	for i, v := range o.list("options", 1, 50) {
		in := r.object(v, o.entry("options", i), "value", "label")
		in.need("value", "label")
		s.Options = append(s.Options, bridge.SettingOption{Value: in.text("value", 0, 200), Label: in.localised("label", 80)})
	}
	if v, there := o.m["default"]; there {
		switch v.(type) {
		case string, json.Number, bool:
			s.Default, _ = json.Marshal(v) // a plain value can always be written
		default:
			r.shape(o.at("default"), "must be a string, a number, true or false")
		}
	}
	return s
}

func (r *reader) settingsMeaning(list []bridge.Setting) {
	seen := map[string]bool{}
	for i, s := range list {
		path := fmt.Sprintf("/settings/%d", i)
		if seen[s.Key] {
			r.meaning(path+"/key", fmt.Sprintf("%q comes twice", s.Key))
		}
		seen[s.Key] = true
		r.readableIn(path+"/label", s.Label, oneLine)
		r.readableIn(path+"/description", s.Description, severalLines)
		r.readableIn(path+"/placeholder", s.Placeholder, oneLine)
		r.optionsMeaning(path, s)
		if s.Min != nil && s.Max != nil && *s.Min > *s.Max {
			r.meaning(path+"/min", "is greater than max")
		}
		if s.Default != nil {
			if why := SettingFault(s, s.Default); why != "" {
				r.meaning(path+"/default", why)
			}
		}
	}
}

func (r *reader) optionsMeaning(path string, s bridge.Setting) {
	if (s.Type == "select") != (s.Options != nil) {
		r.meaning(path+"/options", "belongs to a select, and a select needs it")
	}
	var values []string
	for _, option := range s.Options {
		values = append(values, option.Value)
		r.readable(path+"/options", option.Value, oneLine)
		r.readableIn(path+"/options", option.Label, oneLine)
	}
	r.unique(path+"/options", values)
}

// SettingFault is what is wrong with a value of a setting, "" for nothing.
func SettingFault(s bridge.Setting, value json.RawMessage) string {
	switch s.Type {
	case "secret":
		return "a secret has none: its user sets it"
	case "boolean":
		if text := string(value); text != "true" && text != "false" {
			return "must be true or false"
		}
		return ""
	case "number":
		return numberFault(s, value)
	}
	return textFault(s, value)
}

func numberFault(s bridge.Setting, value json.RawMessage) string {
	n, ok := finite(json.Number(value))
	switch {
	case !ok || math.IsNaN(n):
		return "must be a number"
	case s.Min != nil && n < *s.Min || s.Max != nil && n > *s.Max:
		return "is outside of min and max"
	}
	return ""
}

func textFault(s bridge.Setting, value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return "must be a string"
	}
	if c, found := hidden(text, s.Type == "text"); found {
		return fmt.Sprintf("holds the hidden character U+%04X", c)
	}
	switch {
	case s.Type == "color" && !isColor(text):
		return "must be a colour such as #1a2b3c"
	case s.Type == "select" && !slices.ContainsFunc(s.Options, func(o bridge.SettingOption) bool { return o.Value == text }):
		return "is none of the options"
	case s.MaxLength > 0 && utf8.RuneCountInString(text) > s.MaxLength:
		return fmt.Sprintf("is longer than %d", s.MaxLength)
	}
	return ""
}
