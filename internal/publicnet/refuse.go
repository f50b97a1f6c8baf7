// Package publicnet connects to public addresses only, so that a request of a
// model cannot reach this machine, its network or the metadata service of a
// cloud. The address that is really dialed is checked, after the name was
// resolved: a name whose address changes between a check and the connection
// gains nothing.
package publicnet

import (
	"errors"
	"fmt"
	"net/netip"
)

// ErrNotPublic means that an address is refused.
var ErrNotPublic = errors.New("not a public address")

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
	// special contains the networks of the IANA special-purpose address registries
	// that netip has no method for.
	special = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"),   // shared by the customers of a carrier
		netip.MustParsePrefix("192.0.0.0/24"),    // protocols
		netip.MustParsePrefix("192.0.2.0/24"),    // documentation, as the next two
		netip.MustParsePrefix("198.51.100.0/24"), //
		netip.MustParsePrefix("203.0.113.0/24"),  //
		netip.MustParsePrefix("192.31.196.0/24"), // name servers of private networks, as 192.175.48.0/24
		netip.MustParsePrefix("192.175.48.0/24"), //
		netip.MustParsePrefix("192.52.193.0/24"), // relays of multicast
		netip.MustParsePrefix("192.88.99.0/24"),  // relays of 6to4
		netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("2001::/23"), // protocols; Teredo contains other addresses
		netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("2002::/16"), // 6to4 contains other addresses
		netip.MustParsePrefix("2620:4f:8000::/48"),
		netip.MustParsePrefix("3fff::/20"), // documentation
	}
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

// Refuse returns an error if an address must not be connected to. Of IPv6, only
// the global unicast range is allowed, so that new kinds of private networks
// are refused, too. The addresses of this machine are refused, whatever their range.
// private allows loopback and private addresses, and those of this machine.
func Refuse(addr netip.Addr, private bool) error {
	ip := addr.WithZone("").Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case within(metadata, ip), ip.IsLinkLocalUnicast():
	case private && (ip.IsLoopback() || ip.IsPrivate()):
		return nil
	case !ip.IsGlobalUnicast(), ip.IsPrivate(), within(special, ip):
	case ip.Is6() && !global6.Contains(ip):
	case !private && own.contains(ip):
	default:
		return nil
	}
	return fmt.Errorf("%v is refused: %w", addr, ErrNotPublic)
}

func within(networks []netip.Prefix, ip netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}
