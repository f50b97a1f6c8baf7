package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/store/postgres"
	"github.com/bellcord/bellcord/internal/store/sqlite"
)

// store is what the commands need of one: the log, and who may use a server.
type store interface {
	bellcord.Store
	auth.Store
	Close() error
}

// openStore opens the one that is configured: in the data directory, or the one
// that several machines share.
func openStore(ctx context.Context, c config.Config, log *slog.Logger) (store, error) {
	if c.Store == "" {
		return sqlite.Open(ctx, c.Data)
	}
	if !strings.HasPrefix(c.Store, "postgres://") && !strings.HasPrefix(c.Store, "postgresql://") {
		return nil, fmt.Errorf("store: a URL as in postgres://user@host/database is meant")
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil { // for what is this machine's own
		return nil, err
	}
	return postgres.Open(ctx, c.Store, postgres.Options{
		Lease: time.Duration(c.Cluster.Lease), Logger: log, Name: c.Cluster.Name, Version: version,
	})
}
