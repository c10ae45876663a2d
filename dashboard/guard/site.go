package guard

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

func lower(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// host refuses names by which nobody should call the server: a page of another
// name that was made to lead to this machine carries that name.
func (g *Guard) host(r *http.Request) *refusal {
	name, ok := hostName(r.Host)
	if ok && (g.hosts[name] || loopback(name) || reached(r, name)) {
		return nil
	}
	return &refusal{
		reason: BadHost, status: http.StatusForbidden, detail: "the Host header names a server that this is not",
		hint: "call the server as localhost or 127.0.0.1, as the address that [serve] addr names, or by a name of [serve] hosts",
	}
}

// hostName is the name of a Host header without its port, in lower case.
func hostName(host string) (string, bool) {
	name, port := host, ""
	if strings.HasPrefix(host, "[") || strings.Count(host, ":") == 1 {
		if h, p, err := net.SplitHostPort(host); err == nil {
			name, port = h, p
		} else if rest, found := strings.CutPrefix(host, "["); found {
			name, found = strings.CutSuffix(rest, "]")
			if !found {
				return "", false
			}
		}
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	return strings.ToLower(name), name != ""
}

// loopback reports whether a name is a literal address of this machine itself.
func loopback(name string) bool {
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

// reached reports whether a name is the literal address that the connection came
// in at: where the user has the server listen on more than the loopback, no name
// stands between the client and it.
func reached(r *http.Request, name string) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Zone() == "" && ip.Unmap() == at.AddrPort().Addr().WithZone("").Unmap()
}

// origin refuses pages of other origins, also those of another port of this
// machine. Programs send no Origin.
func (g *Guard) origin(r *http.Request) *refusal {
	for _, origin := range r.Header.Values("Origin") {
		if !g.ownOrigin(r, origin) && !g.origins[lower(origin)] {
			return foreign("the Origin header names another site")
		}
	}
	// A page's own requests are same-origin; what a person opens is none or a navigation.
	site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	switch {
	case site == "" || site == "same-origin" || site == "none":
	case mode == "navigate" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
	case g.origins[lower(r.Header.Get("Origin"))]:
	default:
		return foreign("another site's page sent the request")
	}
	return nil
}

func foreign(detail string) *refusal {
	return &refusal{reason: BadOrigin, status: http.StatusForbidden, detail: detail, hint: "pages of other origins may not call this server"}
}

// ownOrigin reports whether origin is the server's own, as the request names it.
// A name that the user gave the server may be that of a proxy which speaks TLS.
func (g *Guard) ownOrigin(r *http.Request, origin string) bool {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	u, err := url.Parse(origin)
	if err == nil && u.Scheme == "https" && g.named[lower(u.Hostname())] {
		scheme = u.Scheme
	}
	return err == nil && u.Scheme == scheme && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" &&
		strings.EqualFold(u.Host, r.Host)
}
