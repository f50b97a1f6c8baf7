// Package config finds out how Bellcord is to run: flags over environment over
// an optional file.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"github.com/bellcord/bellcord/internal/permit"
)

// Config is how Bellcord is to run.
type Config struct {
	Data   string   `toml:"data"`   // the directory of the store, and of what is this machine's own
	Store  string   `toml:"store"`  // postgres://…, for several machines; "" is a file in data
	New    bool     `toml:"-"`      // begin with an empty store where data has lost its own
	Agent  string   `toml:"agent"`  // who does the work in new sessions; "" is our own
	Model  string   `toml:"model"`  // provider/model, for new sessions
	Models []string `toml:"models"` // others to choose from
	Mode   string   `toml:"mode"`   // what is allowed without asking: read-only, ask, auto-edit or full

	ConfirmStop  bool    `toml:"confirm_stop"`  // in a terminal Esc stops at the second press
	Titles       string  `toml:"titles"`        // provider/model that names sessions; "" for their first words
	SystemPrompt string  `toml:"system_prompt"` // file with a template; "" for our own
	CompactAt    float64 `toml:"compact_at"`    // share of a model's window; 0 for never

	Provider map[string]Provider `toml:"provider"`
	Facts    map[string]Facts    `toml:"facts"` // by provider/model
	Permit   Permit              `toml:"permit"`
	Commands Commands            `toml:"commands"`
	MCP      map[string]Server   `toml:"mcp"`
	Agents   map[string]Agent    `toml:"agents"`
	Limits   Limits              `toml:"limits"`
	Serve    Serve               `toml:"serve"`
	Cluster  Cluster             `toml:"cluster"`
	Telegram Telegram            `toml:"telegram"`

	// Loaded is the file that was read, or would have been had it been there.
	Loaded string `toml:"-"`
}

// Agent is one of another program that we host: how it is started, where what we
// know of it does not hold.
type Agent struct {
	Command  []string          `toml:"command"`
	Protocol string            `toml:"protocol"` // acp | pi
	Env      map[string]string `toml:"env"`
	Pass     []string          `toml:"pass"`  // variables of our own environment it is given, such as "ANTHROPIC_*"
	Renew    bool              `toml:"renew"` // give up its session after a stop; the next prompt is told the conversation
	Home     string            `toml:"home"`  // a directory of its own for HOME and settings
}

// Permit holds rules such as "shell(git status)": deny beats allow.
type Permit struct {
	Allow []string `toml:"allow"`
	Deny  []string `toml:"deny"`
}

// Commands are those of the shell tool, in the background too, and of hosted agents' terminals.
type Commands struct {
	Pass []string `toml:"pass"` // variables that look like secrets and are given to commands nevertheless, such as "GITHUB_TOKEN" or "NPM_*"
}

// Server is an MCP server: a command on this machine, or a URL.
type Server struct {
	Command []string          `toml:"command"` // program and arguments
	Env     map[string]string `toml:"env"`     // of the command
	Pass    []string          `toml:"pass"`    // variables that look like secrets and are given to the command nevertheless, such as "GITHUB_TOKEN"
	URL     string            `toml:"url"`
	Headers map[string]string `toml:"headers"` // sent to the url

	TrustHints bool `toml:"trust_hints"` // use tools that the server calls read-only without asking (default false)
}

// Limits of a turn, and of a session; 0 means no limit, but for output. Costs are in dollars.
type Limits struct {
	Steps         int      `toml:"steps"`    // model requests of a turn
	Tokens        int64    `toml:"tokens"`   // of a turn
	Cost          float64  `toml:"cost"`     // of a turn
	Deadline      Duration `toml:"deadline"` // of a turn, as in "30m"
	SessionTokens int64    `toml:"session_tokens"`
	SessionCost   float64  `toml:"session_cost"`
	Output        int      `toml:"output"` // bytes of a tool call's output that are recorded and shown, half of its head and half of its tail; 0 for none
}

// Duration is written as in "90s".
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// Load returns what the environment and the file say. path is the file's; when
// it is empty, BELLCORD_CONFIG or the usual place, where it may be missing.
func Load(path string) (Config, error) {
	c := standard()
	if err := c.readFile(path); err != nil {
		return c, err
	}
	c.readEnvironment()
	return c, nil
}

// FromEnvironment returns what it says without a file.
func FromEnvironment() (Config, error) {
	c := standard()
	c.readEnvironment()
	return c, c.Check()
}

func standard() Config {
	return Config{
		Data:      filepath.Join(xdg.DataHome, "bellcord"),
		Mode:      "ask",
		CompactAt: 0.8,
		Limits:    Limits{Steps: 100, Output: 1 << 20},
		Serve: Serve{
			Addr: "127.0.0.1:4500", Finish: Duration(30 * time.Second), Idle: Duration(30 * time.Minute), Rate: 200,
			MaxTurns: 2000, MaxTurnsPerOwner: 1000, MaxViewers: 5000, MaxViewersPerOwner: 1000,
		},
		Cluster:  Cluster{Name: machine(), Lease: Duration(12 * time.Second), Prefix: "bellcord"},
		Telegram: Telegram{Policy: Hold, Drafts: true, OldAfter: Duration(10 * time.Minute), Idle: Duration(30 * time.Minute)},
	}
}

