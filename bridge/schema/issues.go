package schema

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// collect adds the faults at the leaves of e.
func collect(e *jsonschema.ValidationError, issues []Issue) []Issue {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Not:
		return append(issues, leaf(e))
	}
	if len(e.Causes) == 0 {
		return append(issues, leaf(e))
	}
	for _, cause := range e.Causes {
		issues = collect(cause, issues)
	}
	return issues
}

func leaf(e *jsonschema.ValidationError) Issue {
	path := e.ErrorKind.KeywordPath()
	keyword := ""
	if len(path) > 0 {
		keyword = path[len(path)-1]
	}
	return Issue{Path: pointer(e.InstanceLocation), Keyword: keyword, Message: say(e.ErrorKind)}
}

func pointer(location []string) string {
	var b strings.Builder
	for _, token := range location {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}

// say puts a fault into words.
func say(fault jsonschema.ErrorKind) string {
	switch k := fault.(type) {
	case *kind.Type:
		return "is " + article(k.Got) + ", must be " + kinds(k.Want)
	case *kind.Required:
		return "needs " + list(k.Missing)
	case *kind.AdditionalProperties:
		return "does not know " + list(k.Properties)
	case *kind.Enum:
		return "must be one of " + values(k.Want)
	case *kind.Const:
		return "must be " + values([]any{k.Want})
	case *kind.MaxLength:
		return "longer than " + strconv.Itoa(k.Want)
	case *kind.MinLength:
		return "shorter than " + strconv.Itoa(k.Want)
	case *kind.MaxItems:
		return "more than " + strconv.Itoa(k.Want) + " items"
	case *kind.MinItems:
		return "fewer than " + strconv.Itoa(k.Want) + " items"
	case *kind.Maximum:
		return "greater than " + exact(k.Want)
	case *kind.Minimum:
		return "less than " + exact(k.Want)
	case *kind.ExclusiveMaximum:
		return "not less than " + exact(k.Want)
	case *kind.ExclusiveMinimum:
		return "not greater than " + exact(k.Want)
	case *kind.Format:
		return "is no " + k.Want
	case *kind.AnyOf, *kind.OneOf, *kind.Not:
		return "fits none of the allowed forms"
	}
	return fault.LocalizedString(message.NewPrinter(language.English))
}

// kinds are the types that a value may have, null last.
func kinds(names []string) string {
	var list []string
	null := false
	for _, name := range names {
		if name == "null" {
			null = true
			continue
		}
		list = append(list, name)
	}
	if null {
		list = append(list, "null")
	}
	return article(strings.Join(list, " or "))
}

func exact(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func article(noun string) string {
	switch {
	case noun == "null" || strings.HasPrefix(noun, "null "):
		return noun
	case strings.IndexByte("aeiou", noun[0]) >= 0:
		return "an " + noun
	}
	return "a " + noun
}

func list(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	return strings.Join(quoted, ", ")
}

func values(wanted []any) string {
	texts := make([]string, len(wanted))
	for i, v := range wanted {
		if v == nil {
			texts[i] = "null"
			continue
		}
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
