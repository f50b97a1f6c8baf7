package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/doctor"
)

func doctorCommand() *cobra.Command {
	var s settings
	var asJSON bool
	var receipt string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the setup and show how to fix what is wrong",
		Long: `Checks the configuration, keys, models, agents, process containment, the sandbox, the data
directory, the store, the port and the clock. It prints one line per finding, with a
fix for everything that is not ok. Providers are asked for their list of models,
which costs nothing. Every installed agent is started once and ended again. Events of
the store are verified by their hashes for up to 10 seconds; bellcord store check
verifies all of them.

The exit code is 1 if something is broken, and 0 if there are only warnings.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept, err := readReceipts(receipt)
			if err != nil {
				return err
			}
			c, err := s.load()
			d := doctor.New(s.file, appConfig(c, nil), err, kept...)
			defer d.Close()
			found := d.Run(cmd.Context(), progress(asJSON), func(f doctor.Finding) {
				if !asJSON {
					fmt.Println(findingLine(f))
				}
			})
			if asJSON {
				out := json.NewEncoder(os.Stdout)
				out.SetIndent("", "  ")
				if err := out.Encode(found); err != nil {
					return err
				}
			}
			return outcome(found)
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	receiptFlag(cmd, &receipt)
	return cmd
}

// progress returns a function that shows the running check on a terminal. It shows nothing if quiet
// is set or if stdout or stderr is not a terminal.
func progress(quiet bool) func(check string) {
	if quiet || !isatty.IsTerminal(os.Stderr.Fd()) || !isatty.IsTerminal(os.Stdout.Fd()) {
		return func(string) {}
	}
	return func(check string) {
		if check == "" {
			fmt.Fprint(os.Stderr, "\r\x1b[K") //nolint:errcheck // a terminal
			return
		}
		fmt.Fprintf(os.Stderr, "\r… %s", check)
	}
}

func findingLine(f doctor.Finding) string {
	line := fmt.Sprintf("%-8s %-14s %s", f.Verdict, f.Check, f.Says)
	if f.Fix != "" {
		line += fmt.Sprintf("\n%-8s %-14s fix: %s", "", "", f.Fix)
	}
	return line
}

func outcome(all []doctor.Finding) error {
	for _, f := range all {
		if f.Verdict == doctor.Broken {
			return exitCode(exitFailed)
		}
	}
	return nil
}
