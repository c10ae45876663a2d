package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/schema"
)

// ImportFile is the manifest of an MCP server that the user imported. The command
// `ext import` writes it.
const ImportFile = "meterbridge-import.json"

// Import is such a manifest.
type Import struct {
	ManifestVersion int               `json:"manifestVersion"`
	Protocol        int               `json:"protocol"`
	Name            string            `json:"name"`
	DisplayName     bridge.Localised  `json:"displayName"`
	Version         string            `json:"version"`
	Server          ImportServer      `json:"server"`
	Env             []string          `json:"env,omitempty"`
	SecretsEnv      []string          `json:"secretsEnv,omitempty"`
	Permissions     []ImportPermitted `json:"permissions,omitempty"`
	Tools           []ImportTool      `json:"tools"`
}

// ImportPermitted is a permission of the server's process.
type ImportPermitted struct {
	ID    string   `json:"id"`
	Hosts []string `json:"hosts,omitempty"`
}

// ImportServer is how the server is reached: a command, or an address.
type ImportServer struct {
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	// AuthorizationEnv is the variable with the value of the header Authorization.
	AuthorizationEnv string `json:"authorizationEnv,omitempty"`
}

// ImportTool is a tool as the server told of it when it was imported.
type ImportTool struct {
	// Name is the local id, ServerName the server's own.
	Name        string          `json:"name"`
	ServerName  string          `json:"serverName"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	ReadOnly    bool            `json:"readOnly,omitempty"`
}

// ReadImport reads the manifest of an imported server that was checked before.
func ReadImport(text []byte) (m Import, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read the manifest of an imported server: %w", err)
	}
	return m, nil
}

// The bounds of an imported server: wider than those of authors of ours, who can
// keep to them.
const (
	importTools       = 256
	importDescription = 8000
	importTimeout     = 30 * time.Second
)

// imported reads meterbridge-import.json.
func (r *reader) imported(v any) *bridge.Extension {
	o := r.object(v, "", "manifestVersion", "protocol", "name", "displayName", "version", "server", "env", "secretsEnv", "permissions", "tools")
	o.need("server", "tools")
	tools := r.importedTools(o)
	delete(o.m, "tools") // they are not those of common
	ext := r.common(o, bridge.DialectMCP)
	ext.Tools = tools
	ext.Env, ext.SecretsEnv = r.variables(o, "env", 32), r.variables(o, "secretsEnv", 8)
	s := r.object(o.m["server"], "/server", "command", "url", "authorizationEnv")
	if s.has("command") {
		ext.Command = r.command(s)
	}
	ext.URL = s.text("url", 1, 2000)
	if r.shaped() && (len(ext.Command) > 0) == (ext.URL != "") {
		r.shape("/server", "needs either command or url")
	}
	if name := s.text("authorizationEnv", 1, 64); name != "" && !slices.Contains(ext.SecretsEnv, name) {
		r.meaning("/server/authorizationEnv", name+" is not in secretsEnv")
	}
	if r.shaped() {
		r.importedMeaning(ext)
	}
	return ext
}

func (r *reader) importedTools(o object) []bridge.ExtensionTool {
	var list []bridge.ExtensionTool
	for i, v := range o.list("tools", 0, importTools) {
		in := r.object(v, o.entry("tools", i), "name", "serverName", "title", "description", "inputSchema", "readOnly")
		in.need("name", "serverName", "description", "inputSchema")
		in.text("serverName", 1, 200)
		list = append(list, bridge.ExtensionTool{
			LocalID:  in.word("name", isTool, "1 to 40 of a-z, 0-9 and _, with a letter first"),
			Title:    in.text("title", 1, 200),
			Text:     in.text("description", 1, importDescription),
			Input:    in.schema("inputSchema"),
			ReadOnly: in.flag("readOnly"),
			Timeout:  importTimeout,
		})
	}
	return list
}

// importedMeaning looks at names and texts as for all, and at schemas by the full
// validator: the server did not keep to our subset.
func (r *reader) importedMeaning(ext *bridge.Extension) {
	if since := reservedPackage(ext.Name); since != "" {
		r.meaning("/name", "the name is reserved ("+since+")")
	}
	r.identityMeaning(ext)
	r.permissionsMeaning(ext)
	for i, arg := range ext.Command {
		r.readable(fmt.Sprintf("/server/command/%d", i), arg, oneLine)
	}
	r.readable("/server/url", ext.URL, oneLine)
	for _, name := range ext.Env {
		if changesPrograms(name) {
			r.meaning("/env", name+" is never passed on")
		}
	}
	seen := map[string]bool{}
	for i, t := range ext.Tools {
		path := fmt.Sprintf("/tools/%d", i)
		if why := r.toolName(ext, t.LocalID, seen); why != "" {
			r.meaning(path, why)
		}
		seen[t.LocalID] = true
		r.readable(path+"/title", t.Title, oneLine)
		r.readable(path+"/description", t.Text, severalLines)
		r.schemaReadable(path+"/inputSchema", t.Input)
		if _, err := schema.Compile(t.Input); err != nil {
			r.meaning(path+"/inputSchema", err.Error())
		}
	}
}
