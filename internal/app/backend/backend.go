// Package backend gives commands one way to work with turns, whether they are at a
// server or in this data directory. It finds the server, its token, and the
// session or turn that a short id means.
package backend

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/line"
)

// Backend is where turns are: Remote or Local.
type Backend interface {
	Turns(ctx context.Context) ([]api.Turn, error)
	Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
	// Sessions returns a page and the cursor of the next one, "" at the end.
	Sessions(ctx context.Context, before string) ([]bellcord.Session, string, error)
	// Events follows a session. It calls lost when the connection breaks; the
	// returned function ends it.
	Events(ctx context.Context, id bellcord.SessionID, after int64, lost func(error)) (line.Source, func(), error)
	// Stop stops a turn, or what a session runs, or everything: the first of them
	// that is not empty.
	Stop(ctx context.Context, turn bellcord.TurnID, session bellcord.SessionID, s api.Stop) (api.Stopped, error)
	Answer(ctx context.Context, turn bellcord.TurnID, question, choice string) error
	Rename(ctx context.Context, id bellcord.SessionID, title string) error
	// Remove stops what a session runs and deletes the session; with files, also
	// its workspace.
	Remove(ctx context.Context, id bellcord.SessionID, files bool) error
	Nodes(ctx context.Context) ([]api.Node, error)
	Close() error
}

// Config selects a backend.
type Config struct {
	// App is used if no server is found.
	App app.Config
	// Server is the URL of a server, "" to look for one on the data directory.
	Server string
	// TokenFile has the token for the server, "" for the usual places.
	TokenFile string
	// Command is the name of the command, for the receipts of stops.
	Command string
}

// program is how a command identifies itself to a server.
func (c Config) program() string { return "bellcord-" + c.Command + "/" + c.App.Version }

// aliveTimeout is how long a server on this machine may take to answer.
const aliveTimeout = time.Second

// Open returns the server in the Config, or the server on the data directory if it
// answers, or else opens the data directory itself.
func Open(ctx context.Context, c Config) (Backend, error) {
	if c.Server != "" {
		remote, err := Dial(c)
		if err != nil {
			return nil, err
		}
		return Remote{remote}, nil
	}
	if err := app.RefuseInsideTurn(c.App.Settings.Data); err != nil {
		return nil, err
	}
	socket := socketPath(c.App.Settings.Data)
	if _, err := os.Stat(socket); err == nil {
		token, err := c.socketToken(socket)
		if err != nil {
			return nil, err
		}
		remote, err := client.New("unix:"+socket, token)
		if err != nil {
			return nil, err
		}
		soon, done := context.WithTimeout(ctx, aliveTimeout)
		defer done()
		err = remote.As(c.program()).Alive(soon)
		if err == nil {
			return Remote{remote}, nil
		}
		if refused(err, http.StatusForbidden) { // a server runs, and this process may not use it
			return nil, err
		}
	}
	opened, err := app.Open(ctx, c.App)
	if err != nil {
		return nil, err
	}
	return Local{opened, api.Surface(c.program())}, nil
}

// Dial returns a client of the server in the Config.
func Dial(c Config) (*client.Client, error) {
	bare, err := client.New(c.Server, "")
	if err != nil {
		return nil, err
	}
	token, err := c.token(bare.Near())
	if path, ok := strings.CutPrefix(c.Server, "unix:"); ok {
		token, err = c.socketToken(path)
	}
	if err != nil {
		return nil, err
	}
	remote, err := client.New(c.Server, token)
	if err != nil {
		return nil, err
	}
	return remote.As(c.program()), nil
}

// token returns the token for a server. The token in the data directory is for the
// server on this machine; it is sent to no other.
func (c Config) token(near bool) (string, error) {
	path := c.TokenFile
	if path == "" {
		if token := os.Getenv("BELLCORD_TOKEN"); token != "" || !near {
			return token, nil
		}
		path = filepath.Join(c.App.Settings.Data, "token")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && c.TokenFile == "" {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// socketToken returns the token for the server at a socket: the one in TokenFile,
// else the one next to the socket, else that of the environment. Without a token
// a person can still read and stop.
func (c Config) socketToken(socket string) (string, error) {
	if c.TokenFile != "" {
		text, err := os.ReadFile(c.TokenFile)
		return strings.TrimSpace(string(text)), err
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(socket), "token")); err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	return os.Getenv("BELLCORD_TOKEN"), nil
}

func socketPath(data string) string { return filepath.Join(data, "bellcord.sock") }

// ServerRuns reports whether a server answers on the socket of a data directory.
func ServerRuns(ctx context.Context, data string) bool {
	socket := socketPath(data)
	if _, err := os.Stat(socket); err != nil {
		return false
	}
	remote, err := client.New("unix:"+socket, "")
	if err == nil {
		err = remote.Alive(ctx)
	}
	return err == nil || refused(err, http.StatusForbidden)
}
