package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/setup"
)

type initFlags struct {
	file  string
	force bool
}

func initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration for what is found on this machine",
		Long: `Writes a commented configuration file to the default path, or to the file that
--config names. It asks no questions: the model comes from a provider whose key is
in the environment, or else from a model server on this machine, or else it is the
built-in fake model, which needs no key. No key is written to the file.

An existing file is not changed, unless you add --force; then it is kept as
FILE.old.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.runInit(cmd.Context(), os.Stdout) },
	}
	cmd.Flags().StringVar(&f.file, "config", "", "`file` to write (env BELLCORD_CONFIG; default: bellcord/config.toml in the XDG config directory)")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file and keep it as FILE.old")
	return cmd
}

func (f *initFlags) runInit(ctx context.Context, out io.Writer) error {
	w, err := setup.Write(ctx, f.file, f.force)
	if err != nil {
		return err
	}
	if w.Backup != "" {
		fmt.Fprintf(out, "backup:  %s\n", w.Backup)
	}
	fmt.Fprintf(out, "written: %s\nmodel:   %s (%s)\n", w.Path, w.Model, w.Reason)
	fmt.Fprintf(out, "next:    bellcord chat, or bellcord run \"hello\"\n")
	return nil
}
