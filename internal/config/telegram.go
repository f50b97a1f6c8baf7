package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Telegram is a bot by which people use sessions, and who they are.
type Telegram struct {
	Token     string `toml:"token" json:"-"`  // BotFather's
	TokenFile string `toml:"token_file"`      // a file with it; one of the two
	Server    string `toml:"server"`          // URL of a Bot API server; "" is Telegram's own
	Webhook   string `toml:"webhook"`         // https URL by which Telegram reaches us; "" asks it instead
	Secret    string `toml:"secret" json:"-"` // that Telegram shows at the webhook; "" is made at random

	People  map[string]int64 `toml:"people"`  // by name: their numbers
	Groups  map[string]int64 `toml:"groups"`  // where people may use it, besides alone with it
	Pairing bool             `toml:"pairing"` // strangers get a code that the owner can approve

	Policy       string   `toml:"policy"`        // what a message does while a turn runs: Hold or Replace
	ExposeErrors bool     `toml:"expose_errors"` // say in the chat what went wrong, not only that
	Drafts       bool     `toml:"drafts"`        // show an answer that comes as a draft where Telegram can
	OldAfter     Duration `toml:"old_after"`     // messages that waited longer for us are dropped; 0 drops none
	Idle         Duration `toml:"idle"`          // before a chat's session without turns is let go of; 0 is never

	Dir   string `toml:"dir"`   // where new sessions work; "" gives each one of its own
	Agent string `toml:"agent"` // of new sessions, as the two below; "" is as elsewhere
	Model string `toml:"model"`
	Mode  string `toml:"mode"`
}

// What a message does while a turn runs.
const (
	Hold    = "hold"    // it waits
	Replace = "replace" // the turn is stopped, and the message answered instead
)

// On reports whether there is to be a bot.
func (t Telegram) On() bool { return t.Token != "" || t.TokenFile != "" }

// String and GoString do not show secrets, wherever settings are printed.
func (t Telegram) String() string {
	return fmt.Sprintf("{on: %v, people: %d, groups: %d, pairing: %v}", t.On(), len(t.People), len(t.Groups), t.Pairing)
}

// GoString implements fmt.GoStringer.
func (t Telegram) GoString() string { return "config.Telegram" + t.String() }

// ReadToken returns the token, from its file if need be. No error shows it.
func (t Telegram) ReadToken() (string, error) {
	token := t.Token
	if token == "" && t.TokenFile != "" {
		text, err := os.ReadFile(t.TokenFile)
		if err != nil {
			return "", fmt.Errorf("reading the bot's token: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	if !tokenForm.MatchString(token) {
		return "", errNoToken
	}
	return token, nil
}

var (
	tokenForm  = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`) // it becomes part of addresses
	secretForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`)
	errNoToken = errors.New("the bot's token is not one of BotFather's: they look like 123456:ABC-def")
)

// Check says what is wrong, or not safe. It reads no file.
func (t Telegram) Check() error {
	switch {
	case t.Token != "" && t.TokenFile != "":
		return errors.New("the bot's token is given twice: token or token_file")
	case t.Token != "" && !tokenForm.MatchString(t.Token):
		return errNoToken
	case t.Secret != "" && !secretForm.MatchString(t.Secret):
		return errors.New("secret: 16 to 256 letters, digits, _ and -")
	case t.Policy != "" && t.Policy != Hold && t.Policy != Replace:
		return fmt.Errorf("policy %q: it is %s or %s", t.Policy, Hold, Replace)
	case t.OldAfter < 0 || t.Idle < 0:
		return errors.New("old_after and idle are not negative; 0 is never")
	case t.Dir != "" && !filepath.IsAbs(t.Dir):
		return fmt.Errorf("dir %q: a whole path is meant", t.Dir)
	case t.Mode != "" && checkMode(t.Mode) != nil:
		return checkMode(t.Mode)
	}
	if err := t.checkPlaces(); err != nil {
		return err
	}
	if err := checkNumbers("people", t.People, func(id int64) bool { return id > 0 }); err != nil {
		return err
	}
	return checkNumbers("groups", t.Groups, func(id int64) bool { return id < 0 })
}

// checkPlaces looks at addresses: the token is part of every request.
func (t Telegram) checkPlaces() error {
	if u, err := url.Parse(t.Webhook); t.Webhook != "" && (err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "") {
		return errors.New("webhook: https://host/path is meant")
	}
	if t.Server == "" {
		return nil
	}
	u, err := url.Parse(t.Server)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("server: https://host is meant")
	}
	if u.Scheme == "http" && !near(u.Hostname()) {
		return fmt.Errorf("server %s: the bot's token would travel in the clear, give an https address", u.Host)
	}
	return nil
}

// near reports whether a host is on this machine or on a network of one's own.
func near(host string) bool {
	ip := net.ParseIP(host)
	return Loopback(host) || ip != nil && ip.IsPrivate() || ip == nil && !strings.Contains(host, ".")
}

// checkNumbers wants one name for each number.
func checkNumbers(what string, all map[string]int64, good func(int64) bool) error {
	names := map[int64]string{}
	for name, id := range all {
		other, twice := names[id]
		switch {
		case !good(id):
			return fmt.Errorf("%s.%s: Telegram's numbers of people are above 0, those of groups below", what, name)
		case twice:
			return fmt.Errorf("%s: %s and %s have the same number", what, min(name, other), max(name, other))
		}
		names[id] = name
	}
	return nil
}
