package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app/backend"
)

type nodesFlags struct {
	settings
	serverFlags
	json bool
}

func nodesCommand() *cobra.Command {
	var f nodesFlags
	cmd := &cobra.Command{
		Use:   "nodes",
		Short: "List the nodes that share the store",
		Long: `Lists the nodes that share the store, as a server reports them (this needs the scope
admin) or, without a server, as the store has them. RENEWED is when a node last
renewed its lease, LEASE how long the lease is still valid, and NATS how long the node
takes to answer over NATS.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.printNodes(cmd.Context()) },
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the nodes as JSON")
	return cmd
}

func (f *nodesFlags) printNodes(ctx context.Context) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	at, err := backend.Open(ctx, f.backend(c, "nodes"))
	if err != nil {
		return err
	}
	nodes, err := at.Nodes(ctx)
	if err = errors.Join(err, at.Close()); err != nil {
		return err
	}
	if f.json {
		return json.NewEncoder(os.Stdout).Encode(api.Nodes{Nodes: nodes})
	}
	return listNodes(os.Stdout, nodes, time.Now())
}

func listNodes(to io.Writer, nodes []api.Node, now time.Time) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "NODE\tNAME\tVERSION\tSTATE\tUP\tRENEWED\tLEASE\tNATS\tRUNNING\tQUEUED")
	for _, n := range nodes {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\n", orDash(n.ID), orDash(n.Name), orDash(n.Version), nodeState(n),
			upSince(n, now), ago(n.LeaseAge), left(n), over(n), n.Running, n.Queued)
	}
	return out.Flush()
}

// nodeState returns a node's state: draining, silent (its lease has expired) or live.
func nodeState(n api.Node) string {
	switch {
	case n.Draining:
		return "draining"
	case n.ID != "" && n.LeaseRemaining <= 0:
		return "silent"
	}
	return "live"
}

func upSince(n api.Node, now time.Time) string {
	if n.Started.IsZero() {
		return "-"
	}
	return since(n.Started, now)
}

func ago(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1fs ago", seconds)
}

func left(n api.Node) string {
	if n.ID == "" {
		return "-"
	}
	return fmt.Sprintf("%.1fs", n.LeaseRemaining)
}

// over returns the time a node takes to respond over the bus.
func over(n api.Node) string {
	switch {
	case n.Self:
		return "here"
	case n.NATSRoundTrip == 0:
		return "-"
	}
	return fmt.Sprintf("%.1fms", n.NATSRoundTrip*1000)
}
