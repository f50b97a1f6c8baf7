// Command features drives real agents twice, bare and behind Bellcord, with a fake model as their
// only service, and writes a table of the features that each has both ways. A feature that is there
// bare and not behind is lost, which fails the run, unless the loss is listed as an exception.
// A command after -- is another agent to compare.
//
// The package drive drives the agents and recognizes the features.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/peers/features/internal/drive"
)

// options are the flags.
type options struct {
	names    string
	ways     string
	out      string
	parallel int
	record   string // the folder for the frames of each visit, or ""
	shell    string // the shell tool of a command and its argument: bash:command
	json     bool   // print the comparison of a command as JSON
	place    drive.Place
}

// mcpServer is the argument with which agents start this program as an MCP server.
const mcpServer = "mcp-server"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := runMain(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "features:", err)
		os.Exit(1)
	}
}

func runMain(ctx context.Context) error {
	if len(os.Args) == 2 && os.Args[1] == mcpServer {
		return drive.ServeMCP(ctx)
	}
	var o options
	flag.StringVar(&o.place.Bellcord, "bellcord", "bin/bellcord", "the built `program`")
	flag.StringVar(&o.place.Agents, "agents", os.Getenv("BELLCORD_AGENTS"), "`directory` that peers/agents/install printed; otherwise the agents are on PATH")
	flag.StringVar(&o.place.Sandbox, "sandbox", "", "`mode` of Bellcord's sandbox: auto, require or off")
	flag.StringVar(&o.shell, "shell", "", "`tool:argument` with which the model of a command after -- runs a command, such as bash:command")
	flag.BoolVar(&o.json, "json", false, "print the comparison of a command after -- as JSON")
	flag.StringVar(&o.record, "record", "", "`directory` for the frames and findings of each visit")
	flag.StringVar(&o.names, "names", "goose,opencode,claude,codex,gemini,qwen,kimi,pi", "which agents, by name")
	flag.StringVar(&o.ways, "ways", "bare,behind", "how the agents are driven")
	flag.StringVar(&o.out, "out", "", "`page` whose section is replaced, such as docs/dev/peers.md; default: print it")
	flag.IntVar(&o.parallel, "parallel", 2, "how many visits run at the same time")
	stops := flag.Int("stops", 0, "instead of the table, stop this many turns of each agent behind Bellcord, on stdio and over WebSocket")
	undos := flag.Int("undos", 0, "instead of the table, stop and undo this many turns of each agent behind Bellcord")
	costs := flag.Int("costs", 0, "instead of the table, measure this many sessions of each agent in one directory, bare and behind Bellcord")
	flag.Parse()
	return o.run(ctx, *stops, *undos, *costs, flag.Args())
}

