// Package crush reads the databases that Crush keeps, one in each project: what
// sessions cost, and their messages. It imports the domain, the contract of a
// harness, the readers of JSON and of running totals, and the SQLite access;
// harnesses/all lists it and the scanner calls its parser.
package crush

import (
	"os"
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/snapshot"
)

const (
	id = "crush"
	// store is the name space of request ids: messages, and the costs of sessions.
	store = "messages"
)

// Harness describes Crush.
func Harness() harnesses.Harness {
	return snapshot.Only(harnesses.Harness{
		ID:            id,
		Name:          "Crush",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
	}, "crush.db", harnesses.Kind{Name: "database", Totals: true}, openDatabase)
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "sessions.cost, the total of a session in USD; 0 for flat rates and estimated usage",
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerSession,
		UsageReadable: true,
		NeverReported: []string{"input", "output", "reasoning", "cacheRead", "cacheWrite"},
		Gaps: []string{
			"The counts of tokens in the database are the size of the last call's context: they are no usage and are not read.",
			"Requests have times, models and tools and no cost; the cost is a session's: what it was at first sight is one row, what it grows while Meterbridge looks on are further ones. These rows count as no requests.",
			"The cost of a sub-agent's session is in its parent's.",
			"Projects are those of projects.json when Meterbridge starts. A data folder outside its project tells no folder. The git branch is not recorded.",
		},
		Layouts: []string{"<project>/.crush/crush.db (options.data_directory moves it): SQLite with the tables sessions and messages"},
	}
}

// places are the data folders of all projects that Crush knows, and its own.
func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	usual := l.Data("crush")
	if local := env.Getenv("LOCALAPPDATA"); env.OS == "windows" && filepath.IsAbs(local) {
		usual = filepath.Join(local, "crush")
	}
	own := l.Moved("CRUSH_GLOBAL_DATA", usual).All()[0].Path
	content, err := os.ReadFile(filepath.Join(own, "projects.json"))
	if err != nil {
		return l.All()
	}
	o, _ := jsonvalue.Parse(content)
	for _, v := range o["projects"].Elements() {
		p := v.Object()
		project, data := p["path"].Text(), p["data_dir"].Text()
		switch {
		case filepath.IsAbs(data):
			l.Also(filepath.Clean(data))
		case filepath.IsAbs(project) && data != "":
			l.Also(filepath.Join(project, data))
		case filepath.IsAbs(project):
			l.Also(filepath.Join(project, ".crush"))
		}
	}
	return l.All()
}

// projectOf is the project whose usual data folder holds a database.
func projectOf(path string) string {
	if data := filepath.Dir(path); filepath.Base(data) == ".crush" {
		return filepath.Dir(data)
	}
	return ""
}
