package postgres_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/auth/authtest"
	"github.com/bellcord/bellcord/internal/store/postgres"
)

func TestTokensAreKept(t *testing.T) {
	t.Parallel()
	authtest.Run(t, authtest.Harness{
		Place: func(t *testing.T) string { return place(t) },
		Open:  func(t *testing.T, place string) auth.Store { return openWith(t, place, postgres.Options{}) },
	})
}
