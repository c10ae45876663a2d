package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meterbridge/bridge"
)

// maxPermissions is the longest list of permissions in a manifest.
const maxPermissions = 32

// permissions reads what an extension asks for; entries of one id become one.
func (r *reader) permissions(o object) []bridge.Permission {
	var list []bridge.Permission
	for i, v := range o.list("permissions", 0, maxPermissions) {
		p := r.permission(v, o.entry("permissions", i))
		at := slices.IndexFunc(list, func(q bridge.Permission) bool { return q.ID == p.ID })
		if at < 0 {
			list = append(list, p)
			continue
		}
		q := &list[at]
		q.Optional = q.Optional && p.Optional
		if q.Reason == nil {
			q.Reason = p.Reason
		}
		q.Hosts = append(q.Hosts, p.Hosts...)
	}
	for i := range list {
		slices.Sort(list[i].Hosts)
		list[i].Hosts = slices.Compact(list[i].Hosts)
	}
	slices.SortStableFunc(list, func(a, b bridge.Permission) int {
		return cmp.Compare(permissionRank(a.ID), permissionRank(b.ID))
	})
	return list
}

func (r *reader) permission(v any, path string) bridge.Permission {
	o := object{r, path, map[string]any{"id": v}}
	if _, isText := v.(string); !isText {
		o = r.object(v, path, "id", "hosts", "reason", "optional")
		o.need("id")
	}
	return bridge.Permission{
		ID:     o.word("id", func(s string) bool { return permissionRank(s) >= 0 }, "a permission: "+strings.Join(permissionIDs(), ", ")),
		Hosts:  o.words("hosts", 0, 32, 260),
		Reason: o.localised("reason", 300), Optional: o.flag("optional"),
	}
}

func permissionIDs() (ids []string) {
	for _, p := range PermissionTable() {
		ids = append(ids, p.ID)
	}
	return ids
}

// permissionRank is the place of a permission in the fixed order, -1 of none.
func permissionRank(id string) int { return slices.Index(permissionIDs(), id) }

func (r *reader) permissionsMeaning(ext *bridge.Extension) {
	for _, p := range ext.Permissions {
		r.readableIn("/permissions", p.Reason, severalLines)
		if ext.Dialect == bridge.DialectProcess && pageOnly(p.ID) {
			r.meaning("/permissions", p.ID+" needs a page, which a process has not")
		}
		if p.ID != "network" {
			if len(p.Hosts) > 0 {
				r.meaning("/permissions", p.ID+" takes no hosts")
			}
			continue
		}
		if len(p.Hosts) == 0 {
			r.meaning("/permissions", "network needs the hosts that it is for")
		}
		for _, host := range p.Hosts {
			if why := hostFault(host); why != "" {
				r.meaning("/permissions", fmt.Sprintf("the host %q %s", host, why))
			}
		}
	}
}

func pageOnly(id string) bool {
	return slices.ContainsFunc(PermissionTable(), func(p PermissionEntry) bool { return p.ID == id && p.Page })
}

// hostFault is what is wrong with the pattern of a host, "" for nothing.
func hostFault(pattern string) string {
	name, port, hasPort := strings.Cut(pattern, ":")
	if hasPort {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port[0] == '0' || port[0] == '+' {
			return "has no port from 1 to 65535, or is more than a name and a port"
		}
	}
	name = strings.TrimPrefix(name, "*.")
	labels := strings.Split(name, ".")
	if last := labels[len(labels)-1]; last == "localhost" {
		return "is this machine: that is the permission network.local"
	} else if len(labels) < 2 || numeric(last) {
		return "must be a name of at least two parts, such as api.example.com or *.example.com"
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || !letters(label, digits+"-") {
			return "must be a lower-case name, without scheme, path, @ or more than one leading *."
		}
	}
	if len(name) > 253 {
		return "is too long"
	}
	return ""
}
