package config

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/secret"
)

// Secrets returns the values in the configuration that must not be in an
// error, a log or an event: keys, tokens, and passwords in URLs. It reads no
// file.
func (c Config) Secrets() []string {
	all := []string{c.Telegram.Token, c.Telegram.WebhookSecret, c.WebSearch.BraveKey, c.WebSearch.TavilyKey, os.Getenv("BELLCORD_TOKEN")}
	all = append(all, inAddress(c.WebSearch.URL)...)
	for _, p := range c.Provider {
		all = append(append(all, p.APIKey), inAddress(p.BaseURL)...)
	}
	all = append(all, inAddress(c.StoreURL)...)
	for at := range strings.SplitSeq(c.Cluster.NATSURL, ",") {
		all = append(all, inAddress(strings.TrimSpace(at))...)
	}
	pass := slices.Clone(c.Commands.PassEnv)
	for _, s := range c.MCP {
		all = append(append(all, byName(s.Env)...), inAddress(s.URL)...)
		for name, value := range s.Headers {
			if strings.EqualFold(name, "Cookie") || strings.EqualFold(name, "Authorization") || secret.Named(strings.ReplaceAll(name, "-", "_")) {
				all = append(all, withoutScheme(value))
			}
		}
		pass = append(pass, s.PassEnv...)
	}
	for _, l := range c.LanguageServers {
		all = append(all, byName(l.Env)...)
		pass = append(pass, l.PassEnv...)
	}
	for _, a := range c.Agents {
		all = append(all, byName(a.Env)...)
		pass = append(pass, a.PassEnv...)
	}
	all = append(all, fromEnvironment(pass)...)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(value string) bool { return value == "" })
}

// checkPass returns an error for settings that would pass Bellcord's
// credentials to other programs.
func (c Config) checkPass() error {
	if err := secret.CheckPass(c.Commands.PassEnv); err != nil {
		return fmt.Errorf("commands.%w", err)
	}
	for name, s := range c.MCP {
		if err := secret.CheckPass(s.PassEnv); err != nil {
			return fmt.Errorf("mcp.%s.%w", name, err)
		}
	}
	for name, l := range c.LanguageServers {
		if err := secret.CheckPass(l.PassEnv); err != nil {
			return fmt.Errorf("language_servers.%s.%w", name, err)
		}
	}
	for name, a := range c.Agents {
		if err := secret.CheckPass(a.PassEnv); err != nil {
			return fmt.Errorf("agents.%s.%w", name, err)
		}
	}
	return nil
}

// fromEnvironment returns the secrets that libraries read from variables, and
// those in variables that are passed to programs.
func fromEnvironment(pass []string) []string {
	all := []string{os.Getenv("PGPASSWORD")}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS"} {
		for header := range strings.SplitSeq(os.Getenv(name), ",") {
			_, value, _ := strings.Cut(header, "=")
			if plain, err := url.QueryUnescape(value); err == nil {
				value = plain
			}
			all = append(all, withoutScheme(strings.TrimSpace(value)))
		}
	}
	passed := map[string]string{}
	for _, pair := range (secret.Environment{Pass: pass}).Passed() {
		name, value, _ := strings.Cut(pair, "=")
		passed[name] = value
	}
	return append(all, byName(passed)...)
}

// byName returns the secrets in variables: values of variables with the name
// of a secret, and passwords in URLs. Paths are not secrets.
func byName(env map[string]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		switch {
		case strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") || strings.HasPrefix(value, "."):
		case strings.Contains(value, "://"):
			all = append(all, inAddress(value)...)
		case secret.Named(name):
			all = append(all, value)
		}
	}
	return all
}

// withoutScheme returns a header's value without the authentication scheme, as
// in "Bearer x".
func withoutScheme(value string) string {
	if scheme, rest, found := strings.Cut(value, " "); found && len(scheme) <= len("Bearer") {
		return rest
	}
	return value
}

// inAddress returns the secrets in a URL: the password, or a user name that is
// a token, and query parameters with the name of a secret.
func inAddress(address string) []string {
	at, err := url.Parse(address)
	if err != nil {
		return badAddress(address)
	}
	var all []string
	if password, set := at.User.Password(); set {
		all = append(all, password)
	} else if at.Scheme == "nats" || at.Scheme == "tls" { // a user name without a password is a token
		all = append(all, at.User.Username())
	}
	for name, values := range at.Query() {
		if secret.Named(strings.ReplaceAll(name, "-", "_")) {
			all = append(all, values...)
		}
	}
	return all
}

// badAddress returns the password in a URL that cannot be parsed: often the
// password is the reason.
func badAddress(address string) []string {
	_, rest, _ := strings.Cut(address, "://")
	end := strings.LastIndex(rest, "@")
	if end < 0 {
		return nil
	}
	user, password, found := strings.Cut(rest[:end], ":")
	if !found {
		return []string{user} // a token
	}
	return []string{password}
}
