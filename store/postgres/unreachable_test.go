package postgres

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

func TestExplain_LostConnection_ReturnsErrStoreDown(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		io.ErrUnexpectedEOF,
		&net.OpError{Op: "read", Err: errors.New("connection reset by peer")},
		&pgconn.PgError{Code: "57P01"}, // the database shuts down
		&pgconn.PgError{Code: "53300"}, // no connections left
		&pgconn.PgError{Code: "53100"}, // disk full
		&pgconn.PgError{Code: "58030"}, // I/O error
		&pgconn.PgError{Code: "25006"}, // read-only, as after a failover
		&pgconn.PgError{Code: "40P01"}, // deadlock
		&pgconn.PgError{Code: "57014"}, // statement_timeout of the server
		&pgconn.PgError{Code: "42P01"}, // a table is missing
		&pgconn.PgError{Code: "42501"}, // no right to write a table
		&pgconn.PgError{Code: "XX001"}, // damaged page
	} {
		if got := (&Store{}).explain(t.Context(), err); !errors.Is(got, bellcord.ErrStoreDown) || !errors.Is(got, err) {
			t.Errorf("%v is explained as %v", err, got)
		}
	}
	for _, err := range []error{store.ErrFenced, &pgconn.PgError{Code: "23505"}, &pgconn.PgError{Code: "XX000"}} {
		if got := (&Store{}).explain(t.Context(), err); errors.Is(got, bellcord.ErrStoreDown) {
			t.Errorf("%v is explained as %v", err, got)
		}
	}
}
