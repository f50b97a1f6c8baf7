package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/features"
)

// mcpServerCommand is the MCP server that compareFeatures offers to the agent.
func mcpServerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "mcp-server", Short: "Serve the MCP server of probe --features", Args: cobra.NoArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return features.ServeMCP(cmd.Context()) },
	}
}

// compareFeatures compares an agent alone and behind this program.
func (f *probeFlags) compareFeatures(ctx context.Context, command []string) error {
	agent := features.Command(func(model string) (preset.Definition, error) {
		d := f.definition(command, model)
		f.setShell(&d)
		return d, nil
	})
	if f.agent != "" {
		kit, is := features.Named(f.agent)
		if !is {
			return fmt.Errorf("unknown agent %q: bellcord agents lists the known ones", f.agent)
		}
		agent = kit
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	server, url, err := features.ListenMCP()
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	all, version, err := features.Compare(ctx, features.Place{
		Bellcord: self, MCP: []string{self, "dev", "mcp-server"}, MCPURL: url, Environment: app.AgentEnvironment, Sandbox: f.sandbox,
	}, agent)
	if err != nil {
		return err
	}
	return f.printFeatures(strings.TrimSpace(cmp.Or(f.agent, "command")+" "+version), all)
}

// printFeatures prints a table. It returns an error if a feature is lost that is
// not an exception.
func (f *probeFlags) printFeatures(name string, all []features.Comparison) error {
	mark := map[features.State]string{features.Present: "yes", features.Absent: "no", features.NotOffered: "–"}
	alone, lost := 0, 0
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if !f.json {
		fmt.Fprintf(out, "%s\nfeature\talone\tbehind\tobserved\n", name) //nolint:errcheck // Flush returns the error
	}
	for _, c := range all {
		if c.Bare.State == features.Present {
			alone++
		}
		observed := c.Behind.Saw
		switch {
		case c.Reason != "":
			observed = "on purpose: " + c.Reason
		case c.Lost != "":
			lost++
			observed = "LOST: " + c.Lost
		}
		if !f.json {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", c.Feature, mark[c.Bare.State], mark[c.Behind.State], observed) //nolint:errcheck // Flush returns the error
		}
	}
	if f.json {
		if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"name": name, "features": all}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%d features alone, %d of them lost behind Bellcord\n", alone, lost) //nolint:errcheck // Flush returns the error
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if lost > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
