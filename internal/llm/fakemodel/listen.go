package fakemodel

import (
	"fmt"
	"io"
	"net/http"

	"github.com/bellcord/bellcord/internal/piped"
)

// Listen serves on a TCP address and returns the base URL, which ends in /v1.
// An address without a host means loopback, and "" also selects a free port.
// Closing the returned value stops the server.
func (s *Server) Listen(addr string) (io.Closer, string, error) {
	ln, err := piped.ListenTCP(addr)
	if err != nil {
		return nil, "", fmt.Errorf("listen for the fake model: %w", err)
	}
	return piped.Serve(ln, s, s.logger, nil), "http://" + ln.Addr().String() + "/v1", nil
}

// Pipe serves in memory and returns a client that sends all its requests there.
// The base URL is "http://fake/v1". stop ends all goroutines.
func (s *Server) Pipe() (client *http.Client, stop func()) {
	return piped.Pipe(s, s.logger, nil)
}