func (o options) run(ctx context.Context, stops, undos, costs int, command []string) error {
	if o.place.Agents == "" && o.out != "" {
		return errors.New("no agents: set BELLCORD_AGENTS to what peers/agents/install prints")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o.place.MCP, o.place.Environment = []string{self, mcpServer}, app.AgentEnvironment
	server, url, err := drive.ListenMCP()
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	o.place.MCPURL = url
	if len(command) > 0 {
		return o.compareCommand(ctx, command)
	}
	if stops > 0 {
		return o.stopAll(ctx, stops)
	}
	if undos > 0 {
		return o.undoAll(ctx, undos)
	}
	if costs > 0 {
		return o.costAll(ctx, costs)
	}
	reports, err := o.visitAll(ctx)
	if err != nil {
		return err
	}
	return o.publish(reports)
}

// publish writes the section. Losses and agents that could not be run are errors.
func (o options) publish(reports []report) error {
	section := compose(reports)
	if o.out == "" {
		fmt.Print(section)
	} else if err := writeSection(o.out, "peers-features", section); err != nil {
		return err
	}
	var failed []string
	for _, l := range losses(reports) {
		if l.reason == "" {
			failed = append(failed, fmt.Sprintf("%s, %s: %s", l.agent, l.feature, l.missing))
		}
	}
	for _, r := range reports {
		for w, result := range r.Ways {
			if result.Failed != "" {
				failed = append(failed, fmt.Sprintf("%s %s was not run: %s", r.Agent, w, result.Failed))
			}
		}
	}
	if len(failed) > 0 {
		slices.Sort(failed)
		return fmt.Errorf("%d lost behind Bellcord, or not run:\n  %s", len(failed), strings.Join(failed, "\n  "))
	}
	return nil
}

// kitsOf returns the agents that were selected.
func (o options) kitsOf() (map[string]drive.Kit, error) {
	kits := map[string]drive.Kit{}
	for _, name := range strings.Split(o.names, ",") {
		k, is := drive.Named(name)
		if !is {
			return nil, fmt.Errorf("there is no agent %q", name)
		}
		kits[name] = k
	}
	return kits, nil
}

// visitAll drives every agent every way.
func (o options) visitAll(ctx context.Context) ([]report, error) {
	kits, err := o.kitsOf()
	if err != nil {
		return nil, err
	}
	var reports []report
	for _, name := range strings.Split(o.names, ",") {
		reports = append(reports, report{Agent: name, Ways: map[drive.Way]drive.Results{}})
	}
	var all sync.WaitGroup
	var mu sync.Mutex // protects reports
	free := make(chan struct{}, max(o.parallel, 1))
	for i := range reports {
		name := reports[i].Agent
		for _, w := range []drive.Way{drive.Bare, drive.Behind} {
			if !slices.Contains(strings.Split(o.ways, ","), string(w)) {
				continue
			}
			all.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				result, version := o.visitOne(ctx, name, kits[name], w)
				mu.Lock()
				defer mu.Unlock()
				reports[i].Ways[w] = result
				if version != "" && (w == drive.Bare || reports[i].Version == "") {
					reports[i].Version = version
				}
			})
		}
	}
	all.Wait()
	return reports, ctx.Err()
}

// visitOne drives one agent one way and reads the record.
func (o options) visitOne(ctx context.Context, name string, k drive.Kit, w drive.Way) (drive.Results, string) {
	began := time.Now()
	ctx, done := context.WithTimeout(ctx, drive.Bound)
	defer done()
	v, leave, err := drive.Open(ctx, o.place, k, w)
	if err != nil {
		return drive.Results{Failed: err.Error()}, ""
	}
	defer leave()
	found, err := v.Look()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s, %s: %v\n", name, w, err)
		return drive.Results{Failed: err.Error()}, ""
	}
	seen := 0
	for _, f := range found.Findings {
		if f.State == drive.Present {
			seen++
		}
	}
	version := ""
	if w == drive.Bare {
		version = v.Version()
	}
	fmt.Fprintf(os.Stderr, "%s, %s: %d of %d features, %s\n", name, w, seen, len(found.Findings), time.Since(began).Round(time.Second))
	if err := o.keep(v, found); err != nil {
		fmt.Fprintln(os.Stderr, "features:", err)
	}
	return found, version
}

// keep writes the record of a visit.
func (o options) keep(v *drive.Visit, found drive.Results) error {
	if o.record == "" {
		return nil
	}
	findings, err := json.MarshalIndent(found, "", " ")
	if err != nil {
		return err
	}
	name := v.FileName(o.record)
	return errors.Join(v.WriteRecord(name), os.WriteFile(name+".json", findings, 0o600))
}

// stopAll stops turns of every agent, one agent after the other, and returns an error if anything
// was wrong.
func (o options) stopAll(ctx context.Context, n int) error {
	kits, err := o.kitsOf()
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range strings.Split(o.names, ",") {
		for _, way := range []drive.Way{drive.Behind, drive.Network} {
			if err := o.stopAgent(ctx, name, kits[name], way, n); err != nil {
				failed = append(failed, fmt.Errorf("%s, %s: %w", name, way, err))
			}
		}
	}
	return errors.Join(failed...)
}

func (o options) stopAgent(ctx context.Context, name string, k drive.Kit, way drive.Way, n int) error {
	v, leave, err := drive.Open(ctx, o.place, k, way)
	if err != nil {
		return err
	}
	defer leave()
	s, err := v.Stop(n)
	if s != nil {
		fmt.Printf("%s, %s: %s\n", name, way, s)
		for _, w := range s.Wrong() {
			fmt.Println("  " + w)
		}
		if len(s.Wrong()) > 0 {
			err = errors.Join(err, fmt.Errorf("%d wrong", len(s.Wrong())))
		}
	}
	return errors.Join(err, o.keep(v, drive.Results{}))
}
