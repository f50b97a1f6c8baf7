// Package backend lets commands use turns in the same way on a server and in
// the data directory. It finds the server, its token, and the session or turn
// for a short id.
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
	"github.com/bellcord/bellcord/store"
)

// Backend provides access to sessions and turns. Its implementations are
// Remote and Local.
type Backend interface {
	Turns(ctx context.Context) ([]api.Turn, error)
	Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
	// Sessions returns a page and the cursor of the next one, "" at the end.
	Sessions(ctx context.Context, before string) ([]bellcord.Session, string, error)
	// Events returns the events of a session after the sequence number after.
	// It calls lost when the connection breaks; the returned function ends the
	// stream.
	Events(ctx context.Context, id bellcord.SessionID, after int64, lost func(error)) (line.Source, func(), error)
	// Stop stops the turn, or if it is empty everything that the session runs,
	// or if both are empty everything.
	Stop(ctx context.Context, turn bellcord.TurnID, session bellcord.SessionID, s api.Stop) (api.Stopped, error)
	// Receipt returns the receipt of a turn, nil if the turn has not ended.
	Receipt(ctx context.Context, turn bellcord.TurnID) (*bellcord.Receipt, error)
	// Receipts returns receipts of ended turns, the last accepted first.
	Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error)
	// Changes returns what a turn changed, and Texts the texts before and after the
	// changes, of all text files or of one path.
	Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error)
	Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error)
	// Undo undoes the changes of a turn or, if q names an undo, reverses it.
	Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	// Undoable returns what an undo and a redo without a name mean.
	Undoable(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error)
	// Rewind continues the conversation as it was before a turn, or without a turn
	// takes the last rewind back.
	Rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error)
	Answer(ctx context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error
	Rename(ctx context.Context, id bellcord.SessionID, title string) error
	// Remove stops everything that a session runs and deletes the session;
	// with files, also its workspace.
	Remove(ctx context.Context, id bellcord.SessionID, files bool) error
	Nodes(ctx context.Context) ([]api.Node, error)
	Close() error
}

// Config selects a backend.
type Config struct {
	// App is used if no server is found.
	App app.Config
	// Server is the URL of a server. If it is empty, the server on the data
	// directory is used if one runs.
	Server string
	// TokenFile contains the token for the server. If it is empty, the token
	// comes from BELLCORD_TOKEN or the data directory.
	TokenFile string
	// Command is the name of the command, for the receipts of stops.
	Command string
}

// program returns the name and version with which a command identifies itself
// to a server.
func (c Config) program() string { return "bellcord-" + c.Command + "/" + c.App.Version }

// aliveTimeout is the maximum time that a server on this machine may take to
// answer.
const aliveTimeout = time.Second

// Open returns the server in the Config. Without one, it returns the server on
// the data directory if it answers, and otherwise opens the data directory.
func Open(ctx context.Context, c Config) (Backend, error) {
	if c.Server != "" {
		remote, err := Dial(c)
		if err != nil {
			return nil, err
		}
		return Remote{remote}, nil
	}
	if err := app.RefuseInsideTurn(c.App.Settings.DataDir); err != nil {
		return nil, err
	}
	socket := socketPath(c.App.Settings.DataDir)
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

// token returns the token for a server. The token in the data directory is for
// the server on this machine, and is sent to no other server.
func (c Config) token(near bool) (string, error) {
	path := c.TokenFile
	if path == "" {
		if token := os.Getenv("BELLCORD_TOKEN"); token != "" || !near {
			return token, nil
		}
		path = filepath.Join(c.App.Settings.DataDir, "token")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && c.TokenFile == "" {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// socketToken returns the token for the server on a socket: the one in
// TokenFile, otherwise the one next to the socket, otherwise that of the
// environment. Without a token, a user can still read and stop.
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
