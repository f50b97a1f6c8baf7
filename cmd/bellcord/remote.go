package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/config"
)

// serverFlags say which server a command speaks to, and as whom.
type serverFlags struct {
	server, tokenFile string
}

func (f *serverFlags) flags(cmd *cobra.Command) {
	// What is set in the environment is the default, so that --server= means none.
	cmd.Flags().StringVar(&f.server, "server", os.Getenv("BELLCORD_SERVER"),
		"`URL` of a server: http://host:port, https://host or unix:/path (env BELLCORD_SERVER; its token: env BELLCORD_TOKEN)")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`file` with the token for the server (default: env BELLCORD_TOKEN, or the file token in the data directory of a server on this machine)")
}

// backend returns how a command finds the turns.
func (f *serverFlags) backend(c config.Config, command string) backend.Config {
	return backend.Config{App: appConfig(c, turnLog(false)), Server: f.server, TokenFile: f.tokenFile, Command: command}
}
