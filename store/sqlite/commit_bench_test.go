package sqlite_test

import (
	"testing"

	"github.com/bellcord/bellcord/store/sqlite"
	"github.com/bellcord/bellcord/store/storetest"
)

func BenchmarkCommit(b *testing.B) {
	s, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	storetest.BenchmarkCommit(b, s)
}
