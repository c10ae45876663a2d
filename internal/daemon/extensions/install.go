package extensions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/manifest"
	"meterbridge/bridge/policy"
	"meterbridge/bridge/registry"
	"meterbridge/dashboard"
)

// Plan is a package that was looked at and could be installed.
type Plan struct {
	desk *Desk
	// staged is a folder of ours with the package; empty for one that is used in place.
	staged string
	pkg    policy.Package
	ext    *bridge.Extension
	// known is what is installed under its name; nil for a new one.
	known *item
	// warnings are for the user.
	warnings []string
}

// Prepare looks at the package at path, a folder or an archive; with dev it is a
// folder that will be used in place. Nothing is installed yet: the plan must be
// given to Install or discarded.
func (d *Desk) Prepare(ctx context.Context, path string, dev bool) (*Plan, error) {
	if v := d.now.Load(); v.fault != nil {
		return nil, recordFault(v.fault)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("extensions: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &Fault{Err: fmt.Errorf("there is nothing at %s", path), Hint: "give a folder, a .tgz or a .zip", Nothing: true}
	}
	p := &Plan{desk: d, pkg: policy.Package{Source: path, Dev: dev}}
	if err := p.stage(ctx, path); err != nil {
		p.Discard()
		return nil, packageFault(err)
	}
	if err := p.read(); err != nil {
		p.Discard()
		return nil, packageFault(err)
	}
	return p, nil
}

func packageFault(err error) error {
	var told *Fault
	if errors.As(err, &told) || errors.Is(err, context.Canceled) {
		return err
	}
	return &Fault{Err: err, Hint: "what a package may hold is told in docs/extensions.md"}
}

// stage makes a copy of the package that nobody else writes to.
func (p *Plan) stage(ctx context.Context, path string) error {
	if p.pkg.Dev {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &Fault{Err: fmt.Errorf("%s is no folder", path), Hint: "--dev uses a folder in place; leave it out to install an archive", Wrong: true}
		}
		p.pkg.Folder = path
		return nil
	}
	parent := filepath.Join(p.desk.o.Folder, stagingFolder)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	var err error
	if p.staged, err = os.MkdirTemp(parent, "package-"); err != nil {
		return err
	}
	return unpack(ctx, path, p.staged, packageLimits())
}

// ManifestError is a manifest that cannot be used.
type ManifestError struct {
	File   string
	Issues []manifest.Issue
}

// Error implements error: one line per fault.
func (e *ManifestError) Error() string {
	lines := []string{e.File + " cannot be used:"}
	for _, i := range e.Issues {
		lines = append(lines, "  "+i.String())
	}
	return strings.Join(lines, "\n")
}

// read reads what was staged.
func (p *Plan) read() error {
	folder := p.folder()
	file, err := manifest.Find(os.DirFS(folder))
	if err != nil {
		return refused("%v", err)
	}
	ext, report := p.desk.parse(folder, file)
	if ext == nil {
		return &ManifestError{file, report.Issues}
	}
	if err := manifest.CheckPath(ext.Name); err != nil {
		return fmt.Errorf("%w: its name: %w", ErrPackage, err)
	}
	if ext.Name == modulesFolder || strings.HasPrefix(ext.Name, "state.") {
		return refused("the name %s is that of a file beside the packages", ext.Name)
	}
	p.ext, p.warnings = ext, report.Warnings
	p.pkg.Name, p.pkg.Dialect, p.pkg.Version, p.pkg.Manifest = ext.Name, ext.Dialect, ext.Version, file
	p.pkg.InstalledAt = p.desk.o.Now().UTC()
	if !p.pkg.Dev {
		if err := protect(folder); err != nil {
			return err
		}
		digest, err := policy.ReadTree(os.DirFS(folder))
		if err != nil {
			return err
		}
		p.pkg.Tree = policy.Digest(digest)
		p.pkg.Folder = ext.Name + "/" + ext.Version + "-" + digest.String()[:12]
	}
	p.compare()
	return nil
}

func (p *Plan) folder() string {
	if p.pkg.Dev {
		return p.pkg.Folder
	}
	return p.staged
}

// compare finds what is installed under the name, and the names that tools get.
func (p *Plan) compare() {
	v := p.desk.now.Load()
	p.known = v.find(p.pkg.Name)
	if p.known != nil {
		if was := p.known.pkg.Version; manifest.CompareVersions(p.pkg.Version, was) < 0 {
			p.warnings = append(p.warnings, fmt.Sprintf("version %s is older than the installed %s", p.pkg.Version, was))
		}
		if was := p.known.pkg.Dialect; was != p.pkg.Dialect {
			p.warnings = append(p.warnings, fmt.Sprintf("it was a %s before and is a %s now: every tool must be approved again", was, p.pkg.Dialect))
		}
	}
	p.warnings = append(p.warnings, nameWarnings(p.item().inst)...)
}

// nameWarnings tells of names that clients cut, and of tools that have none.
func nameWarnings(inst bridge.Installed) (warnings []string) {
	room := registry.RoomFor(0)
	for _, t := range inst.Tools {
		switch name := inst.Exposed[t.LocalID]; {
		case name == "":
			warnings = append(warnings, fmt.Sprintf("no name is left for the tool %s: agents will not see it", t.LocalID))
		case len(name) > room:
			warnings = append(warnings, fmt.Sprintf("%s is longer than the %d characters that clients have for it; agents see %s", name, room, registry.Shorten(name, room)))
		}
	}
	return warnings
}

