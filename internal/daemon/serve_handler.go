package daemon

import (
	"net/http"

	"meterbridge/internal/control"
)

// socketHandler answers the owner of the socket.
func (s *server) socketHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/control/", control.Handler(s, s.meter.paths.Data))
	return mux
}

// openHandler answers whoever has a credential.
func (s *server) openHandler() http.Handler { return http.NotFoundHandler() }

// Link implements control.Daemon.
func (s *server) Link() (string, error) { return "", nil }
