package publicnet

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Dialer connects to addresses that Check accepts.
type Dialer struct {
	Check func(netip.Addr) error // returns an error if an address must not be dialed
}

// Dial returns a connection. Once it is established, the end of ctx does not
// affect it.
func (d Dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dialer().DialContext(ctx, network, address)
}

// DialUntil returns a connection that is closed when ctx ends.
func (d Dialer) DialUntil(ctx context.Context, network, address string) (net.Conn, error) {
	return dialUntil(ctx, d.dialer(), network, address)
}

func (d Dialer) dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:  10 * time.Second,
		Resolver: resolver,
		// Control checks the address that is really dialed, whatever the name
		// resolved to before.
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return d.Check(to.Addr())
		},
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
