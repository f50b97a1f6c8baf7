package confine

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Listening returns the TCP addresses at which processes listen for connections of
// this machine, sorted by port, IPv4 first. A process that listens at all addresses has
// those of the loopback device. An address at which another process may accept the
// connection is left out. Processes in another network namespace have none.
func Listening(pids []int) []netip.AddrPort {
	open := listeners()
	if len(open) == 0 {
		return nil
	}
	own := ownedBy(pids, open)
	var all []netip.AddrPort
	for inode := range own {
		for _, target := range reached(open[inode]) {
			foreign := false
			for other, at := range open {
				foreign = foreign || !own[other] && accepts(at, target)
			}
			if !foreign {
				all = append(all, target)
			}
		}
	}
	slices.SortFunc(all, func(a, b netip.AddrPort) int {
		return cmp.Or(cmp.Compare(a.Port(), b.Port()), a.Addr().Compare(b.Addr()))
	})
	return slices.Compact(all)
}

// ownedBy returns the inodes of open listeners that processes have.
func ownedBy(pids []int, open map[string]netip.AddrPort) map[string]bool {
	own := map[string]bool{}
	for _, pid := range pids {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // none if the process has ended
		for _, file := range files {
			target, _ := os.Readlink(file)
			inode := strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")
			if _, listens := open[inode]; listens {
				own[inode] = true
			}
		}
	}
	return own
}

// reached returns the addresses at which this machine reaches a listener, the usual
// one first. A listener at all IPv6 addresses normally has those of IPv4, too.
func reached(at netip.AddrPort) []netip.AddrPort {
	four, six := netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()
	switch at.Addr() {
	case netip.IPv4Unspecified():
		return []netip.AddrPort{netip.AddrPortFrom(four, at.Port())}
	case netip.IPv6Unspecified():
		return []netip.AddrPort{netip.AddrPortFrom(four, at.Port()), netip.AddrPortFrom(six, at.Port())}
	}
	return []netip.AddrPort{at}
}

// accepts reports whether a listener may accept connections to an address.
func accepts(at, target netip.AddrPort) bool {
	if at.Port() != target.Port() {
		return false
	}
	return at.Addr() == target.Addr() || at.Addr() == netip.IPv6Unspecified() || at.Addr() == netip.IPv4Unspecified() && target.Addr().Is4()
}

// listeners returns the addresses of listening TCP sockets, by inode.
func listeners() map[string]netip.AddrPort {
	all := map[string]netip.AddrPort{}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		file, err := os.Open(table)
		if err != nil {
			continue // without IPv6, the second is missing
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[3] != "0A" { // the state of a listener
				continue
			}
			if at, ok := address(fields[1]); ok {
				all[fields[9]] = at
			}
		}
		_ = file.Close() // it was only read
	}
	return all
}

// address parses an address of the kernel's tables: words of 32 bits in the order of
// this machine, and the port.
func address(text string) (netip.AddrPort, bool) {
	words, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(words)
	number, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil {
		return netip.AddrPort{}, false
	}
	for i := 0; i+4 <= len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	addr, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), uint16(number)), ok
}
