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
		Short: "Print the version of Bellcord and Go, and the platform",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Printf("bellcord %s, %s, %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

func configCommand() *cobra.Command {
	all := &cobra.Command{Use: "config", Short: "Show where the configuration is", Args: cobra.NoArgs}
	var file string
	path := &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, _ := config.File(file)
			if !config.IsFile(at) {
				fmt.Fprintln(cmd.ErrOrStderr(), "the file does not exist yet: create it with bellcord init")
			}
			_, err := fmt.Println(at)
			return err
		},
	}
	path.Flags().StringVar(&file, "config", "", "configuration `file` (env BELLCORD_CONFIG; default: bellcord/config.toml in the XDG config directory)")
	all.AddCommand(path)
	return all
}
