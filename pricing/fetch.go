package pricing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// fetchTimeout bounds the whole exchange.
	fetchTimeout = 30 * time.Second
	// maxFetched bounds what is read of a source, before it is unpacked.
	maxFetched = 16 << 20
)

var (
	errAddress  = errors.New("only https, or http on loopback")
	errRedirect = errors.New("redirect to another host refused")
	errStatus   = errors.New("unexpected answer")
)

// fetch reads a source: "embedded", an address, or a file.
func fetch(ctx context.Context, from string) ([]byte, error) {
	if from == "embedded" {
		return embeddedData(), nil
	}
	data, err := read(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("read prices from %s: %w", from, err)
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return unpack(data, maxUnpacked)
	}
	return data, nil
}

func read(ctx context.Context, from string) ([]byte, error) {
	if strings.Contains(from, "://") {
		return download(ctx, from)
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

func bounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFetched+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFetched {
		return nil, fmt.Errorf("%w: larger than %d bytes", ErrTable, maxFetched)
	}
	return data, nil
}

func download(ctx context.Context, from string) ([]byte, error) {
	u, err := url.Parse(from)
	if err != nil {
		return nil, err
	}
	if !allowedAddress(u) {
		return nil, errAddress
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	// Asked for by hand, so that the limit holds for what comes over the wire.
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := client().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: %s", errStatus, resp.Status)
	}
	return bounded(resp.Body)
}

// client follows redirects within one host only, never from https to http.
func client() *http.Client {
	return &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		if len(via) >= 5 || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
			return errRedirect
		}
		return nil
	}}
}

func allowedAddress(u *url.URL) bool {
	if u.Host == "" || u.User != nil {
		return false
	}
	if u.Scheme != "http" {
		return u.Scheme == "https"
	}
	if u.Hostname() == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback()
}
