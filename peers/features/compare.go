package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/peers/features/internal/drive"
)

// compareCommand compares an agent that is not built in, alone and behind Bellcord.
func (o options) compareCommand(ctx context.Context, command []string) error {
	all, version, err := drive.Compare(ctx, o.place, drive.Command(func(model string) (preset.Definition, error) {
		return o.definition(command, model), nil
	}))
	if err != nil {
		return err
	}
	lost, err := o.printComparison(strings.TrimSpace("command "+version), all)
	if err == nil && lost > 0 {
		err = fmt.Errorf("%d features are lost behind Bellcord", lost)
	}
	return err
}

// definition returns a command as an agent that uses the fake model.
func (o options) definition(command []string, model string) preset.Definition {
	d := preset.Definition{Name: "command", Command: command, Protocol: "acp", Env: map[string]string{
		"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": model + "/v1", "ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": model,
		"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": model,
	}}
	if tool, argument, hasArgument := strings.Cut(o.shell, ":"); hasArgument {
		d.ShellTool, d.ShellArgs = tool, func(command string) string {
			text, _ := json.Marshal(map[string]string{argument: command}) // a map of strings always encodes
			return string(text)
		}
	}
	return d
}

// printComparison prints a table or JSON, and returns how many features are lost that are not exceptions.
func (o options) printComparison(name string, all []drive.Comparison) (lost int, err error) {
	for _, c := range all {
		if c.Lost != "" && c.Reason == "" {
			lost++
		}
	}
	if o.json {
		return lost, json.NewEncoder(os.Stdout).Encode(map[string]any{"name": name, "features": all})
	}
	marks := map[drive.State]string{drive.Present: "yes", drive.Absent: "no", drive.NotOffered: "–"}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\nfeature\talone\tbehind\tobserved\n", name) //nolint:errcheck // Flush returns the error
	alone := 0
	for _, c := range all {
		if c.Bare.State == drive.Present {
			alone++
		}
		observed := c.Behind.Saw
		switch {
		case c.Reason != "":
			observed = "on purpose: " + c.Reason
		case c.Lost != "":
			observed = "LOST: " + c.Lost
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", c.Feature, marks[c.Bare.State], marks[c.Behind.State], observed) //nolint:errcheck // Flush returns the error
	}
	fmt.Fprintf(out, "%d features alone, %d of them lost behind Bellcord\n", alone, lost) //nolint:errcheck // Flush returns the error
	return lost, out.Flush()
}
