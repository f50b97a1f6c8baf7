package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/probe"
)

type probeFlags struct {
	protocol, agent, shell string
	behind, json           bool
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
and whether the next turn works. The exit code is 1 if a check fails.

--agent NAME tests a built-in agent, with a fake model and with
separate settings; --behind puts Bellcord in front of it. Any other command gets the
address of the fake model in OPENAI_BASE_URL, ANTHROPIC_BASE_URL and
GOOGLE_GEMINI_BASE_URL. --shell names its shell tool and the tool's argument.`,
		Example: `  bellcord probe -- my-agent --acp
  bellcord probe --shell bash:command -- my-agent --acp
  bellcord probe --agent goose
  bellcord probe --agent goose --behind`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.runProbe(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&f.protocol, "protocol", "acp", "`protocol` of the agent: acp or pi")
	cmd.Flags().StringVar(&f.agent, "agent", "", "`name` of a known agent (bellcord agents lists them)")
	cmd.Flags().BoolVar(&f.behind, "behind", false, "put Bellcord in front of the agent")
	cmd.Flags().StringVar(&f.shell, "shell", "", "`tool:argument` with which a model runs a command, such as bash:command")
	cmd.Flags().IntVar(&f.tries, "tries", 10, "how often to send a prompt and its cancel in one write")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "names of the `checks` to run (default: all)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	return cmd
}

func (f *probeFlags) runProbe(ctx context.Context, command []string) error {
	if (f.agent == "") == (len(command) == 0) {
		return errors.New("give either --agent NAME or a command after --")
	}
	var err error
	if f.dir, err = os.MkdirTemp("", "bellcord-probe"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(f.dir) }()
	model := fakemodel.New(fakemodel.WithLenience())
	serving, url, err := model.Listen("")
	if err != nil {
		return err
	}
	defer func() { _ = serving.Close() }()
	target, err := f.target(command, strings.TrimSuffix(url, "/v1"))
	if err != nil {
		return err
	}
	target.Model = model
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

func (f *probeFlags) target(command []string, url string) (probe.Target, error) {
	d := preset.Definition{Name: "command", Command: command, Protocol: f.protocol, Env: map[string]string{
		"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": url + "/v1", "ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": url,
		"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": url,
	}}
	if f.agent != "" {
		known, is := preset.Named(f.agent)
		if !is {
			return probe.Target{}, fmt.Errorf("unknown agent %q: bellcord agents lists the known ones", f.agent)
		}
		var err error
		if d, err = known.Offline(filepath.Join(f.dir, "home"), url); err != nil {
			return probe.Target{}, err
		}
	}
	if tool, argument, said := strings.Cut(f.shell, ":"); said {
		d.ShellTool, d.ShellArgs = tool, func(command string) string {
			text, _ := json.Marshal(map[string]string{argument: command}) // a map of strings always encodes
			return string(text)
		}
	}
	target := probe.Target{
		Name: d.Name, Command: d.Command, Env: append(app.AgentEnvironment(d), "PATH="+os.Getenv("PATH")), Bare: f.agent != "", Protocol: d.Protocol,
		ShellTool: d.ShellTool, ShellArgs: d.ShellArgs,
	}
	if !f.behind {
		return target, nil
	}
	return f.inFront(target, d)
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
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return t, err
	}
	t.Name += " behind bellcord"
	t.Command = []string{self, "acp", "--config", file, "--data-dir", filepath.Join(f.dir, "data"), "--agent", "probed"}
	t.Env, t.Bare, t.Protocol = nil, false, probe.ACP
	return t, nil
}
