package extensions

import (
	"cmp"
	"fmt"

	"meterbridge/bridge"
	"meterbridge/bridge/host"
	"meterbridge/bridge/manifest"
	"meterbridge/bridge/policy"
	"meterbridge/bridge/registry"
	"meterbridge/dashboard"
)

var _ dashboard.Extensions = (*Desk)(nil)

// ListExtensions implements dashboard.Extensions.
func (d *Desk) ListExtensions() dashboard.ExtensionList {
	v := d.now.Load()
	list := dashboard.ExtensionList{SchemaVersion: 1, Rows: []dashboard.ExtensionRow{}}
	if v.fault != nil {
		list.Problem = ptr(v.fault.Error())
	}
	for _, it := range v.items {
		list.Rows = append(list.Rows, v.row(it))
	}
	return list
}

// ListLinks implements dashboard.Extensions.
func (d *Desk) ListLinks() dashboard.ExtensionLinkList {
	list := dashboard.ExtensionLinkList{SchemaVersion: 1, Rows: []dashboard.ExtensionLink{}}
	for _, l := range d.now.Load().state.Links {
		list.Rows = append(list.Rows, dashboard.ExtensionLink{Extension: l.Extension, Agent: l.Agent, CreatedAt: l.At})
	}
	return list
}

// ShowExtension implements dashboard.Extensions.
func (d *Desk) ShowExtension(name string) (dashboard.ExtensionAnswer, error) {
	v, it, err := d.installedAs(name)
	if err != nil {
		return dashboard.ExtensionAnswer{}, err
	}
	return d.answer(v, it), nil
}

