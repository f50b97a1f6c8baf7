package fakemodel

import (
	"net/http"

	"github.com/bellcord/bellcord/internal/piped"
)

// Pipe serves on connections that exist in memory only and returns a client
// whose requests all go there, whatever their host; "http://fake/v1" is the base
// URL to use. Every read and write is on a channel, so a synctest bubble sees
// when everyone waits. stop ends all goroutines, those of the client included.
func (s *Server) Pipe() (client *http.Client, stop func()) {
	ln := piped.Listen()
	run := s.start(ln)
	transport := &http.Transport{DialContext: ln.DialContext, DisableCompression: true}
	return &http.Client{Transport: transport}, func() {
		if err := run.Close(); err != nil {
			s.logger.Warn("pipe not closed cleanly", "err", err)
		}
		transport.CloseIdleConnections()
	}
}
