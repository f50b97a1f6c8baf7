package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Serve configures bellcord serve: its address, who can reach it, and its limits.
type Serve struct {
	Addr               string   `toml:"addr"`                 // host:port to listen on; port 0 picks a free one
	AllowedHosts       []string `toml:"allowed_hosts"`        // more host names to accept in the Host header of requests; the first one is used in the address of the page
	AllowedOrigins     []string `toml:"allowed_origins"`      // more origins whose pages may send requests, such as "https://example.com"
	TLSCert            string   `toml:"tls_cert"`             // file with the TLS certificate; needs tls_key (unset: no TLS)
	TLSKey             string   `toml:"tls_key"`              // file with the private key of tls_cert (unset: no TLS)
	TrustProxy         bool     `toml:"trust_proxy"`          // whether a proxy in front terminates TLS and sets X-Forwarded-For
	ShutdownGrace      Duration `toml:"shutdown_grace"`       // how long running turns may continue at a shutdown before they are stopped; 0s stops them at once
	SessionIdleTimeout Duration `toml:"session_idle_timeout"` // how long an idle session stays in memory; 0s for always
	RequestsPerSecond  int      `toml:"requests_per_second"`  // maximum number of requests per second and owner; stops do not count; 0 for no limit
	MaxMode            string   `toml:"max_mode"`             // highest mode of a session without the scope admin: read-only, ask, auto-edit or full (unset: the same as mode)
	Agents             []string `toml:"agents"`               // agents that can be chosen without the scope admin, in addition to agent; "" stands for Bellcord's own agent

	Dirs      []string            `toml:"dirs"`       // absolute paths of directories in which everyone who may send prompts can start sessions; with the scope admin, every directory can be chosen
	OwnerDirs map[string][]string `toml:"owner_dirs"` // more such directories, by owner

	MaxTurns           int `toml:"max_turns"`             // maximum number of turns of this process that have not ended; 0 accepts none, -1 for no limit
	MaxTurnsPerOwner   int `toml:"max_turns_per_owner"`   // maximum number of turns of one owner that have not ended; 0 accepts none, -1 for no limit
	MaxViewers         int `toml:"max_viewers"`           // maximum number of open event streams; a low limit of open files reduces it; 0 accepts none, -1 for no limit
	MaxViewersPerOwner int `toml:"max_viewers_per_owner"` // maximum number of open event streams of one owner; 0 accepts none, -1 for no limit

	OIDC []OIDC `toml:"oidc"` // OpenID Connect issuers whose tokens the server accepts
}

// OIDC configures an OpenID Connect issuer whose tokens (JWTs) the server accepts.
// Scopes in a token are ignored.
type OIDC struct {
	Name       string   `toml:"name"`        // part of the owners' names; required if there are several issuers (unset: none)
	Issuer     string   `toml:"issuer"`      // https URL of the issuer, as in the iss claim of its tokens; http only on this machine (required)
	Audience   string   `toml:"audience"`    // value that the aud claim of a token must contain (required)
	OwnerClaim string   `toml:"owner_claim"` // claim that names the owner; "email" must be verified (unset: "[auth.DefaultClaim]")
	Admins     []string `toml:"admins"`      // values of the claim that get all scopes
	Scopes     []string `toml:"scopes"`      // scopes of everyone else: read, prompt, stop or admin (unset: [auth.DefaultScopes])
}

// Check returns an error for settings that are invalid or not safe.
func (s Serve) Check() error {
	host, _, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return fmt.Errorf("addr %q: use host:port", s.Addr)
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("the TLS certificate and its key must be set together: use --tls-cert and --tls-key")
	}
	if !Loopback(host) && s.TLSCert == "" && !s.TrustProxy {
		return fmt.Errorf("%s is reachable from other machines, and tokens would be sent unencrypted: use --tls-cert and --tls-key, or --trust-proxy if a proxy terminates TLS, or listen on 127.0.0.1", s.Addr)
	}
	if anywhere(host) && len(s.AllowedHosts) == 0 {
		return fmt.Errorf("%s listens on all addresses: name the host that clients use with --allow-host; requests for other hosts are refused", s.Addr)
	}
	for _, dir := range slices.Concat(append(slices.Collect(maps.Values(s.OwnerDirs)), s.Dirs)...) {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("dirs: %q is not an absolute path", dir)
		}
	}
	for name, most := range map[string]int{
		"max_turns": s.MaxTurns, "max_turns_per_owner": s.MaxTurnsPerOwner,
		"max_viewers": s.MaxViewers, "max_viewers_per_owner": s.MaxViewersPerOwner,
	} {
		if most < -1 {
			return fmt.Errorf("%s is %d: use 0 or more, or -1 for no limit", name, most)
		}
	}
	for _, origin := range s.AllowedOrigins {
		if u, err := url.Parse(origin); err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" {
			return fmt.Errorf("origin %q: use scheme://host, such as https://example.com", origin)
		}
	}
	return nil
}

// Roots returns the directories in which an owner can work without the scope
// admin.
func (s Serve) Roots(owner string) []string { return slices.Concat(s.Dirs, s.OwnerDirs[owner]) }

// Names returns the host names that requests may use.
func (s Serve) Names() []string {
	host, _, _ := net.SplitHostPort(s.Addr)
	names := append([]string{}, s.AllowedHosts...)
	switch {
	case Loopback(host):
		names = append(names, "localhost", "127.0.0.1", "::1", host)
	case !anywhere(host):
		names = append(names, host)
	}
	return names
}

// Loopback reports whether a host is a loopback address or localhost.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func anywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
