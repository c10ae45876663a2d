package extensions

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/manifest"
	"meterbridge/bridge/policy"
	"meterbridge/bridge/registry"
)

// view is what there is and who may see it, at one time. It is never changed.
type view struct {
	mark  mark
	state *policy.State
	// fault is why the record cannot be relied on; then there is nothing else.
	fault error
	items []*item
	// targets are tools by their exposed names.
	targets map[string]target
	reports map[string]bridge.RunReport
}

// item is one installed package.
type item struct {
	pkg policy.Package
	// inst has the zero extension but for its name when the manifest is faulty.
	inst     bridge.Installed
	issues   []manifest.Issue
	warnings []string
	// mark is that of the manifest.
	mark mark
}

type target struct {
	it   *item
	tool *bridge.ExtensionTool
}

// look makes a view of the record and the packages as they are now.
func (d *Desk) look() *view {
	v := &view{mark: d.record.mark(), targets: map[string]target{}}
	v.state, v.fault = d.record.read()
	if v.fault != nil {
		v.state = &policy.State{}
		return v
	}
	for _, p := range v.state.Packages {
		v.items = append(v.items, d.item(p))
	}
	names := registry.Assign(v.state.Names, v.installed())
	for _, it := range v.items {
		it.name(names)
		for i := range it.inst.Tools {
			if exposed := it.inst.Exposed[it.inst.Tools[i].LocalID]; exposed != "" {
				v.targets[exposed] = target{it, &it.inst.Tools[i]}
			}
		}
	}
	v.reports = d.reports(v.items)
	return v
}

func (d *Desk) reports(items []*item) map[string]bridge.RunReport {
	reports := map[string]bridge.RunReport{}
	if d.o.Runtime == nil {
		return reports
	}
	for _, it := range items {
		reports[it.pkg.Name] = d.o.Runtime.Report(it.pkg.Name)
	}
	return reports
}

func (v *view) installed() []bridge.Installed {
	list := make([]bridge.Installed, 0, len(v.items))
	for _, it := range v.items {
		list = append(list, it.inst)
	}
	return list
}

func (v *view) find(name string) *item {
	for _, it := range v.items {
		if it.pkg.Name == name {
			return it
		}
	}
	return nil
}

// folder is where a package lies.
func (d *Desk) folder(p policy.Package) string {
	if p.Dev {
		return p.Folder
	}
	return filepath.Join(d.o.Folder, filepath.FromSlash(p.Folder))
}

// item looks at one package.
func (d *Desk) item(p policy.Package) *item {
	folder := d.folder(p)
	it := &item{pkg: p, mark: fileMark(filepath.Join(folder, p.Manifest))}
	ext, report := d.parse(folder, p.Manifest)
	it.issues, it.warnings = report.Issues, report.Warnings
	if ext != nil && ext.Name != p.Name {
		it.issues = []manifest.Issue{{Path: "/name", Code: manifest.CodeSemantic, Message: "was " + p.Name + " when it was installed; install it under its new name"}}
		ext = nil
	}
	if ext == nil {
		ext = &bridge.Extension{Name: p.Name, ShortName: p.Name, Dialect: p.Dialect, Version: p.Version, DisplayName: bridge.Localised{"en": p.Name}}
	}
	it.inst = bridge.Installed{
		Extension: *ext, Folder: folder, Data: filepath.Join(d.o.Folder, p.Name, "data"), Dev: p.Dev, Seq: p.Seq, Tree: bridge.Digest(p.Tree), Enabled: p.Enabled,
		Granted: p.Approval.Granted(ext), Exposed: map[string]string{}, Approved: map[string]bool{},
	}
	for i := range ext.Tools {
		it.inst.Approved[ext.Tools[i].LocalID] = p.Approval.Approves(&ext.Tools[i])
	}
	it.inst.Why = d.why(it, ext)
	it.inst.Runs = it.inst.Why == ""
	return it
}

