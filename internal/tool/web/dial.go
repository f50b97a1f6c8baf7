package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// transport returns a transport for one call. Its connections are closed when
// ctx ends, even during a handshake, which http.Transport would otherwise
// continue for use by later requests. Proxies from the environment are ignored:
// the proxy's address would be checked instead of the target's.
func (c Client) transport(ctx context.Context) *http.Transport {
	dialer := &net.Dialer{
		Timeout:  10 * time.Second,
		Resolver: resolver,
		// Control checks the address that is really dialed, whatever the name
		// resolved to before and wherever a redirect leads.
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return refuse(to.Addr(), c.AllowPrivate)
		},
	}
	return &http.Transport{
		Proxy: nil,
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return dialUntil(ctx, dialer, network, address)
		},
		DisableKeepAlives:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// resolver is the pure Go resolver, and its connections are closed when ctx
// ends: a lookup in C, or one that waits for an unresponsive server, would
// outlive the call.
var resolver = &net.Resolver{
	PreferGo: true,
	Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialUntil(ctx, new(net.Dialer), network, address)
	},
}

// dialUntil returns a connection that is closed when ctx ends.
func dialUntil(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
	conn, err := dialer.DialContext(ctx, network, address)
	if err == nil {
		context.AfterFunc(ctx, func() { _ = conn.Close() })
	}
	return conn, err
}

var (
	// metadata contains the metadata services of clouds that have no link-local
	// address.
	metadata = []netip.Prefix{
		netip.MustParsePrefix("fd00:ec2::254/128"),  // AWS
		netip.MustParsePrefix("fd20:ce::254/128"),   // Google
		netip.MustParsePrefix("100.100.100.200/32"), // Alibaba
		netip.MustParsePrefix("168.63.129.16/32"),   // Azure
		netip.MustParsePrefix("192.0.0.192/32"),     // Oracle
	}
	// reserved contains reserved networks that netip has no method for.
	reserved = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"), // shared by the customers of a carrier
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"),
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("2001::/32"), // Teredo and 6to4 contain other addresses
		netip.MustParsePrefix("2002::/16"),
	}
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

// refuse returns an error if an address must not be fetched from. Of IPv6, only
// the global unicast range is allowed, so that new kinds of private networks
// are refused, too. private allows loopback and private addresses.
func refuse(addr netip.Addr, private bool) error {
	ip := addr.WithZone("").Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case within(metadata, ip), ip.IsLinkLocalUnicast():
	case private && (ip.IsLoopback() || ip.IsPrivate()):
		return nil
	case !ip.IsGlobalUnicast(), ip.IsPrivate(), within(reserved, ip):
	case ip.Is6() && !global6.Contains(ip):
	default:
		return nil
	}
	return fmt.Errorf("%v is refused: not a public address", addr)
}

func within(networks []netip.Prefix, ip netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}
