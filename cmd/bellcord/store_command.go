package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/store/sqlite"
	"github.com/bellcord/bellcord/store/storecheck"
)

func storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Check, back up and restore the store",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(storeCheckCommand(), storeBackupCommand(), storeRestoreCommand(), storeAdoptCommand())
	return cmd
}

func storeCheckCommand() *cobra.Command {
	var s settings
	var asJSON bool
	var receipt string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Read the whole store and report what is damaged",
		Long: `Reads every event and turn of the store. It runs the database's own integrity check
and checks that no session has a gap in its events and that every ended turn has
exactly one end. It verifies the chain of hashes: an event that was changed after it
was written does not match its hash. With --receipt it also verifies a receipt that
you kept elsewhere: the store has the same receipt, and the log up to the receipt's
head was not rewritten. It changes nothing and works while a server runs. The exit
code is 1 if something is damaged.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			kept, err := readReceipts(receipt)
			if err != nil {
				return err
			}
			report, err := checkStore(cmd.Context(), c, kept)
			if err != nil {
				return checked{err}
			}
			for i, p := range report.Problems {
				report.Problems[i] = afterCheck(p)
			}
			return printReport(cmd.OutOrStdout(), report, asJSON)
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	receiptFlag(cmd, &receipt)
	return cmd
}

func receiptFlag(cmd *cobra.Command, receipt *string) {
	cmd.Flags().StringVar(receipt, "receipt", "", "`file` with a receipt in JSON to verify; - for standard input")
}

func checkStore(ctx context.Context, c config.Config, kept []bellcord.Receipt) (*storecheck.Report, error) {
	if c.StoreURL == "" {
		return sqlite.Check(ctx, c.DataDir, kept...)
	}
	opened, err := app.OpenStore(ctx, appConfig(c, nil))
	if err != nil {
		return nil, err
	}
	report, err := storecheck.Run(ctx, opened, kept...)
	return report, errors.Join(err, opened.Close())
}

// checked is an error of store check.
type checked struct{ error }

func (c checked) Error() string { return afterCheck(c.error.Error()) }

func (c checked) Unwrap() error { return c.error }

// afterCheck removes the advice to run store check from a text that it prints.
func afterCheck(text string) string {
	return strings.ReplaceAll(text, bellcord.ErrDamaged.Error(), "the store is damaged: restore a backup")
}

// readReceipts returns the receipt in a file, and none if file is empty.
func readReceipts(file string) ([]bellcord.Receipt, error) {
	var data []byte
	var err error
	switch file {
	case "":
		return nil, nil
	case "-":
		data, err = io.ReadAll(os.Stdin)
	default:
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the receipt: %w", err)
	}
	var r bellcord.Receipt
	if err := json.Unmarshal(data, &r); err != nil || r.Turn == "" {
		return nil, fmt.Errorf("%s is not a receipt in JSON: save one with bellcord receipt TURN --json", file)
	}
	return []bellcord.Receipt{r}, nil
}

func printReport(out io.Writer, r *storecheck.Report, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%s, %s, %s, %s verified\n", plural.Count(r.Sessions, "session"), plural.Count(r.Turns, "turn"), plural.Count(r.Events, "event"), plural.Count(r.Chained, "hash"))
		for _, p := range r.Problems {
			fmt.Fprintln(out, "problem:", p)
		}
	}
	if len(r.Problems) > 0 {
		return exitCode(exitFailed)
	}
	if !asJSON {
		fmt.Fprintln(out, "ok")
	}
	return nil
}

func storeBackupCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store to a new file, even while a server runs",
		Long: `Copies the database, as it is at one moment, to FILE. FILE must not exist; it is
created with mode 0600. Servers keep working meanwhile. Workspaces are not included:
back them up like other files.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := s.localStore("pg_dump")
			if err != nil {
				return err
			}
			began := time.Now()
			if err := sqlite.Backup(cmd.Context(), dir, args[0]); err != nil {
				return fmt.Errorf("back up %s: %w", dir, err)
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %.1f MB in %.2f s\n", args[0], float64(info.Size())/1e6, time.Since(began).Seconds())
			return nil
		},
	}
	s.dataFlags(cmd)
	return cmd
}

func storeRestoreCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Replace the store with a backup; no server may run",
		Long: `Replaces the database with a file that bellcord store backup made. The current
database is kept as bellcord.db.old. Turns that had not ended at the time of the
backup end as lost at the next start. If the data directory has no token that the
restored store accepts, a new one with all scopes is written to DATA/token.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := s.localStore("pg_restore")
			if err != nil {
				return err
			}
			old, err := sqlite.Restore(cmd.Context(), dir, args[0])
			if err != nil {
				return fmt.Errorf("restore into %s: %w", dir, err)
			}
			if old != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "The previous database is kept as %s.\n", old)
			}
			path, created, err := app.RestoreToken(cmd.Context(), dir)
			if created {
				fmt.Fprintf(cmd.OutOrStdout(), "A new token with all scopes is in %s.\n", path)
			}
			return err
		},
	}
	s.dataFlags(cmd)
	return cmd
}

func storeAdoptCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Accept the database as it is after a refused start",
		Long: `Accepts the database in the data directory as the one that the directory expects. Use
it if a start was refused because the database was replaced or has lost its last
commits, and you have no backup. Data that is missing stays missing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := s.localStore("pg_restore")
			if err != nil {
				return err
			}
			return sqlite.Adopt(cmd.Context(), dir)
		},
	}
	s.dataFlags(cmd)
	return cmd
}

// localStore returns the data directory if the store is a file, or an error that names the tool for
// PostgreSQL.
func (s *settings) localStore(tool string) (string, error) {
	c, err := s.load()
	if err == nil && c.StoreURL != "" {
		err = fmt.Errorf("the store is in PostgreSQL: use %s; see docs/scale.md", tool)
	}
	return c.DataDir, err
}
