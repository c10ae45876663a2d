package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/zipped"
)

// exchange is one request and the answer to it, which is held back until it is
// whole: then it has a length and an ETag, and is perhaps not sent at all.
type exchange struct {
	r      *http.Request
	header http.Header
	status int
	body   bytes.Buffer
	// tag is set by operations whose answer follows from the ledger alone.
	tag string
	// again is the answer that is kept under the tag; nil when it is to be made.
	again *keptAnswer
	// packed is the body for clients that take gzip, once it is packed.
	packed []byte
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

func (x *exchange) Header() http.Header { return x.header }

func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
}

func (x *exchange) Write(b []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	return x.body.Write(b)
}

// exchanged runs a handler with a deadline and sends what it wrote.
func (s *server) exchanged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
		defer cancel()
		x := &exchange{header: http.Header{}}
		x.r = r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
		s.run(next, x)
		s.settle(x)
		x.send(w)
		if x.packed != nil {
			s.kept.pack(x.tag, x.packed)
		}
	})
}

// run calls the handler; a panic in it is an answer too, and does not end the daemon.
func (s *server) run(next http.Handler, x *exchange) {
	defer func() {
		if p := recover(); p != nil {
			x.fail(s.fault(fmt.Errorf("panic: %v", p), x.r.URL.Path))
		}
	}()
	if p := misread(x.r); p != nil {
		x.fail(p)
		return
	}
	next.ServeHTTP(x, x.r)
	switch {
	case x.status == 0:
		x.status = http.StatusOK
	case x.status >= http.StatusBadRequest && x.header.Get("Content-Type") != problem.ContentType:
		x.fail(routed(x.status))
	}
}

// fail puts a problem in the place of what was written.
func (x *exchange) fail(p *problem.Problem) {
	x.body.Reset()
	x.status, x.tag = 0, ""
	x.header.Del("Content-Encoding")
	p.Write(x)
	x.header.Del("Content-Length")
}

// routed is what the router refuses.
func routed(status int) *problem.Problem {
	switch status {
	case http.StatusNotFound:
		return problem.New(status, "there is nothing at this path", Prefix+"/openapi.json lists the paths; a / within an id is written %2F")
	case http.StatusMethodNotAllowed:
		return problem.New(status, "this path answers another method", "the Allow header names it")
	}
	return problem.New(status, http.StatusText(status), "")
}

// revised gives the exchange the ETag of a revision of the ledger and reports
// whether the client has that answer already.
func (s *server) revised(x *exchange) bool {
	sum := sha256.New()
	// What the answer depends on: the process (its prices, its zone), the ledger, the question.
	fmt.Fprintf(sum, "%s\n%d\n%s\n%s", s.boot, s.meter.Revision(), x.r.URL.EscapedPath(), x.r.URL.Query().Encode())
	x.tag = quoted(sum.Sum(nil))
	return x.known()
}

// again reports whether the answer under the exchange's tag is kept.
func (s *server) again(x *exchange) bool {
	a, ok := s.kept.find(x.tag)
	if ok {
		x.again = &a
	}
	return ok
}

// settle puts the kept answer in the place of what the framework made of none, or
// keeps the new one.
func (s *server) settle(x *exchange) {
	switch {
	case x.again != nil:
		x.body.Reset()
		x.body.Write(x.again.body)
		x.status, x.packed = http.StatusOK, x.again.packed
		x.header.Set("Content-Type", x.again.kind)
	case x.tag != "" && x.status == http.StatusOK:
		s.kept.keep(x.tag, x.header.Get("Content-Type"), x.body.Bytes())
	}
}

func quoted(sum []byte) string { return `W/"` + hex.EncodeToString(sum[:12]) + `"` }

// known reports whether the client names the exchange's tag.
func (x *exchange) known() bool {
	for _, list := range x.r.Header.Values("If-None-Match") {
		for _, tag := range strings.Split(list, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || tag == x.tag {
				return true
			}
		}
	}
	return false
}

// send writes the answer out.
func (x *exchange) send(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range x.header {
		h[name] = values
	}
	body := x.body.Bytes()
	if x.status == http.StatusOK {
		if x.tag == "" {
			sum := sha256.Sum256(body)
			x.tag = quoted(sum[:])
		}
		if x.known() {
			x.status = http.StatusNotModified
		}
	}
	if x.status == http.StatusOK || x.status == http.StatusNotModified {
		h.Set("ETag", x.tag)
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Vary", "Accept-Encoding, Authorization, Cookie")
	}
	if x.status == http.StatusNotModified {
		h.Del("Content-Type")
		w.WriteHeader(x.status)
		return
	}
	if len(body) >= zipped.From && zipped.Accepted(x.r) {
		h.Set("Content-Encoding", "gzip")
		if x.packed == nil {
			x.packed = zipped.Bytes(body, gzip.BestSpeed)
		}
		body = x.packed
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(x.status)
	if x.r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
