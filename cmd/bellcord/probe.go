package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/probe"
	"github.com/bellcord/bellcord/internal/websocket"
)

type probeFlags struct {
	protocol, agent, shell string
	url, cwd, sandbox      string
	behind, json, fake     bool
	tries                  int
	only                   []string
	dir                    string
}

func probeCommand() *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "probe [flags] -- COMMAND…",
		Short: "Grade how well an agent stops",
		Long: `Starts an agent, stops it in every way it can be stopped, and reports what happened:
whether a cancel is lost, whether the agent's answer to it is true, what keeps running,
what outlives the answer, and whether the next turn works. It also tries the basics of
version 2 of ACP, if the agent selects it. The exit code is 1 if a check fails.

--agent NAME tests a built-in agent, with a fake model and with
separate settings; --behind puts Bellcord in front of it. Any other command gets the
address of the fake model in OPENAI_BASE_URL, ANTHROPIC_BASE_URL and
GOOGLE_GEMINI_BASE_URL. --shell names its shell tool and the tool's argument.

--url tests an agent that serves ACP over WebSocket, with its own model. It sends the
token in BELLCORD_TOKEN. Checks that need the agent's processes are skipped.`,
		Example: `  bellcord probe -- my-agent --acp
  bellcord probe --shell bash:command -- my-agent --acp
  bellcord probe --agent goose
  bellcord probe --agent goose --behind
  bellcord probe --url wss://agents.example.org/acp --cwd /srv/work`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.runProbe(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&f.protocol, "protocol", "acp", "`protocol` of the agent: acp or pi")
	cmd.Flags().StringVar(&f.agent, "agent", "", "`name` of a known agent (bellcord agents lists them)")
	cmd.Flags().BoolVar(&f.behind, "behind", false, "put Bellcord in front of the agent")
	cmd.Flags().StringVar(&f.sandbox, "sandbox", config.SandboxAuto, "with --behind: `mode` of the sandbox in which Bellcord starts the agent: auto, require or off")
	cmd.Flags().StringVar(&f.shell, "shell", "", "`tool:argument` with which a model runs a command, such as bash:command")
	cmd.Flags().StringVar(&f.url, "url", "", "`URL` of an agent that serves ACP over WebSocket: ws://, wss://, http:// or https:// (its token: env BELLCORD_TOKEN)")
	cmd.Flags().StringVar(&f.cwd, "cwd", "", "with --url: `directory` of the sessions on the agent's machine (default: the directory for temporary files of this machine)")
	cmd.Flags().BoolVar(&f.fake, "fake-model", false, "with --url: the agent uses Bellcord's fake model, so prompts contain its markers")
	cmd.Flags().IntVar(&f.tries, "tries", 10, "how often to send a prompt and its cancel in one write")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "names of the `checks` to run (default: all)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	return cmd
}

func (f *probeFlags) runProbe(ctx context.Context, command []string) error {
	given := 0
	for _, is := range []bool{f.agent != "", f.url != "", len(command) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("give one of --agent NAME, --url URL or a command after --")
	case f.url != "" && (f.behind || f.protocol != probe.ACP):
		return errors.New("--url can be used neither with --behind nor with another protocol than acp")
	case f.url != "":
		return f.probeURL(ctx)
	}
	var err error
	if f.dir, err = os.MkdirTemp("", "bellcord-probe"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(f.dir) }()
	model := fakemodel.New(fakemodel.WithLenience())
	serving, address, err := model.Listen("")
	if err != nil {
		return err
	}
	defer func() { _ = serving.Close() }()
	target, err := f.target(command, strings.TrimSuffix(address, "/v1"))
	if err != nil {
		return err
	}
	target.Model = model
	return f.grade(ctx, target)
}

