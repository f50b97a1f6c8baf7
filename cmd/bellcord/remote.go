package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/config"
)

// serverFlags are the flags that select a server and the token for it.
type serverFlags struct {
	server, tokenFile string
}

func (f *serverFlags) flags(cmd *cobra.Command) {
	// The environment is the default, so that --server= selects no server.
	cmd.Flags().StringVar(&f.server, "server", os.Getenv("BELLCORD_SERVER"),
		"`URL` of a server: http://host:port, https://host or unix:/path (env BELLCORD_SERVER; its token: env BELLCORD_TOKEN)")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`file` with the token for the server (default: env BELLCORD_TOKEN, or the file token in the data directory of a server on this machine)")
}

// backend returns the configuration with which a command opens its backend.
func (f *serverFlags) backend(c config.Config, command string) backend.Config {
	return backend.Config{App: appConfig(c, turnLog(false)), Server: f.server, TokenFile: f.tokenFile, Command: command}
}
