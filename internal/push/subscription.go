package push

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/bellcord/bellcord/internal/publicnet"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// ErrInvalid means that a subscription cannot be used.
var ErrInvalid = errors.New("invalid push subscription")

// mostEndpoint is the maximum length of an endpoint in bytes.
const mostEndpoint = 2048

// check returns an error that matches ErrInvalid if messages cannot be sent to a
// subscription. The addresses behind the name of a host are checked when a
// message is sent, because they can change.
func (n *Notifier) check(v serverstore.PushSubscription) error {
	at, err := url.Parse(v.Endpoint)
	switch {
	case err != nil || at.Scheme != "https" || at.Hostname() == "" || at.User != nil || len(v.Endpoint) > mostEndpoint:
		return fmt.Errorf("%w: the endpoint must be an https URL", ErrInvalid)
	case len(v.Auth) != authSize:
		return fmt.Errorf("%w: auth must have %d bytes", ErrInvalid, authSize)
	}
	if addr, err := netip.ParseAddr(at.Hostname()); err == nil {
		if err := publicnet.Refuse(addr, n.AllowPrivate); err != nil {
			return fmt.Errorf("%w: the endpoint: %w", ErrInvalid, err)
		}
	}
	if _, err := ecdh.P256().NewPublicKey(v.PublicKey); err != nil {
		return fmt.Errorf("%w: p256dh must be a point on the curve P-256", ErrInvalid)
	}
	return nil
}

// idOf returns the id of the subscription with an endpoint. It does not reveal
// the endpoint.
func idOf(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// Service returns the host of the push service of a subscription.
func Service(v serverstore.PushSubscription) string {
	at, err := url.Parse(v.Endpoint)
	if err != nil {
		return ""
	}
	return at.Host
}
