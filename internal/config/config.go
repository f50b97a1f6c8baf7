// Package config reads Bellcord's settings: flags override the environment,
// which overrides an optional file.
package config

import (
	"bytes"
	"cmp"
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

// Config contains Bellcord's settings.
type Config struct {
	DataDir  string   `toml:"data_dir"`  // directory for the store and for files of this machine (unset: bellcord in the XDG data directory; env BELLCORD_DATA)
	StoreURL string   `toml:"store_url"` // URL (postgres://…) of a PostgreSQL store that several machines share (unset: an SQLite file in data_dir; env BELLCORD_STORE)
	New      bool     `toml:"-"`         // create an empty store if the data directory has lost its database
	Agent    string   `toml:"agent"`     // hosted agent for new sessions; bellcord agents lists them (unset: Bellcord's own agent; env BELLCORD_AGENT)
	Model    string   `toml:"model"`     // model for new sessions, as provider/model; bellcord models lists them (unset: none, so each new session must name one; env BELLCORD_MODEL)
	Models   []string `toml:"models"`    // more models to choose from, each as provider/model
	Mode     string   `toml:"mode"`      // permission mode for new sessions: read-only, ask, auto-edit or full (env BELLCORD_MODE)

	ConfirmStop      bool    `toml:"confirm_stop"`       // in bellcord chat, stop only when Esc is pressed twice within 2 s
	Notify           bool    `toml:"notify"`             // in bellcord chat, notify by the terminal (OSC 9 and the bell) when a turn waits for you or has ended while another window has the focus
	Theme            string  `toml:"theme"`              // colors of bellcord chat, among the sixteen of your terminal: dark, light, plain (no colors) or auto (dark or light, as the terminal reports its background)
	TitleModel       string  `toml:"title_model"`        // model that writes session titles, as provider/model (unset: a session's first words are its title)
	SystemPromptFile string  `toml:"system_prompt_file"` // file with a template for the system prompt (unset: the built-in prompt)
	CompactAt        float64 `toml:"compact_at"`         // share of the model's context window, from 0 to 1, at which a conversation is summarized; 0 for never

	Provider    map[string]Provider  `toml:"provider"`    // model APIs, by provider name
	ModelInfo   map[string]ModelInfo `toml:"model_info"`  // context windows and prices, by provider/model
	Permissions Permit               `toml:"permissions"` // rules for tool calls
	Commands    Commands             `toml:"commands"`    // environment of commands
	WebSearch   WebSearch            `toml:"web_search"`  // the service for the tool web_search
	MCP         map[string]Server    `toml:"mcp"`         // MCP servers, by name
	Agents      map[string]Agent     `toml:"agents"`      // hosted agents, by name

	LanguageServers map[string]LanguageServer `toml:"language_servers"` // language servers for files that the built-in agent changes, by name

	Undo     Undo     `toml:"undo"`     // undo of the changes that turns make to files
	Sandbox  Sandbox  `toml:"sandbox"`  // confinement of commands, MCP servers and hosted agents
	Limits   Limits   `toml:"limits"`   // limits of turns, sessions and commands
	Serve    Serve    `toml:"serve"`    // the HTTP server
	Cluster  Cluster  `toml:"cluster"`  // nodes that share a store
	Telegram Telegram `toml:"telegram"` // the Telegram bot

	// Loaded is the path of the settings file. The file may not exist.
	Loaded string `toml:"-"`
}

// Agent configures a hosted agent. For a built-in agent (see bellcord agents), only set
// what differs from its defaults.
type Agent struct {
	Command             []string          `toml:"command"`                // program and arguments (required unless the agent is built in)
	Protocol            string            `toml:"protocol"`               // protocol of the agent: acp or pi (required unless the agent is built in)
	Env                 map[string]string `toml:"env"`                    // environment variables to set for the agent
	PassEnv             []string          `toml:"pass_env"`               // variables of Bellcord's environment to pass to the agent, such as "ANTHROPIC_*"; a built-in agent always gets its own settings and keys
	NewSessionAfterStop bool              `toml:"new_session_after_stop"` // discard the agent's own session after a stop; the next prompt starts a new one and contains the conversation so far; always on for some built-in agents
	Home                string            `toml:"home"`                   // absolute path of a directory that the agent gets as HOME and for its settings (unset: your own home directory)
	Terminals           string            `toml:"terminals"`              // where commands run that an ACP agent starts in terminals of its client: "bellcord" contains them and proves their end; "editor" runs them in the editor's terminals and trusts its report (unset: "bellcord")
	WithoutSandbox      bool              `toml:"without_sandbox"`        // start the agent without the sandbox, for example because it has another one
	IdleTimeout         *Duration         `toml:"idle_timeout"`           // how long a process is kept without a turn; 0s for as long as a session is open in it (unset: "15m")
}

// Values of Agent.Terminals. Unset means TerminalsOwn.
const (
	TerminalsOwn    = "bellcord"
	TerminalsEditor = "editor"
)

// checkAgents returns an error for invalid settings of agents.
func (c Config) checkAgents() error {
	for name, a := range c.Agents {
		if where := cmp.Or(a.Terminals, TerminalsOwn); where != TerminalsOwn && where != TerminalsEditor {
			return fmt.Errorf("agents.%s.terminals is %q: use %s or %s", name, where, TerminalsOwn, TerminalsEditor)
		}
		if a.IdleTimeout != nil && *a.IdleTimeout < 0 {
			return fmt.Errorf("agents.%s.idle_timeout is negative: use 0s or more", name)
		}
	}
	return nil
}

// Permit lists rules for tool calls, such as "shell(git status)" or
// "write_file(docs/*)". Deny rules take precedence over allow rules.
type Permit struct {
	Allow []string `toml:"allow"` // calls that run without a question, unless the mode denies them
	Deny  []string `toml:"deny"`  // calls that are refused in every mode
}

// Commands configures the environment of commands: those of the shell tool,
// including background commands, and those of hosted agents' terminals.
type Commands struct {
	PassEnv []string `toml:"pass_env"` // variables to pass to commands although they look like secrets, such as "GITHUB_TOKEN" or "NPM_*"
}

// Server configures an MCP server. Set either command or url.
type Server struct {
	Command []string          `toml:"command"`  // program and arguments of a server on this machine (required unless url is set)
	Env     map[string]string `toml:"env"`      // environment variables to set for the command
	PassEnv []string          `toml:"pass_env"` // variables to pass to the command although they look like secrets, such as "GITHUB_TOKEN"
	URL     string            `toml:"url"`      // address of a server that is reached over HTTP (required unless command is set)
	Headers map[string]string `toml:"headers"`  // HTTP headers to send to the url

	TrustHints     bool `toml:"trust_hints"`     // run tools that the server declares read-only without a question
	WithoutSandbox bool `toml:"without_sandbox"` // start the command without the sandbox
}

// Limits configures the limits of a turn, of a session and of a command. 0 means no limit, except
// for max_output_bytes and command_memory_bytes. Costs are in US dollars and need the model's price in [model_info].
type Limits struct {
	MaxSteps          int      `toml:"max_steps"`            // maximum number of model requests per turn; 0 for no limit
	MaxTokens         int64    `toml:"max_tokens"`           // maximum number of tokens per turn; 0 for no limit
	MaxCostUSD        float64  `toml:"max_cost_usd"`         // maximum cost per turn in US dollars; 0 for no limit
	Deadline          Duration `toml:"deadline"`             // maximum duration of a turn, such as "30m"; 0s for no limit
	SessionMaxTokens  int64    `toml:"session_max_tokens"`   // maximum number of tokens per session; 0 for no limit
	SessionMaxCostUSD float64  `toml:"session_max_cost_usd"` // maximum cost per session in US dollars; 0 for no limit
	MaxOutputBytes    int      `toml:"max_output_bytes"`     // maximum number of bytes of a tool call's output that are recorded and shown, half of them from its beginning and half from its end; 0 for none

	CommandMemoryPercent int     `toml:"command_memory_percent"` // maximum memory of a command and of all processes that it starts, in percent of the machine's memory, where cgroups can enforce it; 0 for no limit
	CommandMemoryBytes   int64   `toml:"command_memory_bytes"`   // the same in bytes, and with resource limits where there are no cgroups; 0 for command_memory_percent
	CommandProcesses     int     `toml:"command_processes"`      // maximum number of processes and threads of a command at the same time; 0 for no limit
	CommandCPUs          float64 `toml:"command_cpus"`           // maximum number of processors that a command uses; 0 for no limit
}

// Duration is a time.Duration that is written like "90s".
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// Load returns the settings in the file and the environment. Without a path,
// the file is that in BELLCORD_CONFIG or the default file, which may be
// missing.
func Load(path string) (Config, error) {
	c := Defaults()
	if err := c.readFile(path); err != nil {
		return c, err
	}
	c.readEnvironment()
	return c, nil
}

// FromEnvironment returns the settings in the environment, without a file. It
// returns an error if they are invalid.
func FromEnvironment() (Config, error) {
	c := Defaults()
	c.readEnvironment()
	return c, c.Check()
}

// Defaults returns the settings that apply where the file, the environment and flags
// set nothing. docs/config.md shows them.
func Defaults() Config {
	return Config{
		DataDir:   filepath.Join(xdg.DataHome, "bellcord"),
		Mode:      "ask",
		Notify:    true,
		Theme:     "auto",
		CompactAt: 0.8,
		Undo:      Undo{Mode: UndoOn, MaxDiskBytes: 2 << 30, MaxFileBytes: 8 << 20, MaxScanTime: Duration(10 * time.Second), KeepFor: Duration(7 * 24 * time.Hour)},
		Sandbox:   Sandbox{Mode: SandboxAuto, Network: NetworkProxy, Home: HomeVisible, TmpBytes: 1 << 30},
		Limits:    Limits{MaxSteps: 100, MaxOutputBytes: 1 << 20, CommandMemoryPercent: 75, CommandProcesses: 8192},
		Serve: Serve{
			Addr: "127.0.0.1:4500", ShutdownGrace: Duration(30 * time.Second), SessionIdleTimeout: Duration(30 * time.Minute), RequestsPerSecond: 200,
			MaxTurns: 2000, MaxTurnsPerOwner: 1000, MaxViewers: 5000, MaxViewersPerOwner: 1000,
		},
		Cluster:  Cluster{NodeName: machine(), LeaseDuration: Duration(12 * time.Second), NATSSubjectPrefix: "bellcord"},
		Telegram: Telegram{WhenBusy: Queue, StreamAsDrafts: true, MaxMessageAge: Duration(10 * time.Minute), SessionIdleTimeout: Duration(30 * time.Minute)},
	}
}

func (c *Config) readEnvironment() {
	for name, field := range map[string]*string{
		"BELLCORD_DATA":  &c.DataDir,
		"BELLCORD_MODEL": &c.Model,
		"BELLCORD_MODE":  &c.Mode,
		"BELLCORD_AGENT": &c.Agent,
		"BELLCORD_STORE": &c.StoreURL,
		"BELLCORD_NATS":  &c.Cluster.NATSURL,
	} {
		if v := os.Getenv(name); v != "" {
			*field = v
		}
	}
	if v := os.Getenv("BELLCORD_TELEGRAM_TOKEN"); v != "" {
		c.Telegram.Token, c.Telegram.TokenFile = v, ""
	}
	c.addProviders()
	c.WebSearch.applyEnvironment()
}

// Dir returns the default directory of the configuration.
func Dir() string { return filepath.Join(xdg.ConfigHome, "bellcord") }

// Instructions returns the path of the file with instructions for the model of
// every session. It may not exist.
func Instructions() string { return filepath.Join(xdg.ConfigHome, "bellcord", "AGENTS.md") }

// File returns the path of the configuration file: path, otherwise
// BELLCORD_CONFIG, otherwise the default file. named reports whether the user
// named the file; only then it must exist.
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
		return fmt.Errorf("read configuration: %w", err)
	}
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return fmt.Errorf("configuration %s: %w", path, explain(err))
	}
	return nil
}

