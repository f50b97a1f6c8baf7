package sqlite_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/serverstore"

	"github.com/bellcord/bellcord/internal/testkit/authtest"
	"github.com/bellcord/bellcord/store/sqlite"
)

func TestTokenStore_Suite_Passes(t *testing.T) {
	t.Parallel()
	authtest.Run(t, authtest.Harness{
		Place: func(t *testing.T) string { return t.TempDir() },
		Open: func(t *testing.T, dir string) serverstore.TokenStore {
			s, err := sqlite.Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	})
}
