package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/setup"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/editor"
)

type initFlags struct {
	file         string
	force, yes   bool
	model, agent string
	editors      []string
}

func initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration for what is found on this machine",
		Long: `Finds API keys in the environment, model servers on this machine (Ollama, LM Studio
and llama.cpp at their default ports), installed agents and editors. Then it writes a
commented configuration file to the default path, or to the file that --config names.

In a terminal it asks which model to use, whether to host an agent that was found, and
which editors to set up. It changes nothing before the last answer. With --yes, or
without a terminal, it asks nothing: it takes the model of a provider whose key is in
the environment, or else of a model server, or else the built-in fake model, which
needs no key. It sets up an editor only if you name it.

No key is written to the file. An existing file is not changed, unless you add --force;
then it is kept as FILE.old.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.yes || !interactive() {
				return f.runInit(cmd.Context(), nil, os.Stdout)
			}
			return f.runInit(cmd.Context(), os.Stdin, os.Stdout)
		},
	}
	cmd.Flags().StringVar(&f.file, "config", "", "`file` to write (env BELLCORD_CONFIG; default: bellcord/config.toml in the XDG config directory)")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file and keep it as FILE.old")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "ask nothing and take the first model that was found")
	cmd.Flags().StringVar(&f.model, "model", "", "use this model, as `provider/model`, and do not ask for it")
	cmd.Flags().StringVar(&f.agent, "agent", "", "host the agent with this `name`, and do not ask for one (bellcord agents lists them)")
	cmd.Flags().StringArrayVar(&f.editors, "editor", nil, "set up the editor with this `name`: zed or jetbrains; can be repeated")
	return cmd
}

// runInit finds what there is, asks what to use if in is not nil, and then writes.
func (f *initFlags) runInit(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := setup.Replaceable(f.file, f.force); err != nil {
		return err
	}
	editors, err := f.namedEditors()
	if err != nil {
		return err
	}
	found := setup.Search(ctx, f.file, config.Config{})
	choices, err := f.choices(ctx, found)
	if err != nil {
		return err
	}
	chosen := choices[0]
	if in != nil {
		a := asker{in: bufio.NewScanner(in), out: out}
		fmt.Fprintln(out, "Found")
		printFound(out, found)
		if chosen, err = a.choose(choices, f.offeredAgents(found)); err != nil {
			return err
		}
		more, err := a.chooseEditors(found, editors)
		if err != nil {
			return err
		}
		editors = append(editors, more...)
	}
	w, err := setup.WriteChoice(f.file, chosen, f.force)
	if err != nil {
		return err
	}
	printWritten(out, w)
	if err := f.setUp(editors, out); err != nil {
		return err
	}
	printNext(out, found, w, editors)
	return nil
}

// choices returns the models to choose from: only the one that --model names, if it is set.
func (f *initFlags) choices(ctx context.Context, found setup.Survey) ([]setup.Choice, error) {
	if f.agent != "" {
		if _, known := preset.Named(f.agent); !known {
			return nil, fmt.Errorf("unknown agent %q: bellcord agents lists the agents", f.agent)
		}
	}
	all := setup.Choices(ctx, found)
	if f.model != "" {
		chosen, err := namedModel(f.model, all)
		if err != nil {
			return nil, err
		}
		all = []setup.Choice{chosen}
	}
	for i := range all {
		all[i].Agent = f.agent
	}
	return all, nil
}

// namedModel returns the choice of a model that was found, or of another one if a configured
// provider can have it.
func namedModel(name string, found []setup.Choice) (setup.Choice, error) {
	for _, c := range found {
		if c.Model == name {
			return c, nil
		}
	}
	c, err := config.FromEnvironment()
	if err != nil {
		return setup.Choice{}, err
	}
	models := app.NewModels(c)
	defer models.Close()
	_, _, err = models.Split(name)
	return setup.Choice{Model: name, Reason: "you named it"}, err
}

// offeredAgents returns the agents to ask for: none if --agent names one.
func (f *initFlags) offeredAgents(found setup.Survey) []string {
	if f.agent != "" {
		return nil
	}
	return found.Agents
}

func (f *initFlags) namedEditors() ([]editor.Editor, error) {
	var all []editor.Editor
	for _, name := range f.editors {
		e, err := editor.Named(name)
		if err != nil {
			return nil, err
		}
		if e.ByHand() {
			return nil, fmt.Errorf("%s is configured by hand: add the output of bellcord acp install %s to %s", e.Title, e.Name, e.Place(personsHome()))
		}
		all = append(all, e)
	}
	return all, nil
}

// setUp writes the settings of editors. Each starts this program with the new configuration.
func (f *initFlags) setUp(editors []editor.Editor, out io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	command := []string{program, "acp"}
	if f.file != "" {
		absolute, err := filepath.Abs(f.file)
		if err != nil {
			return err
		}
		command = append(command, "--config", absolute)
	}
	var failed []error
	for _, e := range editors {
		done, err := e.Write(personsHome(), command)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s was not set up: %w", e.Title, err))
			continue
		}
		fmt.Fprintf(out, "editor:  %s\n", editorResult(e, done))
	}
	return errors.Join(failed...)
}

func printWritten(out io.Writer, w setup.Written) {
	if w.Backup != "" {
		fmt.Fprintf(out, "backup:  %s\n", w.Backup)
	}
	fmt.Fprintf(out, "written: %s\n", w.Path)
	if w.Agent != "" {
		fmt.Fprintf(out, "agent:   %s, hosted by Bellcord\n", w.Agent)
		return
	}
	fmt.Fprintf(out, "model:   %s (%s)\n", w.Model, w.Reason)
}

// printNext prints what to type next, also for the agents and editors that are not set up.
func printNext(out io.Writer, found setup.Survey, w setup.Written, editors []editor.Editor) {
	fmt.Fprintf(out, "next:    bellcord chat, or bellcord run \"hello\"\n")
	for _, name := range found.Agents {
		if name != w.Agent {
			fmt.Fprintf(out, "         bellcord run --agent %s \"…\": %s, with a stop that works\n", name, name)
		}
	}
	done := map[string]bool{}
	for _, e := range editors {
		done[e.Name] = true
	}
	for _, e := range found.Editors {
		if done[e.Name] {
			continue
		}
		command := "bellcord acp install " + e.Name
		if !e.ByHand() {
			command += " --write"
		}
		fmt.Fprintf(out, "         %s: Bellcord in %s\n", command, e.Title)
	}
}

// printFound prints the keys, model servers, agents and editors of this machine.
func printFound(out io.Writer, found setup.Survey) {
	for _, row := range [][3]string{
		{"keys", keyNames(found), "none in the environment"},
		{"model servers", serverNames(found), "none on this machine"},
		{"agents", strings.Join(found.Agents, ", "), "none installed"},
		{"editors", editorNames(found), "none with ACP support"},
	} {
		fmt.Fprintf(out, "  %-15s%s\n", row[0], cmp.Or(row[1], row[2]))
	}
}
