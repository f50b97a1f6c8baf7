package fakegram

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// webhook is the target to which updates are posted, one at a time.
type webhook struct {
	url, secret string
	connections int
	quit        chan struct{}
	lastError   string
	lastErrorAt time.Time
}

func (p *play) setWebhook() (any, error) {
	target := p.q.params["url"]
	if target == "" {
		return p.deleteWebhook()
	}
	if err := checkWebhook(target, p.q.params["secret_token"]); err != nil {
		return nil, err
	}
	if err := p.allow(p.now, p.q); err != nil {
		return nil, err
	}
	p.unhook()
	p.endPoll("terminated by setWebhook request")
	if p.q.flag("drop_pending_updates") {
		p.inbox.pending = nil
	}
	h := &webhook{url: target, secret: p.q.params["secret_token"], connections: p.q.numberOr("max_connections", 40), quit: make(chan struct{})}
	p.hook = h
	p.posting.Go(func() { p.post(h) })
	return true, nil
}

// checkWebhook requires HTTPS and one of four ports, as Telegram does. For a
// loopback address it also accepts HTTP and any port, as Telegram's local
// server does.
func checkWebhook(target, secret string) error {
	u, err := url.Parse(target)
	switch {
	case err != nil || u.Hostname() == "":
		return bad("bad webhook: URL host is empty")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return bad("bad webhook: An HTTPS URL must be provided for webhook")
	case !loopback(u.Hostname()) && !slices.Contains([]string{"", "80", "88", "443", "8443"}, u.Port()):
		return bad("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
	case len(secret) > 256:
		return bad("secret token is too long")
	case strings.ContainsFunc(secret, notInSecret):
		return bad("secret token contains unallowed characters")
	}
	return nil
}

func notInSecret(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-'
}

func (p *play) deleteWebhook() (any, error) {
	p.unhook()
	if p.q.flag("drop_pending_updates") {
		p.inbox.pending = nil
	}
	return true, nil
}

// unhook removes the webhook and cancels its request in flight without waiting
// for it. The caller must hold the lock.
func (s *Server) unhook() {
	if s.hook != nil {
		close(s.hook.quit)
		s.hook = nil
	}
}

func (p *play) webhookInfo() (any, error) {
	info := struct {
		URL         string   `json:"url"`
		Certificate bool     `json:"has_custom_certificate"`
		Pending     int      `json:"pending_update_count"`
		ErrorDate   int64    `json:"last_error_date,omitempty"`
		Error       string   `json:"last_error_message,omitempty"`
		Connections int      `json:"max_connections,omitempty"`
		Allowed     []string `json:"allowed_updates,omitempty"`
	}{Pending: len(p.inbox.pending), Allowed: p.inbox.allowed}
	if h := p.hook; h != nil {
		info.URL, info.Error, info.Connections = h.url, h.lastError, h.connections
		if h.lastError != "" {
			info.ErrorDate = h.lastErrorAt.Unix()
		}
	}
	return info, nil
}
