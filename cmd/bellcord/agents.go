package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/proc"
)

func agentsCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "agents [NAME…]",
		Short: "List hosted agents and whether they are installed and start",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			return listAgents(cmd.Context(), c, args)
		},
	}
	s.dataFlags(cmd)
	return cmd
}

func listAgents(ctx context.Context, c config.Config, only []string) error {
	keeper, err := proc.Open("", proc.Options{Logger: logger(), AdoptOrphans: true})
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "AGENT\tPROTOCOL\tCOMMAND\tSTATE")
	for _, name := range app.AgentNames(c) {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		d, err := app.AgentDefinition(c, name)
		state := ""
		if err == nil {
			state, err = app.TryAgent(ctx, appConfig(c, nil), d, keeper)
		}
		if err != nil {
			state = strings.Join(strings.Fields(err.Error()), " ")
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", name, d.Protocol, strings.Join(d.Command, " "), state)
	}
	return errors.Join(out.Flush(), keeper.Close())
}
