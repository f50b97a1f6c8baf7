package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store/sqlite"
)

// MachineOwner owns the first token and the sessions that editors and terminals
// create in the data directory. A browser that logs in with bellcord open, without
// the scope admin, can therefore show and stop them.
const MachineOwner = "admin"

// EnsureToken makes sure that a new server can be used. If the store has no
// valid token with the scope admin, it creates one and writes it to the file
// token in dir, with permissions for its owner only.
func EnsureToken(ctx context.Context, store serverstore.TokenStore, dir string) (path string, created bool, err error) {
	path = filepath.Join(dir, "token")
	tokens, err := store.Tokens(ctx)
	if err != nil {
		return path, false, err
	}
	for _, t := range tokens {
		if slices.Contains(t.Scopes, bellcord.ScopeAdmin) && !t.Cookie && auth.State(t, time.Now()) == auth.Active {
			return path, false, nil
		}
	}
	err = createAdminToken(ctx, store, path, "first start")
	return path, err == nil, err
}

// RestoreToken makes sure that dir has a token that its store accepts, and
// reports whether it had to create one.
func RestoreToken(ctx context.Context, dir string) (path string, created bool, err error) {
	path = filepath.Join(dir, "token")
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return path, false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	tokens, err := store.Tokens(ctx)
	if err != nil {
		return path, false, err
	}
	had, _ := os.ReadFile(path) // a file that cannot be read is replaced
	if slices.ContainsFunc(tokens, func(t serverstore.Token) bool {
		return auth.State(t, time.Now()) == auth.Active && strings.Contains(string(had), t.ID+"_")
	}) {
		return path, false, nil
	}
	err = createAdminToken(ctx, store, path, "restore")
	return path, err == nil, err
}

// createAdminToken writes the file before it adds the token to the store:
// after a crash in between, the store has no token that is lost.
func createAdminToken(ctx context.Context, store serverstore.TokenStore, path, name string) error {
	text, t, err := auth.NewToken(serverstore.Token{Owner: MachineOwner, Name: name, Scopes: []bellcord.Scope{bellcord.ScopeAdmin}})
	if err != nil {
		return err
	}
	if err := durable.Replace(path, []byte(text+"\n")); err != nil {
		return fmt.Errorf("write the token file: %w", err)
	}
	return store.PutToken(ctx, t)
}
