package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The bounds of a schema of the subset.
const (
	mostNodes     = 500
	deepest       = 16
	mostForms     = 16
	mostEnum      = 256
	enumBytes     = 16 << 10
	constBytes    = 4 << 10
	mostComplaint = 50
)

// node is one schema of a document, ready to be evaluated. A nil pointer or map
// is an absent keyword.
type node struct {
	ref        string
	types      []string
	enum       []string // canonical JSON
	enumShown  []any
	constant   *string // canonical JSON
	constShown any
	required   []string
	properties map[string]*node
	// extra is additionalProperties as a schema, closed that it is false.
	extra  *node
	closed bool
	items  *node
	unique bool

	minProperties, maxProperties, minItems, maxItems, minLength, maxLength *int

	minimum, maximum, above, below, multiple *float64

	format   string
	isFormat func(string) bool

	anyOf, oneOf []*node
}

// document is a whole schema.
type document struct {
	root *node
	defs map[string]*node
}

// Subset compiles a schema of the subset of bridge.md section 6. Without issues
// the schema can be used; the issues' paths are within the schema's own text.
func Subset(text json.RawMessage) (*Schema, []Issue) {
	v, err := decode(text)
	if err != nil {
		return nil, []Issue{{Message: err.Error()}}
	}
	c := &compiler{doc: &document{defs: map[string]*node{}}}
	c.doc.root = c.schema(v, "", 1)
	for _, ref := range c.refs {
		if name, ok := strings.CutPrefix(ref.to, "#/$defs/"); ok && c.doc.defs[unescape(name)] == nil {
			c.wrong(ref.at, "$ref", "nothing is defined under "+strconv.Quote(ref.to))
		}
	}
	if len(c.issues) > 0 {
		return nil, c.issues
	}
	return &Schema{subset: c.doc}, nil
}

// compiler makes nodes of a schema's JSON and collects what is wrong with it.
type compiler struct {
	doc    *document
	nodes  int
	issues []Issue
	refs   []reference
}

type reference struct{ at, to string }

func (c *compiler) wrong(at, keyword, message string) {
	if len(c.issues) < mostComplaint {
		c.issues = append(c.issues, Issue{Path: at, Keyword: keyword, Message: message})
	}
}

// schema makes the node of one schema; what is wrong with it is collected.
func (c *compiler) schema(v any, at string, depth int) *node {
	n := &node{}
	object, ok := v.(map[string]any)
	if !ok {
		c.wrong(at, "", "a schema must be an object")
		return n
	}
	if c.nodes++; c.nodes > mostNodes {
		if c.nodes == mostNodes+1 {
			c.wrong(at, "", fmt.Sprintf("the schema has more than %d parts", mostNodes))
		}
		return n
	}
	if depth > deepest {
		c.wrong(at, "", fmt.Sprintf("the schema is nested deeper than %d", deepest))
		return n
	}
	for _, key := range sortedKeys(object) {
		c.keyword(n, key, object[key], place{at + "/" + escape(key), depth, at == ""})
	}
	return n
}

// place is where a keyword stands.
type place struct {
	at    string
	depth int
	// root: in the outermost schema.
	root bool
}

// keyword takes up one keyword.
func (c *compiler) keyword(n *node, key string, v any, p place) {
	if c.applicator(n, key, v, p) || c.assertion(n, key, v, p.at) || c.bound(n, key, v, p.at) || c.note(key, v, p.at) {
		return
	}
	if key == "pattern" {
		c.wrong(p.at, key, "unsupported keyword: patterns can take for ever to match; use enum, format or maxLength")
		return
	}
	c.wrong(p.at, key, "unsupported keyword")
}

// applicator takes up keywords that hold schemas.
func (c *compiler) applicator(n *node, key string, v any, p place) bool {
	switch key {
	case "$ref":
		c.reference(n, v, p.at)
	case "$defs":
		defs := c.schemas(key, v, p)
		if p.root {
			c.doc.defs = defs
		}
	case "properties":
		n.properties = c.schemas(key, v, p)
	case "additionalProperties":
		if allowed, ok := v.(bool); ok {
			n.closed = !allowed
			break
		}
		n.extra = c.schema(v, p.at, p.depth+1)
	case "items":
		n.items = c.schema(v, p.at, p.depth+1)
	case "anyOf":
		n.anyOf = c.forms(key, v, p)
	case "oneOf":
		n.oneOf = c.forms(key, v, p)
	default:
		return false
	}
	return true
}

func (c *compiler) reference(n *node, v any, at string) {
	to, ok := v.(string)
	if !ok || to != "#" && !strings.HasPrefix(to, "#/$defs/") || strings.Count(to, "/") > 2 {
		c.wrong(at, "$ref", "a $ref must be # or #/$defs/NAME; nothing is fetched")
		return
	}
	n.ref = to
	c.refs = append(c.refs, reference{at, to})
}

func (c *compiler) schemas(key string, v any, p place) map[string]*node {
	object, ok := v.(map[string]any)
	if !ok {
		c.wrong(p.at, key, "must be an object of schemas")
		return nil
	}
	list := make(map[string]*node, len(object))
	for _, name := range sortedKeys(object) {
		list[name] = c.schema(object[name], p.at+"/"+escape(name), p.depth+1)
	}
	return list
}

func (c *compiler) forms(key string, v any, p place) []*node {
	list, ok := v.([]any)
	if !ok || len(list) == 0 || len(list) > mostForms {
		c.wrong(p.at, key, fmt.Sprintf("must be a list of 1 to %d schemas", mostForms))
		return nil
	}
	var nodes []*node
	for i, item := range list {
		nodes = append(nodes, c.schema(item, p.at+"/"+strconv.Itoa(i), p.depth+1))
	}
	return nodes
}

// escape makes a token of a JSON pointer, unescape undoes it.
func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

func unescape(token string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(token) }
