package schema

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The bounds of an evaluation.
const (
	mostSteps      = 200_000
	mostIssues     = 20
	valueDepth     = 64
	mostValueNodes = 200_000
	deepestRef     = 32
	// charsPerStep is how much canonical JSON is compared in one step.
	charsPerStep = 64
)

// spot is a place in a value; nil is the whole value.
type spot struct {
	up    *spot
	token string
}

func (s *spot) pointer() string {
	if s == nil {
		return ""
	}
	var tokens []string
	for ; s != nil; s = s.up {
		tokens = append(tokens, "/"+escape(s.token))
	}
	var b strings.Builder
	for i := len(tokens) - 1; i >= 0; i-- {
		b.WriteString(tokens[i])
	}
	return b.String()
}

// evaluation is one value held against one document.
type evaluation struct {
	doc    *document
	steps  int
	refs   int
	issues []Issue
	// quiet: only the verdict is wanted, as in a branch of anyOf.
	quiet int
	// spent: the budget is used up, and nothing more is looked at.
	spent bool
}

func (d *document) check(text json.RawMessage) []Issue {
	v, err := decode(text)
	if err != nil {
		return []Issue{{Message: "not valid JSON"}}
	}
	nodes := 0
	if issue := measure(v, nil, 1, &nodes); issue != nil {
		return []Issue{*issue}
	}
	e := &evaluation{doc: d}
	e.fits(d.root, v, nil)
	return e.issues
}

// measure counts what a value has, and finds numbers that are too large.
func measure(v any, at *spot, depth int, nodes *int) *Issue {
	if *nodes++; *nodes > mostValueNodes {
		return &Issue{Message: "has too many values"}
	}
	if depth > valueDepth {
		return &Issue{Path: at.pointer(), Message: "is nested too deep"}
	}
	switch v := v.(type) {
	case json.Number:
		if _, _, ok := number(string(v)); !ok {
			return &Issue{Path: at.pointer(), Message: "is too large a number"}
		}
	case []any:
		for i, item := range v {
			if issue := measure(item, at.item(i), depth+1, nodes); issue != nil {
				return issue
			}
		}
	case map[string]any:
		for key, item := range v {
			if issue := measure(item, at.member(key), depth+1, nodes); issue != nil {
				return issue
			}
		}
	}
	return nil
}

// say notes a fault, unless only the verdict is wanted. It returns false, the
// verdict.
func (e *evaluation) say(at *spot, keyword, message string) bool {
	if e.quiet == 0 && len(e.issues) < mostIssues {
		e.issues = append(e.issues, Issue{Path: at.pointer(), Keyword: keyword, Message: message})
	}
	return false
}

// step uses up the budget.
func (e *evaluation) step(n int) bool {
	if e.steps += n; e.steps <= mostSteps {
		return true
	}
	if !e.spent {
		e.spent = true
		// It is said even in a branch, as the verdict is nobody's.
		e.issues = append(e.issues, Issue{Message: "takes too much work to check; send less"})
	}
	return false
}

// fits tells whether a value fits a node, and notes why not.
func (e *evaluation) fits(n *node, v any, at *spot) bool {
	if !e.step(1) {
		return false
	}
	ok := true
	also := func(fit bool) bool {
		ok = ok && fit
		return ok || e.quiet == 0 && !e.spent && len(e.issues) < mostIssues
	}
	if n.ref != "" && !also(e.refers(n, v, at)) {
		return false
	}
	if n.types != nil && !isOf(v, n.types) {
		// What a value of another type lacks besides would only confuse.
		return e.say(at, "type", "is "+article(typeOf(v))+", must be "+kinds(n.types))
	}
	_ = also(e.compares(n, v, at)) && also(e.chooses(n, v, at)) && also(e.measures(n, v, at))
	return ok && !e.spent
}

func (e *evaluation) refers(n *node, v any, at *spot) bool {
	if e.refs++; e.refs > deepestRef {
		e.refs--
		return e.say(at, "$ref", "is nested too deep for its schema")
	}
	defer func() { e.refs-- }()
	if n.ref == "#" {
		return e.fits(e.doc.root, v, at)
	}
	return e.fits(e.doc.defs[unescape(strings.TrimPrefix(n.ref, "#/$defs/"))], v, at)
}

// compares holds a value against enum and const.
func (e *evaluation) compares(n *node, v any, at *spot) bool {
	if n.enum == nil && n.constant == nil {
		return true
	}
	text := text(v)
	if !e.step(1 + len(text)/charsPerStep) {
		return false
	}
	ok := true
	if n.constant != nil && *n.constant != text {
		ok = e.say(at, "const", "must be "+values([]any{n.constShown}))
	}
	if n.enum == nil {
		return ok
	}
	for _, allowed := range n.enum {
		if !e.step(1 + min(len(allowed), len(text))/charsPerStep) {
			return false
		}
		if allowed == text {
			return ok
		}
	}
	return e.say(at, "enum", "must be one of "+values(n.enumShown))
}

// chooses holds a value against anyOf and oneOf.
func (e *evaluation) chooses(n *node, v any, at *spot) bool {
	ok := true
	if n.anyOf != nil && e.fitting(n.anyOf, v, at, 1) == 0 {
		ok = e.say(at, "anyOf", "fits none of the allowed forms")
	}
	if n.oneOf == nil {
		return ok
	}
	switch e.fitting(n.oneOf, v, at, 2) {
	case 0:
		ok = e.say(at, "oneOf", "fits none of the allowed forms")
	case 2:
		ok = e.say(at, "oneOf", "fits more than one of the allowed forms")
	}
	return ok
}

// fitting counts the forms that a value fits, up to enough.
func (e *evaluation) fitting(forms []*node, v any, at *spot, enough int) int {
	e.quiet++
	defer func() { e.quiet-- }()
	count := 0
	for _, form := range forms {
		if e.fits(form, v, at) {
			if count++; count == enough {
				break
			}
		}
		if e.spent {
			break
		}
	}
	return count
}

// text is the canonical JSON of a value, whose numbers have been measured.
func text(v any) string {
	var b bytes.Buffer
	_ = canonical(&b, v)
	return b.String()
}
