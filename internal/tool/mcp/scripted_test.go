package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"testing"

	"github.com/bellcord/bellcord/internal/tool/mcp"
)

// scripted is a server in this process that records each message as it is
// written, so every recorded message was on the wire.
type scripted struct {
	reply func(request) []string

	mu   sync.Mutex
	sent []string
	out  *io.PipeWriter
}

func (s *scripted) Write(data []byte) (int, error) {
	s.mu.Lock()
	s.sent = append(s.sent, string(data))
	s.mu.Unlock()
	var req request
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &req); err != nil {
			return 0, err
		}
		go s.writeLines(s.answer(req)...) // io.Pipe has no buffer
	}
	return len(data), nil
}

func (s *scripted) writeLines(lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(s.out, line+"\n")
	}
}

func (s *scripted) answer(req request) []string {
	if lines := s.reply(req); lines != nil || req.ID == nil {
		return lines
	}
	if req.Method == "initialize" {
		return []string{result(req, greeting)}
	}
	return []string{unknown(req)}
}

func (s *scripted) Close() error { return nil }

// canceled reports whether the last call has been followed by its cancellation.
func (s *scripted) canceled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var call, cancelled string
	for _, line := range s.sent {
		var req request
		_ = json.Unmarshal([]byte(line), &req) // checked in Write
		switch req.Method {
		case "tools/call":
			call = string(req.ID)
		case "notifications/cancelled":
			cancelled = string(req.Params.RequestID)
		}
	}
	return call != "" && call == cancelled
}

func (s *scripted) spawn(mcp.Server) (mcp.Process, error) {
	out, in := io.Pipe()
	s.out = in
	return mcp.Process{Stdin: s, Stdout: out, End: func() { _ = in.Close() }}, nil
}

func openScripted(t *testing.T, reply func(request) []string) (*scripted, *mcp.Set) {
	t.Helper()
	s := &scripted{reply: reply}
	set := mcp.Open([]mcp.Server{{Name: "fake", Command: []string{"fake"}}}, s.spawn, mcp.Options{})
	t.Cleanup(set.Close)
	return s, set
}
