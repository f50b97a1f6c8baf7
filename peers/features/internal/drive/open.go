package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/proc"
)

// Way is how an agent is driven.
type Way string

// The ways to drive an agent.
const (
	Bare   Way = "bare"
	Behind Way = "behind" // bellcord acp --agent NAME
	// Network is a server that hosts the agent, reached over WebSocket by
	// bellcord acp --connect.
	Network Way = "network"
)

// Place is where the programs are.
type Place struct {
	Bellcord string   // the program
	Agents   string   // the folder that peers/agents/install printed; "" for agents on PATH
	MCP      []string // a command that calls ServeMCP; nil for no MCP server on stdio
	MCPURL   string   // an MCP server of this process: see ListenMCP
	Sandbox  string   // mode of Bellcord's sandbox; "" for the default

	// Environment returns the environment of an agent, without PATH.
	Environment func(preset.Definition) []string
}

// Open prepares a visit: a new directory, a fake model, and an agent that uses only them. The
// returned function ends everything that the visit started.
func Open(ctx context.Context, p Place, k Kit, w Way) (*Visit, func(), error) {
	dir, err := os.MkdirTemp("", "bellcord-features-")
	if err != nil {
		return nil, nil, err
	}
	v := &Visit{kit: k, way: w, place: p, dir: dir, work: filepath.Join(dir, "work"), ctx: ctx, stages: map[string]*stage{}}
	v.model = fakemodel.New(fakemodel.WithLenience(), fakemodel.WithAnswer("Good morning to you."), fakemodel.WithPace(time.Millisecond))
	serving, url, err := v.model.Listen("")
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	v.keeper, err = proc.Open("", proc.Options{Grace: 500 * time.Millisecond, AdoptOrphans: true})
	if err != nil {
		return nil, nil, errors.Join(err, serving.Close(), os.RemoveAll(dir))
	}
	leave := func() {
		_ = v.keeper.Close() // what survives is not a finding of this program
		_ = serving.Close()
		_ = os.RemoveAll(dir)
	}
	if err := v.prepare(strings.TrimSuffix(url, "/v1")); err != nil {
		leave()
		return nil, nil, err
	}
	return v, leave, nil
}

// prepare writes the settings of the agent and of Bellcord.
func (v *Visit) prepare(modelURL string) error {
	d, err := v.definition(filepath.Join(v.dir, "agent"), modelURL)
	if err != nil {
		return err
	}
	if v.kit.adjust != nil {
		if err := v.kit.adjust(&d); err != nil {
			return err
		}
	}
	for name, text := range v.kit.files {
		if err := writeFile(filepath.Join(d.Home, name), text); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(v.work, 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(v.dir, "more"), 0o700); err != nil {
		return err
	}
	if err := exec.CommandContext(v.ctx, "git", "init", "-q", v.work).Run(); err != nil {
		return fmt.Errorf("git init: %w", err)
	}
	path := "PATH=" + os.Getenv("PATH")
	v.bareCommand = proc.Command{Args: d.Command, Dir: v.work, Env: append(v.place.Environment(d), path), Bare: d.Home != "", Owner: "features"}
	v.command = v.bareCommand
	switch v.way {
	case Bare:
	case Behind:
		v.command, err = v.inFront(d)
	case Network:
		v.command, err = v.overNetwork(d)
	}
	v.shell = func(command string) toolUse {
		if d.ShellTool == "" || d.ShellArgs == nil {
			return toolUse{}
		}
		return toolUse{d.ShellTool, d.ShellArgs(command)}
	}
	return err
}

// definition returns how the agent is started with the fake model.
func (v *Visit) definition(home, modelURL string) (preset.Definition, error) {
	if v.kit.define != nil {
		return v.kit.define(modelURL)
	}
	known, is := preset.Named(v.kit.name)
	if !is {
		return known, fmt.Errorf("there is no preset %s", v.kit.name)
	}
	if v.place.Agents != "" {
		known.Command[0] = filepath.Join(v.place.Agents, "bin", v.kit.program)
	}
	if _, err := exec.LookPath(known.Command[0]); err != nil {
		return known, fmt.Errorf("%s is not installed: %w", v.kit.name, err)
	}
	return known.Offline(home, modelURL)
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// inFront returns the command of a Bellcord that hosts the agent, and writes its settings.
func (v *Visit) inFront(d preset.Definition) (proc.Command, error) {
	bellcord, err := filepath.Abs(v.place.Bellcord)
	if err != nil {
		return proc.Command{}, err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "[agents.%s]\nprotocol = %q\nnew_session_after_stop = %v\n", d.Name, d.Protocol, d.Renew)
	if d.Home != "" {
		fmt.Fprintf(&text, "home = %q\n", d.Home)
	}
	text.WriteString("command = [")
	for _, word := range d.Command {
		fmt.Fprintf(&text, "%q, ", word)
	}
	fmt.Fprintf(&text, "]\n[agents.%s.env]\n", d.Name)
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		fmt.Fprintf(&text, "%q = %q\n", name, d.Env[name])
	}
	text.WriteString("[sandbox]\n")
	if v.place.Sandbox != "" {
		fmt.Fprintf(&text, "mode = %q\n", v.place.Sandbox)
	}
	if len(v.place.MCP) > 0 { // the agent starts it, perhaps from /tmp
		fmt.Fprintf(&text, "write = [%q]\n", filepath.Dir(v.place.MCP[0]))
	}
	file, home := filepath.Join(v.dir, "config.toml"), filepath.Join(v.dir, "bellcord")
	if err := errors.Join(writeFile(file, text.String()), os.MkdirAll(home, 0o700)); err != nil {
		return proc.Command{}, err
	}
	command := proc.Command{
		Args: []string{bellcord, "acp", "--config", file, "--data-dir", filepath.Join(v.dir, "data"), "--agent", d.Name},
		Dir:  v.work, Owner: "features",
	}
	if d.Home != "" { // the agent has its own settings, and so has Bellcord
		command.Bare = true
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home}
	}
	return command, nil
}
