package netproxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord/internal/publicnet"
)

// Answer is the answer to the question whether a host may be connected to.
type Answer int

// The answers. Refuse and Once apply to all connections of one call of Serve,
// Session also to later calls with the same Memory.
const (
	Refuse Answer = iota
	Once
	Session
)

// Policy decides which hosts a client may connect to.
type Policy struct {
	// Domains lists allowed hosts. "example.org" allows this host,
	// "*.example.org" all hosts below it, but not example.org itself. Both mean
	// the ports of the web, SSH and git: 80, 443, 22 and 9418. "example.org:8080"
	// allows one port. An address such as "192.0.2.1" can be listed too.
	Domains []string
	// Password, if set, must be in the Proxy-Authorization header of each
	// request, with any user name.
	Password string
	// Ask is called for a host that Domains does not allow; nil means that it is
	// refused. Unless the port is one of the four above, host contains it:
	// "example.org:8080". There is at most one question at a time for a host. Ask
	// returns when ctx ends, which is also the case when the client has left.
	Ask func(ctx context.Context, host string) (Answer, error)
	// Flooded, if set, is called when a host is refused without a question because
	// too many hosts were asked about that nobody allowed.
	Flooded func()
	// Memory stores the hosts that were allowed for the session. Serve calls
	// of one session share it. nil means that nothing is stored after Serve.
	Memory *Memory
	// Check returns an error if an address must not be dialed. nil allows public
	// addresses only, as the tool fetch does, even for hosts in Domains.
	Check func(netip.Addr) error
}

// usualPorts are allowed if a host is allowed without a port.
var usualPorts = []string{"80", "443", "22", "9418"}

// CheckDomain returns an error if a text cannot be used in Policy.Domains.
func CheckDomain(text string) error {
	name, port := text, ""
	if host, after, err := net.SplitHostPort(text); err == nil {
		name, port = host, after
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("domain %q: port %q is not a number from 1 to 65535", text, port)
		}
	}
	rest, _ := strings.CutPrefix(name, "*.")
	if _, err := plainHost(rest); err != nil {
		return fmt.Errorf("domain %q: want a host name such as \"example.org\", \"*.example.org\" or \"example.org:8080\"", text)
	}
	return nil
}

// plainHost returns a host name or address in the form in which it is compared.
func plainHost(host string) (string, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.WithZone("").Unmap().String(), nil
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", fmt.Errorf("invalid host name %.300q", host)
		}
	}
	if len(name) > 253 {
		return "", fmt.Errorf("invalid host name %.300q", host)
	}
	return name, nil
}

// subject returns the name under which a host is asked about and remembered.
func subject(host, port string) string {
	if slices.Contains(usualPorts, port) {
		return host
	}
	return net.JoinHostPort(host, port)
}

// lists reports whether Domains allows a host, in its plain form.
func (p Policy) lists(host, port string) bool {
	for _, domain := range p.Domains {
		ports := usualPorts
		if name, only, err := net.SplitHostPort(domain); err == nil {
			domain, ports = name, []string{only}
		}
		if slices.Contains(ports, port) && matches(domain, host) {
			return true
		}
	}
	return false
}

func matches(domain, host string) bool {
	if parent, ok := strings.CutPrefix(domain, "*."); ok {
		parent, err := plainHost(parent)
		return err == nil && strings.HasSuffix(host, "."+parent)
	}
	domain, err := plainHost(domain)
	return err == nil && domain == host
}

func (p Policy) dialer() publicnet.Dialer {
	if p.Check != nil {
		return publicnet.Dialer{Check: p.Check}
	}
	return publicnet.Dialer{Check: func(addr netip.Addr) error { return publicnet.Refuse(addr, false) }}
}
