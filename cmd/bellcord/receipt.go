package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
		Use:   "receipt [TURN | SESSION]",
		Short: "Print the receipt of a turn that has ended",
		Long: `Prints a receipt: how the turn ended and who stopped it, which processes were ended and
how that was proved, which files changed, what was kept. Without an argument it is the receipt of the last turn
that has ended, for a session that of its last turn that has ended. The beginning or the end of
an id is enough. It is read from the server that --server names, or from the server of
the data directory, or else from the store. Save the receipt with --json to verify it
later with bellcord store check --receipt FILE.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) == 1 {
				if id = strings.TrimSpace(args[0]); id == "" {
					return errors.New("the id is empty: name a turn or a session, or leave it out for the last turn")
				}
			}
			r, err := f.find(cmd.Context(), id)
			if err != nil {
				return err
			}
			if f.json {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), line.Details(r))
			return err
		},
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the receipt as JSON")
	return cmd
}

func (f *receiptFlags) find(ctx context.Context, id string) (bellcord.Receipt, error) {
	c, err := f.load()
	if err != nil {
		return bellcord.Receipt{}, err
	}
	at, err := backend.Open(ctx, f.backend(c, "receipt"))
	if err != nil {
		return bellcord.Receipt{}, err
	}
	r, err := backend.FindReceipt(ctx, at, id)
	if err == nil && !f.json && r.Changes != nil && r.Changes.Pending {
		if known, err := at.Changes(ctx, r.Turn); err == nil {
			r.Changes = &known // for people; the recorded receipt does not change
		}
	}
	return r, errors.Join(err, at.Close())
}
