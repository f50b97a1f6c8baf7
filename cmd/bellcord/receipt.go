package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/front/line"
)

// receiptFlags are the flags of bellcord receipt.
type receiptFlags struct {
	settings
	serverFlags
	json bool
}

func receiptCommand() *cobra.Command {
	var f receiptFlags
	cmd := &cobra.Command{
		Use:   "receipt TURN",
		Short: "Print the receipt of a turn that has ended",
		Long: `Prints the receipt of a turn: how it ended, what was kept, which processes ended and
how that was proved. It reads from the server that --server names, or from the server
of the data directory, or else from the store. TURN is a complete id, as in the events
and in the answer to a prompt. Save the receipt with --json to verify it later with
bellcord store check --receipt FILE.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if f.json {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			}
			return printReceipt(cmd.OutOrStdout(), r)
		},
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the receipt as JSON")
	return cmd
}

func (f *receiptFlags) find(ctx context.Context, id string) (bellcord.Receipt, error) {
	turn, err := bellcord.ParseTurnID(id)
	if err != nil {
		return bellcord.Receipt{}, fmt.Errorf("%q is not the complete id of a turn: %w", id, err)
	}
	c, err := f.load()
	if err != nil {
		return bellcord.Receipt{}, err
	}
	at, err := backend.Open(ctx, f.backend(c, "receipt"))
	if err != nil {
		return bellcord.Receipt{}, err
	}
	r, err := at.Receipt(ctx, turn)
	if err = errors.Join(err, at.Close()); err != nil {
		return bellcord.Receipt{}, err
	}
	if r == nil {
		return bellcord.Receipt{}, fmt.Errorf("turn %s has not ended: stop it with bellcord stop %s, or wait", turn, turn)
	}
	return *r, nil
}

// printReceipt prints a receipt for a person.
func printReceipt(out io.Writer, r bellcord.Receipt) error {
	fmt.Fprintf(out, "turn     %s\nsession  %s\n%s\n", r.Turn, r.Session, line.Receipt(r)) //nolint:errcheck // the last write reports it
	for _, p := range r.Processes.Ended {
		fmt.Fprintf(out, "process  %d %s: %s\n", p.PID, line.Visible(p.Name), p.How) //nolint:errcheck // the last write reports it
	}
	if r.Processes.Proof != "" {
		fmt.Fprintf(out, "proof    %s\n", r.Processes.Proof) //nolint:errcheck // the last write reports it
	}
	if r.LogHead == nil {
		return nil
	}
	_, err := fmt.Fprintf(out, "log      event %d, SHA-256 %s\n", r.LogHead.Seq, r.LogHead.Hash)
	return err
}
