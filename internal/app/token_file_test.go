package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"

	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/store/sqlite"
)

func TestEnsureToken_NoValidAdminToken_WritesAPrivateTokenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := tokenStore(t, dir)
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "token"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	path, made, err := EnsureToken(t.Context(), store, dir)
	if err != nil || !made || path != filepath.Join(dir, "token") {
		t.Fatalf("%s, %v, %v", path, made, err)
	}
	if info, err := os.Lstat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	first := read()
	c, err := enters(store, first)
	if err != nil || !c.May(bellcord.ScopeAdmin) || c.Owner != "admin" || c.Name != "first start" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, made, err := EnsureToken(t.Context(), store, dir); err != nil || made || read() != first {
		t.Errorf("the second start: %v, %v", made, err)
	}
	if err := store.RevokeToken(t.Context(), c.Token, time.Now()); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Millisecond)
	for _, useless := range []serverstore.Token{
		{ID: "cookie", Scopes: []bellcord.Scope{bellcord.ScopeAdmin}, Cookie: true},
		{ID: "reader", Scopes: []bellcord.Scope{bellcord.ScopeRead}},
		{ID: "expired", Scopes: []bellcord.Scope{bellcord.ScopeAdmin}, Expires: soon},
	} {
		useless.Hash = []byte{1}
		if err := store.PutToken(t.Context(), useless); err != nil {
			t.Fatal(err)
		}
	}
	<-time.After(time.Until(soon))
	if _, made, err := EnsureToken(t.Context(), store, dir); err != nil || !made || read() == first {
		t.Errorf("with no admin's token that is good: %v, %v", made, err)
	}
}

func TestEnsureToken_TokenFileIsASymlink_ReplacesTheLink(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	store := tokenStore(t, dir)
	if err := os.Symlink(elsewhere, filepath.Join(dir, "token")); err != nil {
		t.Skip("no links here:", err)
	}
	path, made, err := EnsureToken(t.Context(), store, dir)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "mine" {
		t.Errorf("the file behind the link is %q, %v", text, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
}

func TestEnsureToken_FileCannotBeWritten_StoresNoToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := tokenStore(t, t.TempDir())
	if err := os.MkdirAll(filepath.Join(dir, "token", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, made, err := EnsureToken(context.Background(), store, dir); err == nil || made {
		t.Errorf("%v, %v", made, err)
	}
	if all, err := store.Tokens(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("the store has %+v, %v", all, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".token-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func tokenStore(t *testing.T, data string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// enters returns the caller that a token authenticates.
func enters(store serverstore.TokenStore, text string) (auth.Caller, error) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+text)
	door := auth.NewDoor(store, auth.Options{})
	defer door.Close()
	return door.Enter(r, "127.0.0.1")
}
