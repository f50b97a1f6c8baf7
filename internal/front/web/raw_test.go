package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// dial opens a TCP connection to the server.
func (s *stage) dial() *net.TCPConn {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(patient))
	return conn.(*net.TCPConn)
}

// raw sends the bytes unchanged and reads one response.
func (s *stage) raw(text string) *http.Response {
	s.t.Helper()
	conn := s.dial()
	go func() { _, _ = io.WriteString(conn, text) }() // the response may arrive before all is sent
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatalf("%.80q: %v", text, err)
	}
	return resp
}

// rawPost returns the head of a POST request as anna.
func (s *stage) rawPost(path string, length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, s.tokens["anna"], length)
}
