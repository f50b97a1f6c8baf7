package fakemodel

import (
	"fmt"
	"io"
	"net/http"

	"github.com/bellcord/bellcord/internal/piped"
)

// Listen serves on a TCP address; without a host it is the loopback one, and ""
// picks a free port. The base URL ends in /v1.
func (s *Server) Listen(addr string) (io.Closer, string, error) {
	ln, err := piped.ListenTCP(addr)
	if err != nil {
		return nil, "", fmt.Errorf("listen for the fake model: %w", err)
	}
	return piped.Serve(ln, s, s.logger, nil), "http://" + ln.Addr().String() + "/v1", nil
}

// Pipe serves in memory and returns a client whose requests all go there;
// "http://fake/v1" is the base URL to use. stop ends all goroutines.
func (s *Server) Pipe() (client *http.Client, stop func()) {
	return piped.Pipe(s, s.logger, nil)
}
