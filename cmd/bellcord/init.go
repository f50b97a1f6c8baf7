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
		Short: "Write a configuration from what is found here; without a key it works with a fake model",
		Long: `Writes a commented configuration file at the usual place, or where --config says.
It asks nothing: the model is one of a provider whose key is in the environment,
else of a model server on this machine, else the fake one that is built in, which
needs no key. No key is written into the file.

An existing file is left alone, unless --force is given; then it is kept as
config.toml.old.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), os.Stdout) },
	}
	cmd.Flags().StringVar(&f.file, "config", "", "`file` to write (default: XDG config directory, bellcord/config.toml)")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file, and keep it as FILE.old")
	return cmd
}

func (f *initFlags) run(ctx context.Context, out io.Writer) error {
	w, err := setup.Write(ctx, f.file, f.force)
	if err != nil {
		return err
	}
	if w.Backup != "" {
		fmt.Fprintf(out, "kept:    %s\n", w.Backup)
	}
	fmt.Fprintf(out, "written: %s\nmodel:   %s (%s)\n", w.Path, w.Model, w.Reason)
	fmt.Fprintf(out, "next:    bellcord chat, or bellcord run \"hello\"\n")
	return nil
}
