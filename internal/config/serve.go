package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Serve is how a server is reached, and by whom.
type Serve struct {
	Addr        string   `toml:"addr"`         // host:port
	Hosts       []string `toml:"hosts"`        // other names that requests may be for
	Origins     []string `toml:"origins"`      // other sites that may ask, as in "https://example.com"
	TLSCert     string   `toml:"tls_cert"`     // file
	TLSKey      string   `toml:"tls_key"`      // file
	BehindProxy bool     `toml:"behind_proxy"` // that does TLS and sets X-Forwarded-For
	Finish      Duration `toml:"finish"`       // for turns to end by themselves at a shutdown, then they are stopped; 0s stops them at once
	Idle        Duration `toml:"idle"`         // before a session without turns is let go of; 0s is never
	Rate        int      `toml:"rate"`         // requests a second for each owner; 0 for no limit. Stops are not counted
	MaxMode     string   `toml:"max_mode"`     // highest mode of a session without the scope admin: read-only, ask, auto-edit or full; "" is mode
	Agents      []string `toml:"agents"`       // agents that can be chosen without the scope admin, in addition to agent; "" stands for Bellcord's own agent

	MaxTurns           int `toml:"max_turns"`             // at once, of this process; -1 for no limit, 0 takes none
	MaxTurnsPerOwner   int `toml:"max_turns_per_owner"`   // at once, of one owner; -1 for no limit
	MaxViewers         int `toml:"max_viewers"`           // streams of events at once; -1 for no limit. Few file descriptors make it less
	MaxViewersPerOwner int `toml:"max_viewers_per_owner"` // streams at once, of one owner; -1 for no limit

	OIDC []OIDC `toml:"oidc"`
}

// OIDC is an issuer whose tokens are good here.
type OIDC struct {
	Name     string   `toml:"name"` // tells the people of several issuers apart
	Issuer   string   `toml:"issuer"`
	Audience string   `toml:"audience"`
	Claim    string   `toml:"claim"`  // that names the person: sub (default), email …
	Admins   []string `toml:"admins"` // values of the claim
	Scopes   []string `toml:"scopes"` // of everybody else: read, prompt, stop
}

// Check says what is wrong, or not safe.
func (s Serve) Check() error {
	host, _, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return fmt.Errorf("addr %q: host:port is meant", s.Addr)
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("a TLS certificate and its key come together")
	}
	if !Loopback(host) && s.TLSCert == "" && !s.BehindProxy {
		return fmt.Errorf("%s can be reached from other machines, and tokens would travel in the clear: give --tls-cert and --tls-key, or --behind-proxy where a proxy does TLS, or listen on 127.0.0.1", s.Addr)
	}
	if anywhere(host) && len(s.Hosts) == 0 {
		return fmt.Errorf("%s listens everywhere: say with --host by which name the server is reached, others are refused", s.Addr)
	}
	for name, most := range map[string]int{
		"max_turns": s.MaxTurns, "max_turns_per_owner": s.MaxTurnsPerOwner,
		"max_viewers": s.MaxViewers, "max_viewers_per_owner": s.MaxViewersPerOwner,
	} {
		if most < -1 {
			return fmt.Errorf("%s = %d: give a number from 0, or -1 for no limit", name, most)
		}
	}
	for _, origin := range s.Origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" {
			return fmt.Errorf("origin %q: scheme://host is meant", origin)
		}
	}
	return nil
}

// Names are the hosts that requests may be for.
func (s Serve) Names() []string {
	host, _, _ := net.SplitHostPort(s.Addr)
	names := append([]string{}, s.Hosts...)
	switch {
	case Loopback(host):
		names = append(names, "localhost", "127.0.0.1", "::1", host)
	case !anywhere(host):
		names = append(names, host)
	}
	return names
}

// Loopback reports whether a host is this machine alone.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func anywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
