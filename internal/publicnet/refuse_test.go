package publicnet_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/publicnet"
)

func TestRefuse_AddressNotPublic_IsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind string // kind: public, private (may be allowed) or never
		addresses  string
	}{
		{"public ones", "public", "1.1.1.1 8.8.8.8 172.32.0.1 192.169.0.1 100.128.0.1 2606:4700::1111 2a00:1450::1 ::ffff:1.1.1.1 64:ff9b::101:101 198.51.101.1 192.0.3.1 2001:200::1 2001:db9::1 2003::1 3fff:1000::1"},
		{"this machine", "private", "127.0.0.1 127.9.9.9 ::1 ::ffff:127.0.0.1 64:ff9b::7f00:1"},
		{"private networks", "private", "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fd12::1 fc00::1 ::ffff:10.0.0.1"},
		{"no address in particular", "never", "0.0.0.0 :: 0.1.2.3"},
		{"the link", "never", "169.254.169.254 169.254.1.1 fe80::1 fe80::1%eth0 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe"},
		{"the metadata of clouds", "never", "fd00:ec2::254 fd20:ce::254 100.100.100.200 168.63.129.16 192.0.0.192"},
		{"many at once", "never", "224.0.0.1 239.1.1.1 255.255.255.255 ff02::1"},
		{"reserved ones", "never", "100.64.0.1 192.0.0.1 198.18.0.1 240.0.0.1 fec0::1 100::1 64:ff9b:1::1 ::7f00:1 2002:7f00:1:: 2001:0:1::1 2001:1::1 192.88.99.1 192.31.196.1 192.175.48.1 192.52.193.1 2620:4f:8000::1 5f00::1"},
		{"documentation", "never", "192.0.2.1 198.51.100.7 203.0.113.255 ::ffff:192.0.2.1 64:ff9b::c000:201 2001:db8::1 2001:db8:ffff::1 3fff::1 3fff:fff::1"},
	}
	for _, test := range tests {
		for address := range strings.FieldsSeq(test.addresses) {
			ip := netip.MustParseAddr(address)
			if err := publicnet.Refuse(ip, false); (err == nil) != (test.kind == "public") {
				t.Errorf("%s: %s: %v", test.name, address, err)
			}
			if err := publicnet.Refuse(ip, true); (err == nil) != (test.kind != "never") {
				t.Errorf("%s, when private ones are allowed: %s: %v", test.name, address, err)
			}
		}
	}
}
