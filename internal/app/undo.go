package app

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/store/postgres"
)

// segment is the largest size of a file of the undo storage.
const segment = 64 << 20

// newRecorder returns the recorder of changes, or nil if undo is off.
func (a *App) newRecorder() *undo.Recorder {
	c := a.config.Settings.Undo
	if c.Mode == config.UndoOff || c.Mode == "" {
		return nil
	}
	return undo.New(undo.Options{
		Place:   filepath.Join(a.config.Settings.DataDir, "undo"),
		Require: c.Mode == config.UndoRequire,
		Logger:  a.logger,
		Limits: snapshot.Limits{
			Time: time.Duration(c.MaxScanTime), Bytes: c.MaxDiskBytes, File: c.MaxFileBytes, Age: time.Duration(c.KeepFor),
			Segment: min(segment, c.MaxDiskBytes/4),
		},
		Undone: func(ctx context.Context, id bellcord.SessionID, u bellcord.Undone) error {
			return a.Hub.RecordUndo(ctx, id, u)
		},
		Found: func(ctx context.Context, id bellcord.SessionID, c bellcord.ChangesRecorded) error {
			return a.Hub.RecordChanges(ctx, id, c)
		},
		IsRecorded: func(ctx context.Context, turn bellcord.TurnID) (bool, error) {
			return undo.IsRecorded(ctx, a.Store, turn)
		},
	})
}

// UndoReserve returns the free bytes of the disk with the data directory, and how
// many of them undo leaves free: with fewer, it keeps nothing.
func UndoReserve(dataDir string) (free, reserved uint64, err error) {
	return snapshot.Reserved(dataDir)
}

// Files lists, shows and undoes the changes of turns for fronts. With several
// nodes, an undo and a request for texts are passed to the node that keeps the
// bytes.
type Files struct {
	undo.Files
	app *App
}

// Files returns what fronts use to list and undo the changes of turns.
func (a *App) Files() Files {
	return Files{undo.Files{Recorder: a.undo, Store: a.Store}, a}
}

// Texts returns the changes of a turn to text files, of all or of one path.
func (f Files) Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	texts, err := f.Files.Texts(ctx, turn, path)
	return elsewhere(ctx, f.app, texts, err, func(nodes []string) ([]bellcord.Change, error) {
		return f.app.node.Texts(ctx, nodes, turn, path)
	})
}

// Undo undoes the changes of a turn.
func (f Files) Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	u, err := f.Files.Undo(ctx, q)
	return elsewhere(ctx, f.app, u, err, func(nodes []string) (bellcord.Undone, error) { return f.app.node.Undo(ctx, nodes, q) })
}

// Redo reverses an undo.
func (f Files) Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	u, err := f.Files.Redo(ctx, q)
	return elsewhere(ctx, f.app, u, err, func(nodes []string) (bellcord.Undone, error) { return f.app.node.Undo(ctx, nodes, q) })
}

// undoHere undoes or redoes changes that this node keeps, for another node.
func (a *App) undoHere(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	files := a.Files().Files
	if q.Undo != "" {
		return files.Redo(ctx, q)
	}
	return files.Undo(ctx, q)
}

// elsewhere passes a request to the other nodes if this node does not keep the
// bytes, and otherwise returns the result of this node.
func elsewhere[R any](ctx context.Context, a *App, here R, err error, ask func(nodes []string) (R, error)) (R, error) {
	shared, is := a.Store.(*postgres.Store)
	if !is || a.node == nil || !cluster.NotKeptHere(err) {
		return here, err
	}
	nodes, listErr := shared.Nodes(ctx)
	if listErr != nil {
		return here, errors.Join(err, listErr)
	}
	var ids []string
	for _, n := range nodes {
		ids = append(ids, n.ID)
	}
	return ask(ids)
}
