package publicnet

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// own are the addresses of this machine.
var own interfaces

// fresh is how long a list of addresses is used. A machine can have thousands.
const fresh = time.Second

// interfaces are the addresses of this machine's network interfaces.
type interfaces struct {
	mu    sync.Mutex
	at    time.Time
	addrs map[netip.Addr]bool // nil if they could not be listed
}

// contains reports whether an address belongs to this machine. If the addresses
// cannot be listed, every one may belong to it.
func (i *interfaces) contains(ip netip.Addr) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.addrs == nil || time.Since(i.at) >= fresh {
		i.addrs, i.at = list(), time.Now()
	}
	return i.addrs == nil || i.addrs[ip]
}

func list() map[netip.Addr]bool {
	networks, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	all := map[netip.Addr]bool{}
	for _, n := range networks {
		if prefix, err := netip.ParsePrefix(n.String()); err == nil {
			all[prefix.Addr().Unmap().WithZone("")] = true
		}
	}
	return all
}
