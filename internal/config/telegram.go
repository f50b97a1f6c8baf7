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

// Telegram configures a Telegram bot and the people who may use it. The bot runs if
// token or token_file is set.
type Telegram struct {
	Token         string `toml:"token" json:"-"`          // the bot's token from BotFather; set either token or token_file (unset: none; env BELLCORD_TELEGRAM_TOKEN, which overrides both)
	TokenFile     string `toml:"token_file"`              // file that contains the bot's token (unset: none)
	APIURL        string `toml:"api_url"`                 // URL of a Bot API server that you run (unset: Telegram's server)
	WebhookURL    string `toml:"webhook_url"`             // https URL at which Telegram reaches this server (unset: the bot polls Telegram)
	WebhookSecret string `toml:"webhook_secret" json:"-"` // secret that Telegram sends with requests to the webhook: 16 to 256 letters, digits, _ and - (unset: a random one)

	Users   map[string]int64 `toml:"users"`   // people who may use the bot: their owner names with their Telegram user ids
	Groups  map[string]int64 `toml:"groups"`  // groups in which people who may use the bot can use it: owner names with Telegram chat ids, which are negative
	Pairing bool             `toml:"pairing"` // give everyone else who writes to the bot a code, which you can approve with bellcord telegram approve

	WhenBusy           string   `toml:"when_busy"`            // what happens to a message that arrives during a turn: "queue" queues it, "replace" stops the turn and answers the message
	ExposeErrors       bool     `toml:"expose_errors"`        // show the details of errors in the chat
	StreamAsDrafts     bool     `toml:"stream_as_drafts"`     // show an unfinished answer as a draft, in chats where Telegram supports it, instead of editing a message
	DeliverSilent      bool     `toml:"deliver_silent"`       // show no unfinished answers: a chat gets an answer when it is complete
	MaxMessageAge      Duration `toml:"max_message_age"`      // drop messages that are older than this when the bot receives them; 0s drops none
	SessionIdleTimeout Duration `toml:"session_idle_timeout"` // how long an idle session of a chat stays in memory; 0s for always

	Dir   string `toml:"dir"`   // absolute path of the directory in which new sessions work (unset: a new directory for each session)
	Agent string `toml:"agent"` // agent for new sessions; bellcord agents lists them (unset: the top-level agent)
	Model string `toml:"model"` // model for new sessions, as provider/model (unset: the top-level model)
	Mode  string `toml:"mode"`  // permission mode for new sessions: read-only, ask, auto-edit or full (unset: the top-level mode)
}

// The values of Policy: how a message that arrives during a turn is handled.
const (
	Queue   = "queue"   // the message is queued
	Replace = "replace" // the turn is stopped and the message is answered
)

// On reports whether a bot is configured.
func (t Telegram) On() bool { return t.Token != "" || t.TokenFile != "" }

// String implements fmt.Stringer. Neither it nor GoString contains secrets.
func (t Telegram) String() string {
	return fmt.Sprintf("{on: %v, users: %d, groups: %d, pairing: %v}", t.On(), len(t.Users), len(t.Groups), t.Pairing)
}

// GoString implements fmt.GoStringer.
func (t Telegram) GoString() string { return "config.Telegram" + t.String() }

// ReadToken returns the token, from its file if necessary. Errors do not
// contain it.
func (t Telegram) ReadToken() (string, error) {
	token := t.Token
	if token == "" && t.TokenFile != "" {
		text, err := os.ReadFile(t.TokenFile)
		if err != nil {
			return "", fmt.Errorf("read the bot's token: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	if !tokenForm.MatchString(token) {
		return "", errNoToken
	}
	return token, nil
}

var (
	tokenForm  = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`) // the token is part of URLs
	secretForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`)
	errNoToken = errors.New("the bot's token is invalid: a token from BotFather looks like 123456:ABC-def")
)

// Check returns an error for settings that are invalid or not safe. It reads
// no file.
func (t Telegram) Check() error {
	switch {
	case t.Token != "" && t.TokenFile != "":
		return errors.New("token and token_file are both set: remove one")
	case t.Token != "" && !tokenForm.MatchString(t.Token):
		return errNoToken
	case t.WebhookSecret != "" && !secretForm.MatchString(t.WebhookSecret):
		return errors.New("webhook_secret: use 16 to 256 letters, digits, _ and -")
	case t.WhenBusy != "" && t.WhenBusy != Queue && t.WhenBusy != Replace:
		return fmt.Errorf("unknown when_busy %q: use %s or %s", t.WhenBusy, Queue, Replace)
	case t.MaxMessageAge < 0 || t.SessionIdleTimeout < 0:
		return errors.New("max_message_age or session_idle_timeout is negative: use 0s or more")
	case t.Dir != "" && !filepath.IsAbs(t.Dir):
		return fmt.Errorf("dir %q: use an absolute path", t.Dir)
	case t.Mode != "" && checkMode(t.Mode) != nil:
		return checkMode(t.Mode)
	}
	if err := t.checkPlaces(); err != nil {
		return err
	}
	if err := checkNumbers("users", t.Users, func(id int64) bool { return id > 0 }); err != nil {
		return err
	}
	return checkNumbers("groups", t.Groups, func(id int64) bool { return id < 0 })
}

// checkPlaces checks the URLs: the token is part of every request.
func (t Telegram) checkPlaces() error {
	if u, err := url.Parse(t.WebhookURL); t.WebhookURL != "" && (err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "") {
		return errors.New("webhook_url: use https://host/path")
	}
	if t.APIURL == "" {
		return nil
	}
	u, err := url.Parse(t.APIURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("api_url: use https://host")
	}
	if u.Scheme == "http" && !near(u.Hostname()) {
		return fmt.Errorf("api_url: %s: the bot's token would be sent unencrypted: use an https URL", u.Host)
	}
	return nil
}

// near reports whether a host is on this machine or in a private network.
func near(host string) bool {
	ip := net.ParseIP(host)
	return Loopback(host) || ip != nil && ip.IsPrivate() || ip == nil && !strings.Contains(host, ".")
}

// checkNumbers returns an error for an invalid id or one with two names.
func checkNumbers(what string, all map[string]int64, good func(int64) bool) error {
	names := map[int64]string{}
	for name, id := range all {
		other, twice := names[id]
		switch {
		case !good(id):
			return fmt.Errorf("%s.%s: Telegram ids of people are positive, those of groups negative", what, name)
		case twice:
			return fmt.Errorf("%s: %s and %s have the same id", what, min(name, other), max(name, other))
		}
		names[id] = name
	}
	return nil
}
