// Package fetch makes the requests of extensions: to hosts that their user agreed
// to, over https, never to addresses inside of a network, and to servers of this
// computer only with a permission of its own. Each redirect is held against the same
// rules. It imports bridge and bridge/policy; bridge/host calls it, after it has asked
// for the permission.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/policy"
)

// The bounds of a request and its answer, in bytes.
const (
	MaxRequest  = 5 << 20
	MaxResponse = 10 << 20
)

// Redirects are how many are followed.
const Redirects = 5

// The codes of what can go wrong besides those of package bridge.
const (
	CodeHost    = "HOST_NOT_ALLOWED"
	CodeNetwork = "NETWORK_ERROR"
)

// Request is what an extension asks for.
type Request struct {
	URL, Method string
	Headers     map[string]string
	Body        []byte
	// Timeout is 1 to 120 s.
	Timeout time.Duration
	// Granted are the permissions of the extension.
	Granted []bridge.Permission
	// Secret is the value of a secret setting, false when it is not declared or not set.
	Secret func(key string) (string, bool)
}

// Response is an answer whose body has not been read; it must be closed.
type Response struct {
	Status     int
	StatusText string
	// Headers have lower-case keys.
	Headers map[string]string
	// URL is that which answered.
	URL  string
	body io.ReadCloser
	end  context.CancelFunc
}

// Client makes requests. The zero value is valid.
type Client struct {
	// Lookup finds the addresses of a name; nil asks the system.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// TLS is for servers of tests; nil trusts what the system does.
	TLS *tls.Config
	// Public tells addresses that may be reached over the network permission; nil is
	// all that are not inside of a network.
	Public func(netip.Addr) bool
}

// Do makes a request. Whatever a server answers is no error, redirects that lead
// too far are.
func (c Client) Do(ctx context.Context, r Request) (*Response, error) {
	at, err := url.Parse(r.URL)
	if err != nil {
		return nil, bridge.Refuse(bridge.CodeInvalidParams, "url: is none")
	}
	headers, secret, err := headersOf(r)
	if err != nil {
		return nil, err
	}
	if err := allowed(at, r.Granted); err != nil {
		return nil, err
	}
	if len(r.Body) > MaxRequest {
		return nil, bridge.Refuse(bridge.CodeTooLarge, "the body of a request has at most %d MiB", MaxRequest>>20)
	}
	ctx, end := context.WithTimeout(ctx, r.Timeout)
	request, err := http.NewRequestWithContext(ctx, r.Method, at.String(), body(r.Body))
	if err != nil {
		end()
		return nil, bridge.Refuse(bridge.CodeInvalidParams, "url: cannot be asked")
	}
	request.Header = headers
	answer, err := c.client(r.Granted, secret).Do(request)
	if err != nil {
		end()
		return nil, failed(ctx, err)
	}
	told := &Response{
		Status: answer.StatusCode, StatusText: http.StatusText(answer.StatusCode), Headers: map[string]string{}, URL: answer.Request.URL.String(), body: answer.Body, end: end,
	}
	for name, values := range answer.Header {
		told.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return told, nil
}

func body(b []byte) io.Reader {
	if b == nil {
		return http.NoBody
	}
	return strings.NewReader(string(b))
}

// client follows redirects by the rules. Each request has a client of its own: a
// connection that one extension opened is no other's.
func (c Client) client(granted []bridge.Permission, secret []string) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: c.dial, TLSClientConfig: c.TLS.Clone(), DisableKeepAlives: true, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > Redirects {
				return bridge.Refuse(CodeNetwork, "it redirects more than %d times", Redirects)
			}
			if next.URL.Host != via[0].URL.Host || next.URL.Scheme != via[0].URL.Scheme {
				for _, name := range secret { // a secret is for whom it was sent to
					next.Header.Del(name)
				}
			}
			next.Header.Del("Referer")
			return allowed(next.URL, granted)
		},
	}
}

// allowed holds an address against the permissions. What a name resolves to is seen
// when it is dialled.
func allowed(at *url.URL, granted []bridge.Permission) error {
	host, port := strings.TrimSuffix(strings.ToLower(at.Hostname()), "."), at.Port()
	switch {
	case at.User != nil:
		return bridge.Refuse(bridge.CodeInvalidParams, "url: must not hold credentials; a header may")
	case at.Scheme != "http" && at.Scheme != "https" || host == "":
		return bridge.Refuse(bridge.CodeInvalidParams, "url: must be an address of http or https")
	case isLocal(host):
		if !policy.Allows(granted, "network.local") {
			return bridge.Refuse(CodeHost, "%s is this computer, which needs the permission network.local", host)
		}
		return nil
	case at.Scheme != "https":
		return bridge.Refuse(CodeHost, "%s is reached over https only", host)
	}
	if port == "" {
		port = "443"
	}
	if !policy.AllowsHost(granted, host, port) {
		return bridge.Refuse(CodeHost, "%s is not among the hosts that its user agreed to", net.JoinHostPort(host, port))
	}
	return nil
}

// isLocal tells whether a host is this computer by its name or address.
func isLocal(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// dial connects to a host that is allowed by its name, if its address is too: one
// that was looked up here, not one that is looked up again.
func (c Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	addrs, err := c.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	var dialer net.Dialer
	for _, addr := range addrs {
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, network, netip.AddrPortFrom(addr, number(port)).String()); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func number(port string) uint16 {
	var n uint16
	_, _ = fmt.Sscan(port, &n) // net/http has looked at it
	return n
}

// addresses are those of a host that may be reached.
func (c Client) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if isLocal(host) {
		if addr, err := netip.ParseAddr(host); err == nil {
			return []netip.Addr{addr}, nil
		}
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	lookup, public := c.Lookup, c.Public
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if public == nil {
		public = Public
	}
	found, err := lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, addr := range found {
		if !public(addr.Unmap()) {
			return nil, bridge.Refuse(CodeHost, "%s is an address inside of a network", host)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("it has no address")
	}
	return found, nil
}

// Public tells whether an address is one of the internet, and not inside of a
// network, of this computer, or of many.
func Public(addr netip.Addr) bool {
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() {
		return false
	}
	for _, inside := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
	} {
		if netip.MustParsePrefix(inside).Contains(addr) {
			return false
		}
	}
	return true
}

// failed is why a request was not answered.
func failed(ctx context.Context, err error) error {
	var told *bridge.ToolError
	var at *url.Error
	switch {
	case errors.As(err, &told):
		return told
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return bridge.Refuse(bridge.CodeTimeout, "the server did not answer in time")
	case ctx.Err() != nil:
		return bridge.Refuse(bridge.CodeUserCancelled, "the request was given up")
	case errors.As(err, &at):
		err = at.Err // the address may hold what is not for logs
	}
	return bridge.Refuse(CodeNetwork, "the server cannot be reached: %v", err)
}
