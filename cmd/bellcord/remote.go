package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/client"
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
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`file` with the token for the server")
}

// program is how a command calls itself to a server, which puts a word for it
// into the receipts of stops.
func program(command string) string { return "bellcord-" + command + "/" + version }

// named returns a client of the server that was named, for a command.
func (f *serverFlags) named(c config.Config, command string) (*client.Client, error) {
	bare, err := client.New(f.server, "")
	if err != nil {
		return nil, err
	}
	token, err := f.token(c, bare.Near())
	if err != nil {
		return nil, err
	}
	remote, err := client.New(f.server, token)
	if err != nil {
		return nil, err
	}
	return remote.As(program(command)), nil
}

// token is the one that was named. The data directory's own opens the server on
// this machine: no other is ever shown it.
func (f *serverFlags) token(c config.Config, near bool) (string, error) {
	path := f.tokenFile
	if path == "" {
		if token := os.Getenv("BELLCORD_TOKEN"); token != "" || !near {
			return token, nil
		}
		path = filepath.Join(c.Data, "token")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.tokenFile == "" {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}
