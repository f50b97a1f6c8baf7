package postgres_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/serverstore"

	"github.com/bellcord/bellcord/internal/testkit/authtest"
	"github.com/bellcord/bellcord/store/postgres"
)

func TestTokenStore_Suite_Passes(t *testing.T) {
	t.Parallel()
	authtest.Run(t, authtest.Harness{
		Place: func(t *testing.T) string { return place(t) },
		Open:  func(t *testing.T, place string) serverstore.TokenStore { return openWith(t, place, postgres.Options{}) },
	})
}
