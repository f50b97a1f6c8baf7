package fakegram

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/bellcord/bellcord/internal/piped"
)

// Listen serves on a loopback TCP address. Without a host it uses the loopback
// address, and "" picks a free port. Other addresses are refused, because the
// page lets its users act as any person. The URL has no trailing slash.
func (s *Server) Listen(addr string) (io.Closer, string, error) {
	if host, _, err := net.SplitHostPort(addr); err == nil && host != "" && !loopback(host) {
		return nil, "", fmt.Errorf("listen for the fake Telegram: %s is not a loopback address", host)
	}
	ln, err := piped.ListenTCP(addr)
	if err != nil {
		return nil, "", fmt.Errorf("listen for the fake Telegram: %w", err)
	}
	return piped.Serve(ln, s, s.logger, s.endWebhook), "http://" + ln.Addr().String(), nil
}

// Pipe serves in memory and returns a client that sends all requests there; use
// the URL "http://fake". stop ends all goroutines, including those of a
// webhook.
func (s *Server) Pipe() (client *http.Client, stop func()) {
	return piped.Pipe(s, s.logger, s.endWebhook)
}

// endWebhook removes the webhook and waits for its last request.
func (s *Server) endWebhook() {
	s.change(func(time.Time) { s.unhook() })
	s.posting.Wait()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
