package web

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/bellcord/bellcord/internal/publicnet"
)

// transport returns a transport for one call. Its connections are closed when
// ctx ends, even during a handshake, which http.Transport would otherwise
// continue for use by later requests. Proxies from the environment are ignored:
// the proxy's address would be checked instead of the target's.
func (c Client) transport(ctx context.Context) *http.Transport {
	dialer := publicnet.Dialer{Check: func(addr netip.Addr) error { return publicnet.Refuse(addr, c.AllowPrivate) }}
	return &http.Transport{
		Proxy: nil,
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return dialer.DialUntil(ctx, network, address)
		},
		DisableKeepAlives:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}