func ptr[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// hiddenTools is how many tools are not as they were approved.
func hiddenTools(it *item) (n int) {
	for _, t := range it.inst.Tools {
		if !it.inst.Approved[t.LocalID] {
			n++
		}
	}
	return n
}

func (v *view) row(it *item) dashboard.ExtensionRow {
	row := dashboard.ExtensionRow{
		Name: it.pkg.Name, DisplayName: it.inst.DisplayName.Text(), Dialect: string(it.pkg.Dialect), Version: it.inst.Version, Author: ptr(it.inst.Author),
		State: string(v.stateOf(it)), Why: ptr(it.inst.Why), Dev: it.pkg.Dev, Tools: len(it.inst.Tools), Links: []string{},
	}
	for i := range it.inst.Tools {
		if v.usable(target{it, &it.inst.Tools[i]}) {
			row.Usable++
		}
	}
	if reason := v.reports[it.pkg.Name].Reason; row.Why == nil && reason != "" {
		row.Why = &reason
	}
	if hidden := hiddenTools(it); row.Why == nil && it.inst.Runs && hidden > 0 {
		row.Why = ptr(fmt.Sprintf("%d of its tools wait for `meterbridge ext approve %s`", hidden, it.pkg.Name))
	}
	for _, l := range v.state.Links {
		if l.Extension == it.pkg.Name {
			row.Links = append(row.Links, l.Agent)
		}
	}
	return row
}

func (d *Desk) answer(v *view, it *item) dashboard.ExtensionAnswer {
	ext := &it.inst.Extension
	a := dashboard.ExtensionAnswer{
		SchemaVersion: 1, ExtensionRow: v.row(it), Description: ext.Description.Text(), Source: it.pkg.Source, Folder: it.inst.Folder,
		Tree: ptr(it.inst.Tree.String()), InstalledAt: it.pkg.InstalledAt, Command: d.command(it), Confinement: ptr(v.reports[it.pkg.Name].Confinement),
		Env: listed(ext.Env), SecretsEnv: listed(ext.SecretsEnv), Permissions: permissionAnswers(it), ToolList: []dashboard.ToolAnswer{},
		Settings: d.settingAnswers(it), Workspace: cmp.Or(it.pkg.Workspace, usualWorkspace), WorkspaceFolder: ptr(it.pkg.Files),
		Issues: []string{}, Warnings: listed(it.warnings), Changes: changeAnswers(it),
	}
	if it.pkg.Approval.Given {
		a.ApprovedAt = ptr(it.pkg.Approval.At)
	}
	if program, err := d.program(it, a.Command); err == nil {
		a.Program = ptr(program)
	} else {
		a.Warnings = append(a.Warnings, err.Error())
	}
	for _, issue := range it.issues {
		a.Issues = append(a.Issues, issue.String())
	}
	for i := range ext.Tools {
		a.ToolList = append(a.ToolList, v.tool(it, &ext.Tools[i]))
	}
	return a
}

// command is what starts the process: its own argv, or node with its module, or with
// what answers for a card without its page.
func (d *Desk) command(it *item) []string {
	switch ext := &it.inst.Extension; {
	case ext.Main != "":
		return []string{"node", "./" + ext.Main}
	case host.Headless(&it.inst):
		return []string{"node", "./" + host.HeadlessFile}
	default:
		return ext.Command
	}
}

// program is the file that a command starts.
func (d *Desk) program(it *item, argv []string) (string, error) {
	switch {
	case len(argv) == 0:
		return "", nil
	case len(argv[0]) > 1 && argv[0][:2] == "./":
		return argv[0], nil
	}
	path, err := d.o.Find(argv[0])
	if err != nil {
		return "", fmt.Errorf("%s needs the program %s, which is not on the PATH", it.pkg.Name, argv[0])
	}
	return path, nil
}

func permissionAnswers(it *item) []dashboard.PermissionAnswer {
	list := []dashboard.PermissionAnswer{}
	for _, p := range it.inst.Permissions {
		a := dashboard.PermissionAnswer{ID: p.ID, Hosts: listed(p.Hosts), Reason: ptr(p.Reason.Text()), Optional: p.Optional, Granted: policy.Allows(it.inst.Granted, p.ID)}
		for _, entry := range manifest.PermissionTable() {
			if entry.ID == p.ID {
				a.Risk, a.Meaning = entry.Risk, entry.Meaning
			}
		}
		list = append(list, a)
	}
	return list
}

func (v *view) tool(it *item, t *bridge.ExtensionTool) dashboard.ToolAnswer {
	exposed := it.inst.Exposed[t.LocalID]
	a := dashboard.ToolAnswer{
		ID: t.LocalID, Exposed: ptr(exposed), Title: ptr(t.Title), Description: registry.Description(&it.inst.Extension, t.Text),
		InputSchema: t.Input, OutputSchema: t.Output, ReadOnly: t.ReadOnly, TimeoutMs: t.Timeout.Milliseconds(), Digest: t.Digest.String(),
		Approved: it.inst.Approved[t.LocalID], On: v.on(target{it, t}), Usable: v.usable(target{it, t}),
	}
	if short := registry.Shorten(exposed, registry.RoomFor(0)); short != exposed {
		a.ShownAs = &short
	}
	if a.OutputSchema == nil {
		a.OutputSchema = []byte("null")
	}
	return a
}

// changeAnswers are the differences to what was approved; none before anything was.
func changeAnswers(it *item) []dashboard.ChangeAnswer {
	if !it.pkg.Approval.Given || len(it.issues) > 0 {
		return []dashboard.ChangeAnswer{}
	}
	changes, err := it.pkg.Approval.Changes(&it.inst.Extension)
	if err != nil {
		return []dashboard.ChangeAnswer{}
	}
	return ChangeAnswers(changes)
}

// ChangeAnswers are changes as they are answered.
func ChangeAnswers(changes []policy.Change) []dashboard.ChangeAnswer {
	list := []dashboard.ChangeAnswer{}
	for _, c := range changes {
		list = append(list, dashboard.ChangeAnswer{Kind: string(c.Kind), Tool: ptr(c.Tool), Field: ptr(c.Field), Old: ptr(c.Old), New: ptr(c.New)})
	}
	return list
}

// Finding is one thing about extensions that their user should know.
type Finding struct {
	// Extension is empty for what concerns all of them.
	Extension string `json:"extension"`
	Problem   string `json:"problem"`
	// Hint says what to do; empty when the problem says so itself.
	Hint string `json:"hint"`
}

// Doctor lists what is wrong with extensions and what their user should know.
func (d *Desk) Doctor() []Finding {
	v := d.now.Load()
	if v.fault != nil {
		return []Finding{{Problem: v.fault.Error(), Hint: restoreHint}}
	}
	list := []Finding{}
	for _, it := range v.items {
		add := func(problem, hint string) {
			list = append(list, Finding{it.pkg.Name, problem, hint})
		}
		if it.inst.Why != "" && !it.pkg.Off {
			add(it.inst.Why, "")
		}
		report := v.reports[it.pkg.Name]
		if report.State == bridge.StateFailed || report.State == bridge.StateCrashed {
			add(string(report.State)+": "+report.Reason, "`meterbridge ext disable "+it.pkg.Name+"` and enable it again after a repair")
		}
		if report.Confinement != "" && report.Confinement != "confined" {
			add(report.Confinement, "")
		}
		if hidden := hiddenTools(it); it.inst.Runs && hidden > 0 {
			add(fmt.Sprintf("%d of its tools are hidden until they are approved", hidden), "`meterbridge ext approve "+it.pkg.Name+"` shows what changed")
		}
		for _, w := range nameWarnings(it.inst) {
			add(w, "")
		}
		if argv := d.command(it); len(it.issues) == 0 {
			if _, err := d.program(it, argv); err != nil {
				add(err.Error(), "install it, or start the daemon with a PATH that has it")
			}
		}
	}
	return list
}
