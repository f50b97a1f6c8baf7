package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/auth"
)

type openFlags struct {
	settings
	serverFlags
	print, admin bool
}

func openCommand() *cobra.Command {
	var f openFlags
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open the server's page in a browser, logged in",
		Long: `Requests a login code from the server and opens the server's page with it. The code
is valid once, for one minute. The browser exchanges it for a login and never sees a
token. The address with the code is also printed; use --print if there is no browser
here, and type the code into the page by hand if you need to.

The login can read, prompt and stop in your own sessions, as far as your token
can. With --admin it has all scopes of your token, for the sessions of all owners.
It ends after 12 hours without use, and after 30 days at the latest.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.open(cmd.Context()) },
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.admin, "admin", false, "log in with all scopes, for the sessions of all owners")
	cmd.Flags().BoolVar(&f.print, "print", false, "print the address without opening a browser")
	return cmd
}

// errNoServer means that no server runs on the data directory.
var errNoServer = errors.New("no server answers on this data directory: start one with bellcord serve")

func (f *openFlags) open(ctx context.Context) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	at, err := backend.Open(ctx, f.backend(c, "open"))
	if err != nil {
		return err
	}
	remote, is := at.(backend.Remote)
	if !is {
		return errors.Join(errNoServer, at.Close())
	}
	address, err := f.address(ctx, remote.Client)
	if err != nil {
		return err
	}
	fmt.Println(address)
	if f.print {
		return nil
	}
	if err := openInBrowser(address); err != nil {
		fmt.Fprintln(os.Stderr, "could not open a browser:", err)
	}
	return nil
}

// address returns the address of the login page with a code in its fragment. Browsers do not send
// the fragment, so the code appears in no request and no log.
func (f *openFlags) address(ctx context.Context, remote *client.Client) (string, error) {
	var newCode api.NewCode
	if f.admin {
		newCode.Scopes = bellcord.ScopeNames(auth.Scopes)
	}
	code, err := remote.Code(ctx, newCode)
	if err != nil {
		return "", err
	}
	base := code.URL
	if f.server != "" && !strings.HasPrefix(f.server, "unix:") {
		base = f.server // the address under which the person reaches the server
	}
	return strings.TrimRight(base, "/") + "/login#" + code.Code, nil
}

// openInBrowser opens an address with the system's default browser.
func openInBrowser(address string) error {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", address}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return errors.New("no display: DISPLAY and WAYLAND_DISPLAY are not set")
		}
		command = []string{"xdg-open", address}
	}
	return exec.Command(command[0], command[1:]...).Run() //nolint:noctx // it returns immediately; there is nothing to cancel
}
