// Package undo_test proves the laws of undo with whole applications: real
// processes, a real store, and the fake model.
package undo_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/internal/secret"
)

// world is an application with one session in a directory.
type world struct {
	t       *testing.T
	data    string
	dir     string
	app     *app.App
	session bellcord.SessionID
}

// newWorld returns an application on new directories. The files are in the
// session's directory.
func newWorld(t *testing.T, files map[string]string, change ...func(*config.Config)) *world {
	t.Helper()
	w := &world{t: t, data: t.TempDir(), dir: t.TempDir()}
	for name, text := range files {
		w.write(name, text)
	}
	w.open(change...)
	w.session = w.newSession()
	return w
}

// open opens the application on the world's directories.
func (w *world) open(change ...func(*config.Config)) {
	w.t.Helper()
	settings := config.Defaults()
	settings.DataDir, settings.Model, settings.Mode = w.data, "fake/fake", "full"
	settings.Provider = map[string]config.Provider{"fake": {API: "fake"}}
	for _, do := range change {
		do(&settings)
	}
	opened, err := app.Open(w.t.Context(), app.Config{Settings: settings, Version: "test", Secrets: &secret.Set{}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.app = opened
	w.t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) newSession() bellcord.SessionID {
	w.t.Helper()
	s, err := w.app.Hub.NewSession(w.t.Context(), bellcord.Session{Dir: w.dir, Model: "fake/fake", Mode: "full"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s.ID
}

// shell returns a prompt for which the fake model runs a command.
func shell(command string) string {
	args, _ := json.Marshal(map[string]string{"command": command}) // cannot fail
	return "[tool shell " + string(args) + "]"
}

// prompt starts a turn that runs a command.
func (w *world) prompt(session bellcord.SessionID, command string) bellcord.TurnID {
	w.t.Helper()
	turn, err := w.app.Hub.Accept(w.t.Context(), session, bellcord.Prompt{Text: shell(command)})
	if err != nil {
		w.t.Fatal(err)
	}
	return turn
}

// run runs a turn to its end.
func (w *world) run(session bellcord.SessionID, command string) bellcord.Receipt {
	w.t.Helper()
	return w.ended(w.prompt(session, command))
}

func (w *world) ended(turn bellcord.TurnID) bellcord.Receipt {
	w.t.Helper()
	if err := w.app.Hub.Await(w.t.Context(), turn); err != nil {
		w.t.Fatal(err)
	}
	record, err := w.app.Hub.Turn(w.t.Context(), turn)
	if err != nil || record.Receipt == nil {
		w.t.Fatalf("no receipt: %v", err)
	}
	return *record.Receipt
}

// stop stops a turn and returns its receipt.
func (w *world) stop(turn bellcord.TurnID) bellcord.Receipt {
	w.t.Helper()
	answers, err := w.app.Hub.Stop(bellcord.StopTurn(turn, bellcord.Cause{Kind: bellcord.CausePerson, By: "anna"})).Wait(w.t.Context())
	if err != nil || len(answers) != 1 || answers[0].Receipt == nil {
		w.t.Fatalf("the stop: %+v, %v", answers, err)
	}
	return *answers[0].Receipt
}

// changes returns the changes of a turn that has ended, from its receipt or from
// the event that follows it.
func (w *world) changes(r bellcord.Receipt) bellcord.Changes {
	w.t.Helper()
	if r.Changes != nil && !r.Changes.Pending {
		return *r.Changes
	}
	ctx, done := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer done()
	cursor, err := w.app.Hub.Events(ctx, r.Session, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			w.t.Fatalf("turn %s has no changes: %v", r.Turn, err)
		}
		for _, ev := range events {
			if b, is := ev.Body.(bellcord.ChangesRecorded); is && b.Turn == r.Turn {
				return b.Changes
			}
		}
	}
}

func (w *world) undo(turn bellcord.TurnID, paths ...string) bellcord.Undone {
	w.t.Helper()
	u, err := w.app.Files().Undo(w.t.Context(), bellcord.UndoRequest{Turn: turn, Confirmed: true, Paths: paths})
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// exists waits until a file exists.
func (w *world) exists(name string) {
	w.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			return
		}
		select {
		case <-deadline:
			w.t.Fatalf("%s was not created", name)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// lockSnapshot holds the lock of the snapshot until the returned function is
// called.
func (w *world) lockSnapshot() (unlock func()) {
	w.t.Helper()
	places, err := filepath.Glob(filepath.Join(w.data, "undo", "*", "lock"))
	if err != nil || len(places) != 1 {
		w.t.Fatalf("%v, %v", places, err)
	}
	deadline := time.After(10 * time.Second)
	for {
		lock, err := filelock.Try(places[0])
		if err == nil {
			return func() {
				if err := filelock.Release(lock); err != nil {
					w.t.Error(err)
				}
			}
		}
		select {
		case <-deadline:
			w.t.Fatal(err)
		case <-time.After(2 * time.Millisecond): // a scan is running
		}
	}
}

// state is everything about a tree that an undo must restore or leave alone.
func (w *world) state() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		all[path] = text
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *world) expect(want map[string]string) {
	w.t.Helper()
	if got := w.state(); !maps.Equal(got, want) {
		w.t.Errorf("the tree is\n%v\nwant\n%v", got, want)
	}
}
