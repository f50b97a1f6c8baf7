package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"github.com/bellcord/bellcord/internal/config"
)

// Tests that set the environment do not run in parallel.

// clean unsets all variables and sets temporary XDG directories.
func clean(t *testing.T) (home string) {
	t.Helper()
	for _, name := range []string{"BELLCORD_CONFIG", "BELLCORD_DATA", "BELLCORD_MODEL", "BELLCORD_MODE", "BELLCORD_STORE", "BELLCORD_NATS", "BELLCORD_TELEGRAM_TOKEN", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"} {
		t.Setenv(name, "")
	}
	home = t.TempDir()
	t.Cleanup(xdg.Reload) // runs last, after the environment is restored
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	xdg.Reload()
	return home
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const fullConfig = `
data_dir = "/file/data"
store_url = "postgres://file"
model = "openai/file"
models = ["openai/a", "openai/b"]
mode = "full"

title_model = "openai/small"
system_prompt_file = "/file/prompt"
compact_at = 0.5

[provider.openai]
base_url = "http://file/v1"
api_key = "file-key"

[provider.anthropic]
thinking_tokens = 4096

[provider.house]
base_url = "http://house/v1"

[model_info."house/big"]
context_window = 1000
input_usd_per_million = 3.5
output_usd_per_million = 15

[limits]
max_steps = 7
max_tokens = 8000
max_cost_usd = 0.5
deadline = "1m30s"
session_max_tokens = 9000
session_max_cost_usd = 2
[cluster]
node_name = "a"
lease_duration = "3s"
nats_url = "nats://a,nats://b"
nats_credentials_file = "/file/creds"
nats_ca_file = "/file/ca"
nats_cert_file = "/file/cert"
nats_key_file = "/file/key"
nats_subject_prefix = "other"
[telegram]
token = "1:FILE"
api_url = "http://127.0.0.1:11436"
webhook_url = "https://bot.example.com/telegram"
webhook_secret = "a-secret-of-the-file"
pairing = true
when_busy = "replace"
expose_errors = true
stream_as_drafts = false
max_message_age = "1m"
session_idle_timeout = "1h"
dir = "/file/work"
agent = "pi"
model = "openai/small"
mode = "read-only"
[telegram.users]
anna = 1001
[telegram.groups]
ringers = -1001
`

// servesByDefault is the default configuration of the server.
var servesByDefault = config.Serve{
	Addr: "127.0.0.1:4500", ShutdownGrace: config.Duration(30 * time.Second), SessionIdleTimeout: config.Duration(30 * time.Minute), RequestsPerSecond: 200,
	MaxTurns: 2000, MaxTurnsPerOwner: 1000, MaxViewers: 5000, MaxViewersPerOwner: 1000,
}

// noBot is the default configuration without a bot.
var noBot = config.Telegram{
	WhenBusy: "queue", StreamAsDrafts: true, MaxMessageAge: config.Duration(10 * time.Minute), SessionIdleTimeout: config.Duration(30 * time.Minute),
}

// sandboxByDefault is the default configuration of the sandbox.
var sandboxByDefault = config.Sandbox{Mode: config.SandboxAuto, Network: config.NetworkProxy, Home: config.HomeVisible, TmpBytes: 1 << 30}

// undoByDefault is the default configuration of undo.
var undoByDefault = config.Undo{
	Mode: "on", MaxDiskBytes: 2 << 30, MaxFileBytes: 8 << 20, MaxScanTime: config.Duration(10 * time.Second), KeepFor: config.Duration(168 * time.Hour),
}

func TestLoad_WithoutFileOrEnvironment_ReturnsTheDefaults(t *testing.T) {
	home := clean(t)
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Load("")
	want := config.Config{
		Loaded:  filepath.Join(home, "config", "bellcord", "config.toml"),
		DataDir: filepath.Join(home, "data", "bellcord"), Mode: "ask", Notify: true, Theme: "auto", CompactAt: 0.8, Undo: undoByDefault, Sandbox: sandboxByDefault, Limits: config.Limits{MaxSteps: 100, MaxOutputBytes: 1 << 20, CommandMemoryPercent: 75, CommandProcesses: 8192}, Serve: servesByDefault,
		Cluster:  config.Cluster{NodeName: machine, LeaseDuration: config.Duration(12 * time.Second), NATSSubjectPrefix: "bellcord"},
		Telegram: noBot,
		Provider: map[string]config.Provider{"openai": {API: "responses"}, "anthropic": {API: "anthropic"}, "gemini": {API: "gemini"}, "fake": {API: "fake"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v, %v", got, err)
	}
}

func TestLoad_File_IsReadFromThePathTheEnvironmentOrTheDefaultPlace(t *testing.T) {
	want := config.Config{
		DataDir: "/file/data", StoreURL: "postgres://file", Model: "openai/file", Models: []string{"openai/a", "openai/b"}, Mode: "full", Notify: true, Theme: "auto",
		TitleModel: "openai/small", SystemPromptFile: "/file/prompt", CompactAt: 0.5,
		Provider: map[string]config.Provider{
			"openai":    {API: "chat", BaseURL: "http://file/v1", APIKey: "file-key"},
			"anthropic": {API: "anthropic", ThinkingTokens: new(int64(4096))},
			"gemini":    {API: "gemini"},
			"fake":      {API: "fake"},
			"house":     {API: "chat", BaseURL: "http://house/v1"},
		},
		ModelInfo: map[string]config.ModelInfo{"house/big": {ContextWindow: new(int64(1000)), InputUSDPerMillion: new(3.5), OutputUSDPerMillion: new(15.0)}},
		Undo:      undoByDefault,
		Sandbox:   sandboxByDefault,
		Limits:    config.Limits{MaxSteps: 7, MaxTokens: 8000, MaxCostUSD: 0.5, Deadline: config.Duration(90 * time.Second), SessionMaxTokens: 9000, SessionMaxCostUSD: 2, MaxOutputBytes: 1 << 20, CommandMemoryPercent: 75, CommandProcesses: 8192},
		Serve:     servesByDefault,
		Cluster: config.Cluster{
			NodeName: "a", LeaseDuration: config.Duration(3 * time.Second), NATSURL: "nats://a,nats://b", NATSCredentialsFile: "/file/creds",
			NATSCAFile: "/file/ca", NATSCertFile: "/file/cert", NATSKeyFile: "/file/key", NATSSubjectPrefix: "other",
		},
		Telegram: config.Telegram{
			Token: "1:FILE", APIURL: "http://127.0.0.1:11436", WebhookURL: "https://bot.example.com/telegram", WebhookSecret: "a-secret-of-the-file",
			Users: map[string]int64{"anna": 1001}, Groups: map[string]int64{"ringers": -1001}, Pairing: true,
			WhenBusy: "replace", ExposeErrors: true, MaxMessageAge: config.Duration(time.Minute), SessionIdleTimeout: config.Duration(time.Hour),
			Dir: "/file/work", Agent: "pi", Model: "openai/small", Mode: "read-only",
		},
	}
	usual := func(home string) string { return filepath.Join(home, "config", "bellcord", "config.toml") }
	tests := []struct {
		name string
		path func(t *testing.T, home string) string
	}{
		{"named by the caller, before all others", func(t *testing.T, home string) string {
			t.Setenv("BELLCORD_CONFIG", write(t, filepath.Join(home, "env.toml"), `model = "openai/env"`))
			write(t, usual(home), `model = "openai/usual"`)
			return write(t, filepath.Join(home, "flag.toml"), fullConfig)
		}},
		{"named by the environment, before the usual one", func(t *testing.T, home string) string {
			t.Setenv("BELLCORD_CONFIG", write(t, filepath.Join(home, "env.toml"), fullConfig))
			write(t, usual(home), `model = "openai/usual"`)
			return ""
		}},
		{"in the usual place", func(t *testing.T, home string) string {
			write(t, usual(home), fullConfig)
			return ""
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := config.Load(test.path(t, clean(t)))
			if got.Loaded == "" {
				t.Error("the file that was read is not named")
			}
			got.Loaded = ""
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("loaded %+v, %v", got, err)
			}
		})
	}
}

func TestLoad_Environment_OverridesTheFile(t *testing.T) {
	home := clean(t)
	path := write(t, filepath.Join(home, "c.toml"), fullConfig)
	t.Setenv("BELLCORD_DATA", "/env/data")
	t.Setenv("BELLCORD_MODEL", "openai/env")
	t.Setenv("BELLCORD_MODE", "ask")
	t.Setenv("OPENAI_BASE_URL", "http://env/v1")
	t.Setenv("OPENAI_API_KEY", "env-key")
	t.Setenv("ANTHROPIC_API_KEY", "other-key")
	got, err := config.Load(path)
	if err != nil || got.DataDir != "/env/data" || got.Model != "openai/env" || got.Mode != "ask" ||
		got.Provider["openai"] != (config.Provider{API: "chat", BaseURL: "http://env/v1", APIKey: "env-key"}) ||
		got.Provider["anthropic"].APIKey != "other-key" || got.Limits.MaxSteps != 7 {
		t.Errorf("loaded %+v, %v", got, err)
	}
}

func TestLoad_NamedFileMissing_IsAnError(t *testing.T) {
	home := clean(t)
	missing := filepath.Join(home, "missing.toml")
	if _, err := config.Load(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("named by the caller: %v", err)
	}
	t.Setenv("BELLCORD_CONFIG", missing)
	if _, err := config.Load(""); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("named by the environment: %v", err)
	}
	if _, err := config.Load(home); err == nil {
		t.Error("a directory was read")
	}
}

func TestLoad_InvalidFile_ReturnsAnErrorWithTheLine(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a setting that does not exist", "model = \"a/b\"\ncolour = \"red\"\n", []string{"unknown setting", "2| colour"}},
		{"a setting in a section it does not belong to", "[limits]\nmax_steps = 1\nmodel = \"x\"\n", []string{"unknown setting", "3| model"}},
		{"a number where a text belongs", "\nmodel = 3\n", []string{"2| model = 3"}},
		{"no TOML at all", "model = \n", []string{"1| model"}},
		{"a duration without a unit", "[limits]\ndeadline = \"90\"\n", []string{"missing unit"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, filepath.Join(clean(t), "c.toml"), test.text)
			_, err := config.Load(path)
			if err == nil {
				t.Fatal("it was accepted")
			}
			for _, want := range append(test.want, path) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestCheck_UnknownMode_IsAnError(t *testing.T) {
	t.Parallel()
	for mode, fine := range map[string]bool{"ask": true, "full": true, "": false, "yolo": false} {
		if err := (config.Config{Mode: mode}).Check(); (err == nil) != fine {
			t.Errorf("mode %q: %v", mode, err)
		}
	}
}

func TestCheck_UnknownProviderAPI_IsAnError(t *testing.T) {
	t.Parallel()
	for api, fine := range map[string]bool{"chat": true, "responses": true, "anthropic": true, "gemini": true, "fake": true, "": false, "smoke": false} {
		c := config.Config{Mode: "ask", Provider: map[string]config.Provider{"x": {API: api}}}
		if err := c.Check(); (err == nil) != fine {
			t.Errorf("api %q: %v", api, err)
		}
	}
}

func TestLoad_InvalidFile_ReturnsAnErrorWithoutSecrets(t *testing.T) {
	for name, file := range map[string]string{
		"an unknown setting": "[telegram]\ntoken = \"1:VERYSECRET\"\nwrong = 1\n",
		"a broken line":      "store = \"postgres://u:VERYSECRET@db\"\nmodel = \n",
		"the secret's own":   "[provider.openai]\napi_key = \"VERYSECRET\n",
		"a header":           "[mcp.x]\nurl = \"http://x\"\nheaders = { Authorization = \"Bearer VERYSECRET\" }\nwrong = 1\n",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(path)
		if err == nil || strings.Contains(err.Error(), "VERYSECRET") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheck_ZeroOrNegativeNumber_IsNeverIgnored(t *testing.T) {
	for file, want := range map[string]string{
		"[provider.anthropic]\nmax_output_tokens = 0\n":                                 "max_output_tokens is 0",
		"[provider.anthropic]\nmax_output_tokens = -1\n":                                "max_output_tokens is -1",
		"[provider.anthropic]\nthinking_tokens = 0\n":                                   "",
		"[model_info.\"a/b\"]\ncontext_window = 0\n":                                    "context_window is 0",
		"[model_info.\"a/b\"]\ninput_usd_per_million = -1\n":                            "input_usd_per_million is negative",
		"[model_info.\"a/b\"]\ninput_usd_per_million = 0\noutput_usd_per_million = 0\n": "",
		"[limits]\nmax_steps = -1\n":                                                    "limits.max_steps is negative",
		"[limits]\nmax_steps = 0\n":                                                     "",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(path)
		if err == nil {
			err = c.Check()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestCheck_UnknownTheme_IsAnError(t *testing.T) {
	t.Parallel()
	for theme, valid := range map[string]bool{"": true, "auto": true, "dark": true, "light": true, "plain": true, "solarized": false} {
		if err := (config.Config{Mode: "ask", Theme: theme}).Check(); (err == nil) != valid {
			t.Errorf("theme %q: %v", theme, err)
		}
	}
}
