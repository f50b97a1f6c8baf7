package app

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
	"github.com/bellcord/bellcord/store/sqlite"
)

// Store contains events, turns, and the tokens of a server.
type Store interface {
	store.Store
	serverstore.TokenStore
	serverstore.TextReader
	serverstore.ShareStore
	serverstore.PushStore
	Close() error
}

// OpenStore opens the configured store: the file in the data directory, or the
// database that several machines share.
func OpenStore(ctx context.Context, from Config) (Store, error) {
	c := from.Settings
	if info, err := os.Stat(c.DataDir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("data directory: %s is not a directory; choose another with --data-dir or BELLCORD_DATA", c.DataDir)
	}
	switch {
	case c.StoreURL == "" && c.New:
		return sqlite.OpenNew(ctx, c.DataDir)
	case c.StoreURL == "":
		return sqlite.Open(ctx, c.DataDir)
	}
	if !strings.HasPrefix(c.StoreURL, "postgres://") && !strings.HasPrefix(c.StoreURL, "postgresql://") {
		return nil, fmt.Errorf("store_url: use a URL such as postgres://user@host/database")
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil { // for files of this machine
		return nil, err
	}
	return postgres.Open(ctx, c.StoreURL, postgres.Options{
		Lease: time.Duration(c.Cluster.LeaseDuration), Logger: from.Logger, Name: c.Cluster.NodeName, Version: from.Version,
	})
}
