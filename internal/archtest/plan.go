package archtest

// area is a top-level room of the house.
type area struct {
	// may lists the areas that this one may import, itself aside. "*" is all of those above it.
	may []string
	// owns lists the third-party modules that only this area may import.
	owns []string
}

// plan is the import table of docs/architecture.md; "" is the root package.
func plan() map[string]area {
	return map[string]area{
		"":          {},
		"pricing":   {may: []string{""}},
		"harnesses": {may: []string{""}, owns: []string{"modernc.org/sqlite", "github.com/klauspost/compress", "go.opentelemetry.io/collector/pdata"}},
		"agents": {may: []string{""}, owns: []string{
			"github.com/creack/pty", "github.com/charmbracelet/x/xpty", "github.com/clipperhouse/uax29", "github.com/clipperhouse/displaywidth",
		}},
		"scanner":   {may: []string{"", "harnesses"}, owns: []string{"github.com/fsnotify/fsnotify"}},
		"analytics": {may: []string{"", "pricing"}, owns: []string{"github.com/duckdb/duckdb-go"}},
		"bridge":    {may: []string{""}, owns: []string{"github.com/mark3labs/mcp-go", "github.com/santhosh-tekuri/jsonschema"}},
		"dashboard": {
			may:  []string{"", "analytics"},
			owns: []string{"github.com/prometheus/client_golang", "github.com/coder/websocket", "github.com/danielgtaylor/huma"},
		},
		"sdk": {},
		"internal": {
			may:  []string{"", "pricing", "harnesses", "agents", "scanner", "analytics", "bridge", "dashboard", "sdk"},
			owns: []string{"github.com/adrg/xdg"},
		},
		"cmd": {
			may:  []string{"", "internal"},
			owns: []string{"github.com/spf13/cobra", "charm.land/lipgloss", "charm.land/bubbletea", "github.com/vbauerster/mpb", "github.com/lmittmann/tint"},
		},
	}
}

// dataFolders are top-level folders without Go packages of the house.
func dataFolders() []string {
	return []string{"docs", "testdata"}
}

// refusedNames are package and file names that say nothing.
func refusedNames() []string {
	return []string{"util", "utils", "common", "misc", "base", "manager", "helper", "helpers", "shared"}
}
