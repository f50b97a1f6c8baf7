package tool

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// transport makes connections for one call. They are closed when ctx ends, in
// the middle of a handshake too, which http.Transport goes on with by itself
// for the sake of requests to come. No proxy is taken from the environment: it
// would be dialled in place of the address.
func (o FetchOptions) transport(ctx context.Context) *http.Transport {
	dialer := &net.Dialer{
		Timeout:  10 * time.Second,
		Resolver: resolver,
		// The address that is really dialled, whatever the name resolved to
		// before and wherever a redirect leads.
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return refuse(to.Addr(), o.AllowPrivate)
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

// resolver asks in Go and hangs up with its context: a lookup in C, or one that
// waits for a silent server, would outlive the call.
var resolver = &net.Resolver{
	PreferGo: true,
	Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialUntil(ctx, new(net.Dialer), network, address)
	},
}

// dialUntil makes a connection that is closed when ctx ends.
func dialUntil(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
	conn, err := dialer.DialContext(ctx, network, address)
	if err == nil {
		context.AfterFunc(ctx, func() { _ = conn.Close() })
	}
	return conn, err
}

var (
	// metadata services of clouds that have no link-local address.
	metadata = []netip.Prefix{
		netip.MustParsePrefix("fd00:ec2::254/128"),  // AWS
		netip.MustParsePrefix("fd20:ce::254/128"),   // Google
		netip.MustParsePrefix("100.100.100.200/32"), // Alibaba
		netip.MustParsePrefix("168.63.129.16/32"),   // Azure
		netip.MustParsePrefix("192.0.0.192/32"),     // Oracle
	}
	// reserved networks, beside those that netip knows.
	reserved = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"), // shared by a carrier's customers
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"),
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("2001::/32"), // Teredo and 6to4 wrap other addresses
		netip.MustParsePrefix("2002::/16"),
	}
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

// refuse says why an address is not to be fetched from. Of IPv6 only what is
// given out as public is: new kinds of private networks are refused as well.
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
