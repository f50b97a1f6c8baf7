package netproxy

import (
	"bufio"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/publicnet"
)

// client is a connection of a client.
type client struct {
	net.Conn
	in    *bufio.Reader
	limit *io.LimitedReader // below in
}

// serve answers one request.
func (s *server) serve(ctx context.Context, conn net.Conn) {
	if !s.add(conn) {
		return
	}
	defer s.remove(conn)
	limit := &io.LimitedReader{R: conn, N: mostHeaderBytes}
	c := &client{conn, bufio.NewReader(limit), limit}
	_ = conn.SetReadDeadline(time.Now().Add(headerTimeout))
	request, err := http.ReadRequest(c.in)
	if err != nil {
		c.reject(limit.N, err)
		return
	}
	limit.N = math.MaxInt64
	_ = conn.SetReadDeadline(time.Time{})
	host, port, err := target(request)
	switch {
	case !s.authorized(request):
		c.answer(http.StatusProxyAuthRequired, "the proxy needs the password in Proxy-Authorization", "Proxy-Authenticate: Basic realm=\"bellcord\"\r\n")
		return
	case err != nil:
		c.answer(http.StatusBadRequest, err.Error(), "")
		return
	case !s.permit(ctx, c, host, port):
		c.answer(http.StatusForbidden, refusal(subject(host, port)), "")
		return
	}
	to, err := s.dial(ctx, net.JoinHostPort(host, port))
	if err != nil {
		c.answerDialError(host, err)
		return
	}
	defer s.remove(to)
	if request.Method == http.MethodConnect {
		c.tunnel(to)
	} else {
		c.forward(to, request)
	}
}

func refusal(host string) string {
	return fmt.Sprintf("network access to %s is not allowed: the command runs in a sandbox. "+
		"The user can allow the host when Bellcord asks, or list it in the allowed domains of the sandbox settings.", host)
}

// target returns the host and the port that a request is for.
func target(r *http.Request) (host, port string, err error) {
	switch {
	case r.Method == http.MethodConnect:
		host, port, err = net.SplitHostPort(r.RequestURI)
		if err != nil || port == "" {
			return "", "", fmt.Errorf("CONNECT needs HOST:PORT, not %.300q", r.RequestURI)
		}
	case r.URL.Scheme == "http" && r.URL.Host != "":
		host, port = r.URL.Hostname(), r.URL.Port()
		if port == "" {
			port = "80"
		}
	default:
		return "", "", errors.New("this is a proxy: it accepts CONNECT, and requests with an absolute http URL")
	}
	if err := CheckDomain(net.JoinHostPort(host, port)); err != nil {
		return "", "", err
	}
	host, err = plainHost(host)
	return host, port, err
}

// authorized reports whether a request contains the password.
func (s *server) authorized(r *http.Request) bool {
	if s.policy.Password == "" {
		return true
	}
	scheme, text, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " ")
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	_, password, found := strings.Cut(string(plain), ":")
	return err == nil && found && strings.EqualFold(scheme, "Basic") &&
		subtle.ConstantTimeCompare([]byte(password), []byte(s.policy.Password)) == 1
}

// permit reports whether the client may connect to a host. A question is
// withdrawn when the client leaves.
func (s *server) permit(ctx context.Context, c *client, host, port string) bool {
	about := subject(host, port)
	allowed, known := s.answered(about)
	switch {
	case s.policy.lists(host, port):
		return true
	case known:
		return allowed
	case s.policy.Memory.allows(about):
		return true
	case s.policy.Ask != nil && !s.mayAsk(about):
		if s.policy.Flooded != nil {
			s.policy.Flooded()
		}
		return false
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := make(chan struct{})
	go func() {
		defer close(left)
		if _, err := c.in.Peek(1); err != nil { // bytes that arrive early stay in the buffer
			cancel()
		}
	}()
	ok, answered := s.policy.Memory.ask(ctx, about, s.policy.Ask)
	s.settle(about, ok, answered)
	gone := ctx.Err() != nil
	_ = c.SetReadDeadline(time.Unix(1, 0)) // ends Peek
	<-left
	_ = c.SetReadDeadline(time.Time{})
	return ok && !gone
}

// answered returns the answer to an earlier request about a host. A client that
// tries again, or needs a second connection, does not ask again.
func (s *server) answered(host string) (allowed, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	allowed, known = s.answers[host]
	return allowed, known
}

// mayAsk reports whether a person may be asked about a host, and counts it.
func (s *server) mayAsk(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked[host] && len(s.asked) >= MostRefused {
		return false
	}
	s.asked[host] = true
	return true
}

// settle keeps the answer about a host, if there is one.
func (s *server) settle(host string, allowed, answered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if allowed {
		delete(s.asked, host)
	}
	if answered && len(s.answers) < mostAnswers {
		s.answers[host] = allowed
	}
}

// reject answers a request that could not be read.
func (c *client) reject(left int64, err error) {
	switch {
	case left <= 0:
		c.answer(http.StatusRequestHeaderFieldsTooLarge, fmt.Sprintf("the header is longer than %d bytes", mostHeaderBytes), "")
	case errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed): // the client has left, or Serve ends
	default:
		c.answer(http.StatusBadRequest, "the request could not be read", "")
	}
}

func (c *client) answerDialError(host string, err error) {
	if errors.Is(err, publicnet.ErrNotPublic) {
		c.answer(http.StatusForbidden, fmt.Sprintf("network access to %s is not allowed: %v", host, err), "")
		return
	}
	c.answer(http.StatusBadGateway, fmt.Sprintf("cannot connect to %s: %v", host, err), "")
}

// answer sends a short plain text and takes the rest of what the client sends
// for a moment: closing a connection with unread bytes would discard the answer.
func (c *client) answer(code int, text, header string) {
	_ = c.SetDeadline(time.Now().Add(headerTimeout))
	text += "\n"
	_, err := fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n%s",
		code, reason(code), len(text), header, text)
	if half, ok := c.Conn.(halfCloser); err == nil && ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, 1<<20)
	}
}

// refused is the reason phrase of a refusal. Several clients show only this phrase.
const refused = "Refused by the Bellcord sandbox"

// reason returns the reason phrase of a status code.
func reason(code int) string {
	if code == http.StatusForbidden {
		return refused
	}
	return http.StatusText(code)
}
