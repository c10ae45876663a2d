package policy

import (
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/manifest"
)

// Closure adds to permissions what they imply, in the fixed order.
func Closure(list []bridge.Permission) []bridge.Permission {
	has := map[string]bridge.Permission{}
	for _, p := range list {
		has[p.ID] = p
	}
	table := manifest.PermissionTable()
	for range table { // a chain is no longer than the table
		for _, entry := range table {
			if _, granted := has[entry.ID]; !granted {
				continue
			}
			for _, implied := range entry.Implies {
				if _, there := has[implied]; !there {
					has[implied] = bridge.Permission{ID: implied}
				}
			}
		}
	}
	var closed []bridge.Permission
	for _, entry := range table {
		if p, granted := has[entry.ID]; granted {
			closed = append(closed, p)
		}
	}
	return closed
}

// Allows tells whether permissions, closed already, hold one.
func Allows(granted []bridge.Permission, id string) bool {
	return slices.ContainsFunc(granted, func(p bridge.Permission) bool { return p.ID == id })
}

// AllowsHost tells whether the permission network lets an extension reach a host
// on a port. The host is a name; an address is never in a list. What the name
// resolves to is the caller's to check.
func AllowsHost(granted []bridge.Permission, host, port string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, p := range granted {
		if p.ID == "network" && slices.ContainsFunc(p.Hosts, func(pattern string) bool { return matches(pattern, host, port) }) {
			return true
		}
	}
	return false
}

// matches holds a host against a pattern; a wildcard stands for sub-domains only.
func matches(pattern, host, port string) bool {
	name, wanted, found := strings.Cut(pattern, ":")
	if !found {
		wanted = "443"
	}
	if port != wanted {
		return false
	}
	if domain, wild := strings.CutPrefix(name, "*"); wild {
		return strings.HasSuffix(host, domain) && len(host) > len(domain) && host[0] != '.'
	}
	return host == name
}
