package postgres

import (
	"context"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// FirstVersion is the version that the first file of the schema makes.
const FirstVersion = firstVersion

// InitialSchema returns the first file of the schema.
func InitialSchema() ([]byte, error) { return migrations.ReadFile("migrations/0001_initial.sql") }

// Apply brings a schema from version have up to date with the given steps.
func Apply(ctx context.Context, conn *pgx.Conn, steps fs.FS, have int) error {
	return pgx.BeginFunc(ctx, conn, func(t pgx.Tx) error { return apply(ctx, t, steps, have) })
}
