package events

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"

	"meterbridge/dashboard/problem"
)

// ServeHTTP streams events to one client until either side goes.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", contentType)
		return
	}
	c, missed, now, complete, err := h.listen(r.Header.Get("Last-Event-ID"))
	if err != nil {
		w.Header().Set("Retry-After", "5")
		problem.New(http.StatusServiceUnavailable, err.Error(), "try again in a moment").Write(w)
		return
	}
	defer h.leave(c)
	s := stream{h: h, w: w, control: http.NewResponseController(w)}
	head := w.Header()
	head.Set("Content-Type", contentType)
	head.Set("Cache-Control", "no-store")
	head.Set("X-Accel-Buffering", "no")
	if s.begin(missed, now, complete) != nil {
		return
	}
	s.run(r, c)
}

const contentType = "text/event-stream"

// stream is what is written to one client.
type stream struct {
	h       *Hub
	w       http.ResponseWriter
	control *http.ResponseController
	text    bytes.Buffer
}

// begin sends how soon to come back, then what was missed, or that it is lost.
func (s *stream) begin(missed []event, now string, complete bool) error {
	s.text.WriteString("retry: 2000\n\n")
	if !complete {
		fmt.Fprintf(&s.text, "id: %s\nevent: %s\ndata: {}\n\n", now, Reset)
	}
	for _, e := range missed {
		s.write(e)
	}
	return s.flush()
}

// run sends what comes. A beat of silence shows that the other side is gone.
func (s *stream) run(r *http.Request, c *client) {
	beat := time.NewTicker(s.h.o.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-c.gone:
			return
		case e := <-c.events:
			s.write(e)
			s.more(c)
		case <-beat.C:
			s.text.WriteString(": \n\n")
		}
		if s.flush() != nil {
			return
		}
	}
}

// more takes what else waits, so that a burst is one write.
func (s *stream) more(c *client) {
	for range s.h.o.Behind {
		select {
		case e := <-c.events:
			s.write(e)
		default:
			return
		}
	}
}

// write adds an event; its data is JSON, which has no line break.
func (s *stream) write(e event) {
	fmt.Fprintf(&s.text, "id: %s\nevent: %s\ndata: %s\n\n", s.h.id(e.number), e.kind, e.data)
}

// flush sends what was written, in a time that is bounded.
func (s *stream) flush() error {
	// A server's own bound is for answers that end.
	if err := s.control.SetWriteDeadline(time.Now().Add(s.h.o.Patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	_, err := s.w.Write(s.text.Bytes())
	s.text.Reset()
	if err != nil {
		return err
	}
	return s.control.Flush()
}