// explain returns an error with the line of the mistake in the file, without
// secrets.
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

// secretLine matches a setting with a secret value.
var secretLine = regexp.MustCompile(`(?im)^(.*?(?:token|secret|key|password|authorization|store|nats)[\w"']*\s*=\s*)\S.*$`)

// masked removes secrets from lines of the file: lines around a mistake are
// shown in terminals and logs.
func masked(lines string) string { return secretLine.ReplaceAllString(lines, "${1}…") }

func checkMode(mode string) error {
	if !permit.Mode(mode).Valid() {
		return fmt.Errorf("unknown mode %q: use read-only, ask, auto-edit or full", mode)
	}
	return nil
}

// checkNegative returns an error for a negative number. Zero is valid: every
// setting documents its meaning.
func (c Config) checkNegative() error {
	for name, value := range map[string]float64{
		"limits.max_steps": float64(c.Limits.MaxSteps), "limits.max_tokens": float64(c.Limits.MaxTokens), "limits.max_cost_usd": c.Limits.MaxCostUSD,
		"limits.deadline": float64(c.Limits.Deadline), "limits.max_output_bytes": float64(c.Limits.MaxOutputBytes),
		"limits.command_memory_percent": float64(c.Limits.CommandMemoryPercent), "limits.command_memory_bytes": float64(c.Limits.CommandMemoryBytes), "limits.command_processes": float64(c.Limits.CommandProcesses), "limits.command_cpus": c.Limits.CommandCPUs,
		"limits.session_max_tokens": float64(c.Limits.SessionMaxTokens), "limits.session_max_cost_usd": c.Limits.SessionMaxCostUSD,
		"serve.shutdown_grace": float64(c.Serve.ShutdownGrace), "serve.session_idle_timeout": float64(c.Serve.SessionIdleTimeout), "serve.requests_per_second": float64(c.Serve.RequestsPerSecond),
		"telegram.max_message_age": float64(c.Telegram.MaxMessageAge), "telegram.session_idle_timeout": float64(c.Telegram.SessionIdleTimeout),
	} {
		if value < 0 {
			return fmt.Errorf("%s is negative: use 0 or more", name)
		}
	}
	return nil
}