// item is the package as it would be once installed, and approved as it is now.
func (p *Plan) item() *item {
	v := p.desk.now.Load()
	it := &item{pkg: p.pkg, warnings: p.warnings}
	next := *v.state
	next.Packages = append([]policy.Package{}, v.state.Packages...)
	next.Kept = append([]policy.Kept{}, v.state.Kept...)
	it.pkg = *next.Install(p.pkg)
	it.inst = bridge.Installed{Extension: *p.ext, Folder: p.folder(), Dev: p.pkg.Dev, Seq: it.pkg.Seq, Tree: bridge.Digest(p.pkg.Tree), Exposed: map[string]string{}, Approved: map[string]bool{}}
	it.inst.Granted = it.pkg.Approval.Granted(p.ext)
	for i := range p.ext.Tools {
		it.inst.Approved[p.ext.Tools[i].LocalID] = it.pkg.Approval.Approves(&p.ext.Tools[i])
	}
	it.name(registry.Assign(v.state.Names, append(v.installed(), it.inst)))
	return it
}

// Answer is what the user is to be shown before it is installed.
func (p *Plan) Answer() dashboard.ExtensionAnswer {
	return p.desk.answer(p.desk.now.Load(), p.item())
}

// From says where the package comes from, when that is not the folder that it was
// read from.
func (p *Plan) From(source string) { p.pkg.Source = source }

// New tells that nothing of this name was ever approved, so that the user must
// agree to all of it.
func (p *Plan) New() bool { return !p.item().pkg.Approval.Given }

// Discard gives up a plan.
func (p *Plan) Discard() {
	if p.staged != "" {
		p.desk.discard(p.staged)
		p.staged = ""
	}
}

// Choice is what the user decided about a plan or an approval.
type Choice struct {
	// Approve: they agreed to everything that they were shown.
	Approve bool
	// Optional are optional permissions that they grant.
	Optional []string
	// By is who they are, for the record.
	By string
}

// Install installs a plan. What was never approved is approved by the choice; an
// update is not: what changed stays hidden until Approve.
func (d *Desk) Install(p *Plan, c Choice) error {
	defer p.Discard()
	if p.pkg.Dev {
		ext, report := d.parse(p.pkg.Folder, p.pkg.Manifest)
		if ext == nil {
			return &ManifestError{p.pkg.Manifest, report.Issues}
		}
		if !sameTold(ext, p.ext) {
			return changedMeanwhile(p.pkg.Name)
		}
	}
	var old string
	err := d.change(func(s *policy.State) error {
		if was := s.Package(p.pkg.Name); was != nil && !was.Dev && was.Folder != p.pkg.Folder {
			old = was.Folder
		}
		if err := p.place(); err != nil {
			return err
		}
		pkg := s.Install(p.pkg)
		if c.Approve && !pkg.Approval.Given {
			if err := pkg.Approve(p.ext, policy.Consent{At: d.o.Now().UTC(), By: c.By, Optional: c.Optional}, ""); err != nil {
				return err
			}
		}
		inst := bridge.Installed{Extension: *p.ext, Seq: pkg.Seq}
		s.Names = registry.Assign(s.Names, []bridge.Installed{inst})
		return nil
	})
	if err == nil && old != "" {
		err = d.discardUnused(old)
	}
	return err
}

// discardUnused removes the folder of a package, unless another process has just
// installed that package again.
func (d *Desk) discardUnused(folder string) error {
	return d.record.locked(func() error {
		s, err := d.record.read()
		if err != nil || slices.ContainsFunc(s.Packages, func(p policy.Package) bool { return p.Folder == folder }) {
			return err
		}
		return removeTree(filepath.Join(d.o.Folder, filepath.FromSlash(folder)))
	})
}

// sameTold tells whether two readings of a manifest say the same.
func sameTold(a, b *bridge.Extension) bool {
	if len(a.Tools) != len(b.Tools) || a.Name != b.Name || len((&policy.Approval{
		Given: true, Permissions: b.Permissions, Command: b.Command, Main: b.Main, Env: b.Env, SecretsEnv: b.SecretsEnv,
	}).Wider(a)) > 0 {
		return false
	}
	for i := range a.Tools {
		if a.Tools[i].Digest != b.Tools[i].Digest {
			return false
		}
	}
	return true
}

func changedMeanwhile(name string) error {
	return &Fault{Err: fmt.Errorf("%s changed while it was looked at; nothing was done", name), Hint: "look at it again"}
}

// place moves what was staged to where it stays.
func (p *Plan) place() error {
	if p.staged == "" {
		return nil
	}
	to := filepath.Join(p.desk.o.Folder, filepath.FromSlash(p.pkg.Folder))
	if digest, err := policy.ReadTree(os.DirFS(to)); err == nil && policy.Digest(digest) == p.pkg.Tree {
		return nil // the same files are there already
	}
	if err := removeTree(to); err != nil {
		return fmt.Errorf("make room for the package: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(filepath.Dir(to), "data"), 0o700); err != nil {
		return fmt.Errorf("make the package's folder: %w", err)
	}
	if err := os.Rename(p.staged, to); err != nil {
		return fmt.Errorf("move the package to its place: %w", err)
	}
	p.staged = ""
	if err := os.Chmod(to, 0o555); err != nil {
		return fmt.Errorf("protect the package: %w", err)
	}
	return nil
}