// probeURL grades an agent over the network.
func (f *probeFlags) probeURL(ctx context.Context) error {
	at, err := url.Parse(f.url)
	if err != nil {
		return fmt.Errorf("--url: %w", err)
	}
	if scheme, is := map[string]string{"ws": "http", "wss": "https"}[at.Scheme]; is {
		at.Scheme = scheme
	}
	if at.Path == "" || at.Path == "/" {
		at.Path = "/acp"
	}
	token := os.Getenv("BELLCORD_TOKEN")
	if _, err := client.New(at.Scheme+"://"+at.Host, token); err != nil { // checks the address, and that the token is not sent in plain text
		return fmt.Errorf("--url: %w", err)
	}
	header := http.Header{"User-Agent": {"bellcord-probe/" + version}}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	hc := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return f.grade(ctx, probe.Target{Name: f.url, Dir: cmp.Or(f.cwd, os.TempDir()), FakeModel: f.fake, Dial: func(ctx context.Context) (*websocket.Conn, error) {
		return websocket.Dial(ctx, hc, at.String(), header, jsonrpc.MostLine)
	}})
}

// grade runs the checks and prints the report.
func (f *probeFlags) grade(ctx context.Context, target probe.Target) error {
	report, err := probe.Run(ctx, target, probe.Options{Tries: f.tries, Only: f.only, Each: f.showResult})
	if err != nil {
		return err
	}
	if f.json {
		err = json.NewEncoder(os.Stdout).Encode(report)
	} else {
		_, err = fmt.Print("\n" + report.Table())
	}
	if err == nil && report.Failed() > 0 {
		err = exitCode(exitFailed)
	}
	return err
}

// showResult prints the result of one check while the probe runs.
func (f *probeFlags) showResult(r probe.Result) {
	if !f.json {
		fmt.Fprintf(os.Stderr, "%-4s %-22s %s (%s)\n", r.Grade, r.Check, r.Saw, r.Took.Round(time.Millisecond))
	}
}

func (f *probeFlags) target(command []string, model string) (probe.Target, error) {
	d := f.definition(command, model)
	if f.agent != "" {
		definition, is := preset.Named(f.agent)
		if !is {
			return probe.Target{}, fmt.Errorf("unknown agent %q: bellcord agents lists the known ones", f.agent)
		}
		var err error
		if d, err = definition.Offline(filepath.Join(f.dir, "home"), model); err != nil {
			return probe.Target{}, err
		}
	}
	f.setShell(&d)
	target := probe.Target{
		Name: d.Name, Command: d.Command, Env: append(app.AgentEnvironment(d), "PATH="+os.Getenv("PATH")), Bare: f.agent != "", Protocol: d.Protocol,
		ShellTool: d.ShellTool, ShellArgs: d.ShellArgs,
	}
	if !f.behind {
		return target, nil
	}
	return f.inFront(target, d)
}

// definition returns a command as an agent that uses the fake model.
func (f *probeFlags) definition(command []string, model string) preset.Definition {
	return preset.Definition{Name: "command", Command: command, Protocol: f.protocol, Env: map[string]string{
		"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": model + "/v1", "ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": model,
		"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": model,
	}}
}

// setShell sets the shell tool that --shell names.
func (f *probeFlags) setShell(d *preset.Definition) {
	if tool, argument, hasArgument := strings.Cut(f.shell, ":"); hasArgument {
		d.ShellTool, d.ShellArgs = tool, func(command string) string {
			text, _ := json.Marshal(map[string]string{argument: command}) // a map of strings always encodes
			return string(text)
		}
	}
}

// inFront returns a target that probes t through a Bellcord that hosts it.
func (f *probeFlags) inFront(t probe.Target, d preset.Definition) (probe.Target, error) {
	self, err := os.Executable()
	if err != nil {
		return t, err
	}
	file := filepath.Join(f.dir, "config.toml")
	var text strings.Builder
	fmt.Fprintf(&text, "[agents.probed]\nprotocol = %q\nnew_session_after_stop = %v\ncommand = [", d.Protocol, d.Renew)
	for _, word := range d.Command {
		fmt.Fprintf(&text, "%q, ", word)
	}
	text.WriteString("]\n[agents.probed.env]\n")
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		fmt.Fprintf(&text, "%q = %q\n", name, d.Env[name])
	}
	fmt.Fprintf(&text, "[sandbox]\nmode = %q\n", f.sandbox)
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return t, err
	}
	t.Name += " behind bellcord"
	t.Command = []string{self, "acp", "--config", file, "--data-dir", filepath.Join(f.dir, "data"), "--agent", "probed"}
	t.Env, t.Bare, t.Protocol = nil, false, probe.ACP
	return t, nil
}