func (c *Config) readEnvironment() {
	for name, field := range map[string]*string{
		"BELLCORD_DATA":  &c.Data,
		"BELLCORD_MODEL": &c.Model,
		"BELLCORD_MODE":  &c.Mode,
		"BELLCORD_AGENT": &c.Agent,
		"BELLCORD_STORE": &c.Store,
		"BELLCORD_NATS":  &c.Cluster.NATS,
	} {
		if v := os.Getenv(name); v != "" {
			*field = v
		}
	}
	if v := os.Getenv("BELLCORD_TELEGRAM_TOKEN"); v != "" {
		c.Telegram.Token, c.Telegram.TokenFile = v, ""
	}
	c.addProviders()
}

// Dir is the directory of the configuration and of what belongs to it.
func Dir() string { return filepath.Join(xdg.ConfigHome, "bellcord") }

// Instructions is the file that every session's model is told, where it exists.
func Instructions() string { return filepath.Join(xdg.ConfigHome, "bellcord", "AGENTS.md") }

// File is where the configuration is looked for: the path that is given, or
// BELLCORD_CONFIG, or the usual place. Only a file that a person named has to be
// there.
func File(path string) (file string, named bool) {
	if path == "" {
		path = os.Getenv("BELLCORD_CONFIG")
	}
	if path != "" {
		return path, true
	}
	return filepath.Join(xdg.ConfigHome, "bellcord", "config.toml"), false
}

func (c *Config) readFile(path string) error {
	path, named := File(path)
	c.Loaded = path
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil
	} else if err != nil {
		return fmt.Errorf("reading configuration: %w", err)
	}
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return fmt.Errorf("configuration %s: %w", path, explain(err))
	}
	return nil
}

// explain says where in the file the mistake is.
func explain(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		return errors.New("unknown setting:\n" + masked(strict.String()))
	}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		return errors.New(masked(at.String()))
	}
	return err
}

// secretLine is a setting whose value is nobody's business but the program's.
var secretLine = regexp.MustCompile(`(?im)^(.*?(?:token|secret|key|password|authorization|store|nats)[\w"']*\s*=\s*)\S.*$`)

// masked is a piece of the file as it may be shown: lines around a mistake stand in
// terminals and logs.
func masked(lines string) string { return secretLine.ReplaceAllString(lines, "${1}…") }

func checkMode(mode string) error {
	if !permit.Mode(mode).Valid() {
		return fmt.Errorf("there is no mode %q: use read-only, ask, auto-edit or full", mode)
	}
	return nil
}

// checkNegative refuses what can only be a mistake. Zero is a value: every setting
// says what it means there.
func (c Config) checkNegative() error {
	for name, value := range map[string]float64{
		"limits.steps": float64(c.Limits.Steps), "limits.tokens": float64(c.Limits.Tokens), "limits.cost": c.Limits.Cost,
		"limits.deadline": float64(c.Limits.Deadline), "limits.output": float64(c.Limits.Output),
		"limits.session_tokens": float64(c.Limits.SessionTokens), "limits.session_cost": c.Limits.SessionCost,
		"serve.finish": float64(c.Serve.Finish), "serve.idle": float64(c.Serve.Idle), "serve.rate": float64(c.Serve.Rate),
		"telegram.old_after": float64(c.Telegram.OldAfter), "telegram.idle": float64(c.Telegram.Idle),
	} {
		if value < 0 {
			return fmt.Errorf("%s: it is negative; use 0 or more", name)
		}
	}
	return nil
}

// Check says what is wrong with the whole, once flags are applied.
func (c Config) Check() error {
	if err := checkMode(c.Mode); err != nil {
		return err
	}
	for _, rule := range slices.Concat(c.Permit.Allow, c.Permit.Deny) {
		if err := permit.CheckRule(rule); err != nil {
			return fmt.Errorf("permit: %w", err)
		}
	}
	if err := c.checkCeiling(); err != nil {
		return err
	}
	for name, s := range c.MCP {
		if (len(s.Command) == 0) == (s.URL == "") {
			return fmt.Errorf("mcp.%s: it has either a command or a url", name)
		}
	}
	if err := c.checkPass(); err != nil {
		return err
	}
	if c.CompactAt < 0 || c.CompactAt > 1 {
		return fmt.Errorf("compact_at %v: it is a share, from 0 (never) to 1", c.CompactAt)
	}
	if err := c.checkNegative(); err != nil {
		return err
	}
	if err := c.Cluster.Check(c.Store); err != nil {
		return err
	}
	if err := c.Telegram.Check(); err != nil {
		return fmt.Errorf("telegram: %w", err)
	}
	if err := c.checkFacts(); err != nil {
		return err
	}
	return c.checkProviders()
}

// IsFile reports whether a path exists and is not a directory.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
