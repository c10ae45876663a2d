package manifest

import (
	"fmt"

	"meterbridge/bridge"
)

// card reads neurosquad-card.json.
func (r *reader) card(v any) *bridge.Extension {
	o := r.object(v, "", "$schema", "manifestVersion", "name", "displayName", "version", "minAppVersion", "description", "author", "license",
		"homepage", "icon", "protocol", "entry", "card", "permissions", "settings", "ports", "tools", "keywords")
	ext := r.common(o, bridge.DialectCard)
	ext.Entry = "index.html"
	if o.has("entry") {
		ext.Entry = o.file("entry", ".html", ".htm")
	}
	r.sizes(o, ext)
	if o.has("ports") {
		ports := r.object(o.m["ports"], "/ports", "inputs", "outputs")
		ext.Inputs, ext.Outputs = r.ports(ports, "inputs"), r.ports(ports, "outputs")
	}
	if r.shaped() {
		r.commonMeaning(ext)
		r.sizesMeaning(ext)
		r.portsMeaning("/ports/inputs", ext.Name, ext.Inputs)
		r.portsMeaning("/ports/outputs", ext.Name, ext.Outputs)
	}
	return ext
}

// common reads what a card and a process have in common.
func (r *reader) common(o object, dialect bridge.Dialect) *bridge.Extension {
	o.need("manifestVersion", "name", "displayName", "version", "protocol")
	o.text("$schema", 0, 500)
	o.whole("manifestVersion", 1, 1, 1)
	ext := &bridge.Extension{
		Dialect:       dialect,
		Name:          o.word("name", isName, "2 to 48 of a-z, 0-9 and -, with a letter first"),
		DisplayName:   o.localised("displayName", 80),
		Description:   o.localised("description", 300),
		Version:       o.word("version", isVersion, "a semantic version such as 1.2.3"),
		MinAppVersion: o.word("minAppVersion", isVersion, "a semantic version such as 1.2.3"),
		Author:        r.author(o),
		License:       o.text("license", 1, 100),
		Homepage:      o.https("homepage"),
		Icon:          o.file("icon", ".png", ".webp"),
		Protocol:      o.whole("protocol", 1, 1000, Protocol),
		Keywords:      o.words("keywords", 0, 20, 40),
		Permissions:   r.permissions(o),
		Settings:      r.settings(o),
		Tools:         r.tools(o),
	}
	ext.ShortName = ext.Name
	return ext
}

func (r *reader) author(o object) string {
	if !o.has("author") {
		return ""
	}
	author := r.object(o.m["author"], o.at("author"), "name", "url")
	author.need("name")
	author.https("url")
	return author.text("name", 1, 100)
}

// The bounds and defaults of a card's page, in pixels.
const (
	leastWidth, mostWidth   = 200, 2400
	leastHeight, mostHeight = 120, 1800
)

func (r *reader) sizes(o object, ext *bridge.Extension) {
	ext.DefaultSize = bridge.Size{W: 420, H: 320}
	ext.MinSize, ext.MaxSize = bridge.Size{W: leastWidth, H: leastHeight}, bridge.Size{W: mostWidth, H: mostHeight}
	if !o.has("card") {
		return
	}
	card := r.object(o.m["card"], "/card", "defaultSize", "minSize", "maxSize")
	for key, size := range map[string]*bridge.Size{"defaultSize": &ext.DefaultSize, "minSize": &ext.MinSize, "maxSize": &ext.MaxSize} {
		if !card.has(key) {
			continue
		}
		in := r.object(card.m[key], card.at(key), "w", "h")
		in.need("w", "h")
		size.W = in.whole("w", leastWidth, mostWidth, size.W)
		size.H = in.whole("h", leastHeight, mostHeight, size.H)
	}
}

func (r *reader) sizesMeaning(ext *bridge.Extension) {
	d, least, most := ext.DefaultSize, ext.MinSize, ext.MaxSize
	if least.W > d.W || least.H > d.H || d.W > most.W || d.H > most.H {
		r.meaning("/card", fmt.Sprintf("the default size %d×%d must lie between the smallest, %d×%d, and the largest, %d×%d", d.W, d.H, least.W, least.H, most.W, most.H))
	}
}

// commonMeaning looks at what the parts of a manifest that is well formed mean.
func (r *reader) commonMeaning(ext *bridge.Extension) {
	if ext.Protocol > Protocol {
		r.note(Issue{"/protocol", CodeProtocol, fmt.Sprintf("needs a newer Meterbridge: it speaks protocol %d, this one %d", ext.Protocol, Protocol)})
	}
	if since := reservedPackage(ext.Name); since != "" {
		r.meaning("/name", "the name is reserved ("+since+")")
	}
	r.identityMeaning(ext)
	r.unique("/keywords", ext.Keywords)
	for _, word := range ext.Keywords {
		r.readable("/keywords", word, oneLine)
	}
	r.permissionsMeaning(ext)
	r.settingsMeaning(ext.Settings)
	r.toolsMeaning(ext, "/tools", "/inputSchema", "")
}

// identityMeaning refuses names that pretend, and texts that hide something.
func (r *reader) identityMeaning(ext *bridge.Extension) {
	for _, text := range ext.DisplayName {
		r.pretends("/displayName", text)
	}
	r.pretends("/author", ext.Author)
	r.readableIn("/displayName", ext.DisplayName, oneLine)
	r.readableIn("/description", ext.Description, severalLines)
	r.readable("/author", ext.Author, oneLine)
	r.readable("/license", ext.License, oneLine)
	r.readable("/homepage", ext.Homepage, oneLine)
}

func (r *reader) unique(path string, words []string) {
	seen := map[string]bool{}
	for _, word := range words {
		if seen[word] {
			r.meaning(path, fmt.Sprintf("%q comes twice", word))
		}
		seen[word] = true
	}
}