// Check returns an error for invalid settings, except those in Serve. Call it
// after flags are applied.
func (c Config) Check() error {
	if err := checkMode(c.Mode); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "auto", "dark", "light", "plain"}, c.Theme) {
		return fmt.Errorf("theme is %q: use auto, dark, light or plain", c.Theme)
	}
	for _, rule := range slices.Concat(c.Permissions.Allow, c.Permissions.Deny) {
		if err := permit.CheckRule(rule); err != nil {
			return fmt.Errorf("permissions: %w", err)
		}
	}
	if err := c.checkCeiling(); err != nil {
		return err
	}
	for name, s := range c.MCP {
		if (len(s.Command) == 0) == (s.URL == "") {
			return fmt.Errorf("mcp.%s: set either command or url", name)
		}
	}
	if err := errors.Join(c.checkPass(), c.checkAgents(), c.checkLanguageServers(), c.Undo.check(), c.Sandbox.check()); err != nil {
		return err
	}
	if c.CompactAt < 0 || c.CompactAt > 1 {
		return fmt.Errorf("compact_at is %v: use a number from 0 (never) to 1", c.CompactAt)
	}
	if err := c.checkNegative(); err != nil {
		return err
	}
	if c.Limits.CommandMemoryPercent > 100 {
		return fmt.Errorf("limits.command_memory_percent is %d: use a number from 0 (no limit) to 100", c.Limits.CommandMemoryPercent)
	}
	if err := c.Cluster.Check(c.StoreURL); err != nil {
		return err
	}
	if err := c.Telegram.Check(); err != nil {
		return fmt.Errorf("telegram: %w", err)
	}
	if err := errors.Join(c.checkFacts(), c.WebSearch.check()); err != nil {
		return err
	}
	return c.checkProviders()
}

// IsFile reports whether a path exists and is not a directory.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