// why says why an extension may not run, "" when it may.
func (d *Desk) why(it *item, ext *bridge.Extension) string {
	switch {
	case len(it.issues) > 0:
		return "its manifest cannot be used: " + it.issues[0].String()
	case !it.pkg.Approval.Given:
		return "not approved; `meterbridge ext approve " + it.pkg.Name + "` shows it and asks"
	case it.pkg.Off:
		return "turned off"
	}
	if !it.pkg.Dev {
		if got, err := d.tree(it.inst.Folder); err != nil || got != it.inst.Tree {
			return "changed on disk since it was installed; install it again"
		}
	}
	if wider := it.pkg.Approval.Wider(ext); len(wider) > 0 {
		return wider[0] + "; `meterbridge ext approve " + it.pkg.Name + "` shows it and asks"
	}
	return ""
}

// name gives the tools their exposed names.
func (it *item) name(names []policy.Name) {
	for _, n := range names {
		if n.Package == it.pkg.Name && it.inst.Tool(n.Tool) != nil {
			it.inst.Exposed[n.Tool] = n.Exposed
		}
	}
}

// parse reads the manifest of a package that lies in a folder.
func (d *Desk) parse(folder, file string) (*bridge.Extension, manifest.Report) {
	fault := func(err error) (*bridge.Extension, manifest.Report) {
		return nil, manifest.Report{Issues: []manifest.Issue{{Code: manifest.CodeSemantic, Message: err.Error()}}}
	}
	text, err := readBounded(filepath.Join(folder, file), manifest.MaxSize)
	if err != nil {
		return fault(err)
	}
	ext, report := manifest.Parse(file, text, manifest.Options{AppVersion: d.o.Version, OS: d.o.OS})
	if ext == nil {
		return nil, report
	}
	if report.Issues = manifest.CheckFiles(ext, os.DirFS(folder)); len(report.Issues) > 0 {
		return nil, report
	}
	if err := policy.SetDigests(ext); err != nil {
		return fault(err)
	}
	return ext, report
}

// usable tells whether an agent may call a tool, given the link where one is needed.
func (v *view) usable(t target) bool {
	report := v.reports[t.it.pkg.Name]
	return t.it.inst.Runs && t.it.inst.Approved[t.tool.LocalID] && v.on(t) &&
		report.State != bridge.StateFailed && !slices.Contains(report.Hidden, t.tool.LocalID)
}

// on tells whether the user has a tool turned on.
func (v *view) on(t target) bool {
	if t.it.pkg.Dialect.Switched() {
		return v.state.TurnedOn(t.it.pkg.Name, t.tool)
	}
	return !slices.Contains(t.it.pkg.ToolsOff, t.tool.LocalID)
}

// sees tells whether an agent sees an extension's tool. The user of this machine,
// who is no agent, sees none: nothing is linked to them.
func (v *view) sees(agent, exposed string) bool {
	t, found := v.targets[exposed]
	if !found || agent == "" || agent == bridge.Local || !v.usable(t) {
		return false
	}
	return t.it.pkg.Dialect.Switched() || v.state.Linked(t.it.pkg.Name, agent)
}

// stateOf is the word for how an extension stands.
func (v *view) stateOf(it *item) bridge.RunState {
	switch {
	case len(it.issues) == 0 && !it.pkg.Approval.Given:
		return bridge.StateInstalled
	case !it.inst.Runs:
		return bridge.StateOff
	}
	return cmp.Or(v.reports[it.pkg.Name].State, bridge.StateIdle)
}

func unknown(name string, items []*item) error {
	var names []string
	for _, it := range items {
		names = append(names, it.pkg.Name)
	}
	hint := "nothing is installed; `meterbridge ext install PATH` does that"
	if len(names) > 0 {
		hint = "installed are " + strings.Join(names, ", ")
	}
	return &Fault{Err: fmt.Errorf("there is no extension %q", name), Hint: hint, Nothing: true}
}

// installedAs is the item of that name, whose record can be relied on.
func (d *Desk) installedAs(name string) (*view, *item, error) {
	v := d.now.Load()
	if v.fault != nil {
		return nil, nil, recordFault(v.fault)
	}
	it := v.find(name)
	if it == nil {
		return nil, nil, unknown(name, v.items)
	}
	return v, it, nil
}
