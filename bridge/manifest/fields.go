package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"meterbridge/bridge"
)

// object reads the members of one JSON object of a manifest.
type object struct {
	r    *reader
	path string
	m    map[string]any
}

// object takes v for an object that has none but these keys. What it returns
// can be asked for members even when v is none.
func (r *reader) object(v any, path string, known ...string) object {
	o := r.open(v, path)
	for _, key := range sorted(o.m) {
		if !slices.Contains(known, key) {
			r.shape(o.at(key), "unknown key")
		}
	}
	return o
}

// open takes v for an object with any keys.
func (r *reader) open(v any, path string) object {
	m, ok := v.(map[string]any)
	if !ok {
		r.shape(path, "must be an object")
	}
	return object{r, path, m}
}

func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (o object) at(key string) string {
	return o.path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

func (o object) has(key string) bool { _, there := o.m[key]; return there }

// need complains of keys that are missing.
func (o object) need(keys ...string) {
	for _, key := range keys {
		if o.m != nil && !o.has(key) {
			o.r.shape(o.path, "needs "+key)
		}
	}
}

// text is a string of least to most characters, "" when it is absent.
func (o object) text(key string, least, most int) string {
	v, there := o.m[key]
	if !there {
		return ""
	}
	s, ok := v.(string)
	if n := utf8.RuneCountInString(s); !ok || n < least || n > most {
		o.r.shape(o.at(key), fmt.Sprintf("must be a string of %d to %d characters", least, most))
		return ""
	}
	return s
}

// word is a string with a form, "" when it is absent.
func (o object) word(key string, fits func(string) bool, form string) string {
	v, there := o.m[key]
	if !there {
		return ""
	}
	s, ok := v.(string)
	if !ok || !fits(s) {
		o.r.shape(o.at(key), "must be "+form)
		return ""
	}
	return s
}

// choice is one of a few words, otherwise when it is absent.
func (o object) choice(key, otherwise string, of ...string) string {
	if !o.has(key) {
		return otherwise
	}
	return o.word(key, func(s string) bool { return slices.Contains(of, s) }, "one of "+strings.Join(of, ", "))
}

func (o object) flag(key string) bool {
	v, there := o.m[key]
	flag, ok := v.(bool)
	if there && !ok {
		o.r.shape(o.at(key), "must be true or false")
	}
	return flag
}

// whole is a whole number, otherwise when it is absent.
func (o object) whole(key string, least, most, otherwise int) int {
	v, there := o.m[key]
	if !there {
		return otherwise
	}
	n, ok := finite(v)
	if !ok || n != math.Trunc(n) || n < float64(least) || n > float64(most) {
		o.r.shape(o.at(key), fmt.Sprintf("must be a whole number from %d to %d", least, most))
		return otherwise
	}
	return int(n)
}

// number is a number, nil when it is absent.
func (o object) number(key string) *float64 {
	v, there := o.m[key]
	if !there {
		return nil
	}
	n, ok := finite(v)
	if !ok {
		o.r.shape(o.at(key), "must be a finite number")
		return nil
	}
	return &n
}

func finite(v any) (float64, bool) {
	text, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(text), 64)
	return n, err == nil
}

// list are the entries of a list of least to most, nil when it is absent.
func (o object) list(key string, least, most int) []any {
	v, there := o.m[key]
	if !there {
		return nil
	}
	list, ok := v.([]any)
	if !ok || len(list) < least || len(list) > most {
		o.r.shape(o.at(key), fmt.Sprintf("must be a list of %d to %d entries", least, most))
		return nil
	}
	return list
}

// words are the entries of a list of strings of 1 to most characters.
func (o object) words(key string, atLeast, entries, most int) []string {
	var words []string
	for i, v := range o.list(key, atLeast, entries) {
		s, ok := v.(string)
		if n := utf8.RuneCountInString(s); !ok || n == 0 || n > most {
			o.r.shape(o.entry(key, i), fmt.Sprintf("must be a string of 1 to %d characters", most))
			continue
		}
		words = append(words, s)
	}
	return words
}

func (o object) entry(key string, i int) string { return o.at(key) + "/" + strconv.Itoa(i) }

// localised is a text in one or more languages, nil when it is absent.
func (o object) localised(key string, most int) bridge.Localised {
	switch v := o.m[key].(type) {
	case nil:
		if o.has(key) {
			o.r.shape(o.at(key), "must be a text")
		}
		return nil
	case string:
		return bridge.Localised{"en": o.text(key, 1, most)}
	default:
		in := o.r.object(v, o.at(key), "en", "ru", "zh")
		in.need("en")
		text := bridge.Localised{}
		for _, language := range []string{"en", "ru", "zh"} {
			if in.has(language) {
				text[language] = in.text(language, 1, most)
			}
		}
		return text
	}
}

// https is an address of the web, "" when it is absent.
func (o object) https(key string) string {
	return o.word(key, func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && len(s) <= 500 && u.Scheme == "https" && u.Host != "" && u.User == nil && !strings.ContainsAny(s, " \t\r\n")
	}, "an https address of up to 500 characters")
}

// file is a path in the package whose name ends in one of the endings.
func (o object) file(key string, endings ...string) string {
	return o.word(key, func(s string) bool {
		return CheckPath(s) == nil && slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(strings.ToLower(s), end) })
	}, "a path in the package that ends in "+strings.Join(endings, " or "))
}

// schema is the text of a schema as the manifest has it, nil when it is absent.
// Whether it can be used is a question of meaning.
func (o object) schema(key string) json.RawMessage {
	v, there := o.m[key]
	if !there {
		return nil
	}
	if _, ok := v.(map[string]any); !ok {
		o.r.shape(o.at(key), "must be a JSON Schema object")
		return nil
	}
	return o.r.raw[o.at(key)]
}
