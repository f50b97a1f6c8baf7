// Package tour is the guided tour of bellcord try. It runs real turns of the
// built-in fake model in a temporary directory, and deletes the directory at the
// end.
package tour

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/secret"
)

// Config describes the program that shows the tour.
type Config struct {
	Version string
	Secrets *secret.Set
	Logger  *slog.Logger
}

// Tour is an open tour. Close it to end its turns and to delete its files.
type Tour struct {
	Hub     chat.Hub
	Session bellcord.Session // is created with the first prompt
	at      backend.Backend
	root    string
}

// stubborn is the command that tries to outlive its turn. Its children inherit
// that SIGTERM is ignored.
const stubborn = `#!/bin/sh
# This command ignores SIGTERM and starts three more processes. One of them
# leaves the process group, if the system has setsid.
trap '' TERM
sleep 600 &
sleep 600 &
if command -v setsid >/dev/null; then setsid sleep 600 & else nohup sleep 600 >/dev/null 2>&1 & fi
echo "started 3 processes; SIGTERM is ignored"
while :; do sleep 1; done
`

// Open creates the temporary directory and starts the runtime in it.
func Open(ctx context.Context, c Config) (_ *Tour, err error) {
	root, err := os.MkdirTemp("", "bellcord-try-")
	if err != nil {
		return nil, fmt.Errorf("create the directory of the tour: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(root))
		}
	}()
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("find the directory of the tour: %w", err)
	}
	work := filepath.Join(root, "work")
	err = errors.Join(os.Mkdir(work, 0o700),
		os.WriteFile(filepath.Join(work, "hello.txt"), []byte("helo world\n"), 0o600),
		os.WriteFile(filepath.Join(work, "stubborn"), []byte(stubborn), 0o700)) //nolint:gosec // a program, readable by its user only
	if err != nil {
		return nil, fmt.Errorf("write the files of the tour: %w", err)
	}
	settings, err := tourSettings(filepath.Join(root, "data"))
	if err != nil {
		return nil, err
	}
	at, err := backend.Open(ctx, backend.Config{
		App:     app.Config{Settings: settings, Version: c.Version, Secrets: c.Secrets, Logger: c.Logger, Temporary: true},
		Command: "chat",
	})
	if err != nil {
		return nil, err
	}
	hub, err := backend.Chat(at, settings, work, nil)
	if err != nil {
		return nil, errors.Join(err, at.Close())
	}
	return &Tour{Hub: hub, Session: bellcord.Session{Model: settings.Model, Mode: settings.Mode, Dir: work}, at: at, root: root}, nil
}

// tourSettings returns the settings of the tour. Nothing of the user's own applies.
func tourSettings(data string) (config.Config, error) {
	c, err := config.FromEnvironment() // for the built-in provider
	if err != nil {
		return c, err
	}
	defaults := config.Defaults()
	defaults.Provider = map[string]config.Provider{"fake": c.Provider["fake"]}
	defaults.DataDir, defaults.Model, defaults.Mode = data, "fake/fake", "ask"
	defaults.Permissions.Allow = []string{"shell(./stubborn)"}
	return defaults, defaults.Check()
}

// Options returns the options of the model that shows the tour.
func (t *Tour) Options(version string) chat.Options {
	return chat.Options{
		Session: t.Session, Version: version, Guide: &guide{exists: exists}, Now: time.Now(),
		Place: func(string) string { return "temporary directory" },
	}
}

// Close ends the turns of the tour, waits for their processes and deletes the
// temporary directory.
func (t *Tour) Close() error {
	err := t.at.Close()
	if removed := os.RemoveAll(t.root); removed != nil {
		err = errors.Join(err, fmt.Errorf("delete the directory of the tour: %w", removed))
	}
	return err
}
