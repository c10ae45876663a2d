package pricing

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// schema is the only format that is priced with.
const schema = "agent-prices/1"

// localProvider is what provider_aliases calls the user's own server.
const localProvider = "@local"

// ErrTable is a price table that cannot be used.
var ErrTable = errors.New("unusable price table")

// document is a price table split into its providers; each is decoded when a
// request first needs it.
type document struct {
	head
	// aliases leads from a harness's word for a provider to the table's.
	aliases   map[string]string
	modifiers map[string]*modifiers
	providers map[string]*provider
}

// head is what identifies a table.
type head struct {
	Version string `json:"version"`
	AsOf    string `json:"as_of"`
}

// split finds the parts of a table without decoding the models.
func split(data []byte) (*document, error) {
	d := &document{aliases: map[string]string{}, modifiers: map[string]*modifiers{}, providers: map[string]*provider{}}
	form := ""
	err := members(data, func(key string, value []byte) error {
		switch key {
		case "schema":
			return json.Unmarshal(value, &form)
		case "version":
			return json.Unmarshal(value, &d.Version)
		case "as_of":
			return json.Unmarshal(value, &d.AsOf)
		case "provider_aliases":
			return d.readAliases(value)
		case "modifiers":
			m, err := parseModifiers(value)
			d.modifiers = m
			return err
		case "providers":
			return d.readProviders(value)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	case form != schema:
		return nil, fmt.Errorf("%w: schema is %.40q, not %q", ErrTable, form, schema)
	case d.Version == "" || len(d.providers) == 0:
		return nil, fmt.Errorf("%w: no version or no providers", ErrTable)
	}
	return d, nil
}

func (d *document) readAliases(value []byte) error {
	var aliases map[string]string
	if err := json.Unmarshal(value, &aliases); err != nil {
		return err
	}
	for name, target := range aliases {
		d.aliases[strings.ToLower(name)] = strings.ToLower(target)
	}
	return nil
}

func (d *document) readProviders(value []byte) error {
	return members(value, func(id string, raw []byte) error {
		name := strings.ToLower(id)
		if d.providers[name] != nil {
			return fmt.Errorf("provider %q is there twice", id)
		}
		d.providers[name] = &provider{id: id, raw: raw}
		return nil
	})
}

// canonical is the table's name of a provider: "bedrock" is "amazon-bedrock".
// name is in lower case; an unknown one is its own.
func (d *document) canonical(name string) string {
	if target, ok := d.aliases[name]; ok {
		return target
	}
	return name
}

// key is canonical, but keeps the names of own servers apart: a user's rule for
// one of them is not a rule for all.
func (d *document) key(name string) string {
	if target := d.canonical(name); target != localProvider {
		return target
	}
	return name
}

// known reports whether name is a provider or an alias of one.
func (d *document) known(name string) bool {
	_, isAlias := d.aliases[name]
	return isAlias || d.providers[name] != nil
}

// modifiersOf is empty for a provider of which the table says nothing.
func (d *document) modifiersOf(p *provider) *modifiers {
	if m := d.modifiers[strings.ToLower(p.id)]; m != nil {
		return m
	}
	return &modifiers{}
}
