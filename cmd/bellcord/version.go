package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/config"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it was built with",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Printf("bellcord %s, %s, %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

func configCommand() *cobra.Command {
	all := &cobra.Command{Use: "config", Short: "Find the configuration", Args: cobra.NoArgs}
	var file string
	path := &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, _ := config.File(file)
			if !config.IsFile(at) {
				fmt.Fprintln(cmd.ErrOrStderr(), "the file does not exist yet: bellcord init writes it")
			}
			_, err := fmt.Println(at)
			return err
		},
	}
	path.Flags().StringVar(&file, "config", "", "configuration `file` (default: XDG config directory, bellcord/config.toml)")
	all.AddCommand(path)
	return all
}
