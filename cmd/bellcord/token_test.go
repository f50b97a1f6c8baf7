package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/store/sqlite"
)

// tokens runs bellcord token on a data directory.
func tokens(t *testing.T, data string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	none := filepath.Join(data, "none.toml")
	if err := os.WriteFile(none, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := tokenCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(append(args, "--data", data, "--config", none))
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
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

func enters(store auth.Store, text string) (auth.Caller, error) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+text)
	door := auth.NewDoor(store, auth.Options{})
	defer door.Close()
	return door.Enter(r, "127.0.0.1")
}

func TestATokenIsMadeShownOnceListedAndRevoked(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	store := tokenStore(t, data) // a server is at work meanwhile
	out, errs, err := tokens(t, data, "create", "--owner", "anna", "--scope", "stop,read", "--name", "laptop", "--expires", "720h")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(out, "\n")
	if strings.ContainsAny(text, " \n") || !strings.Contains(errs, "only now") || strings.Contains(errs, text) {
		t.Errorf("stdout %q, stderr %q", out, errs)
	}
	c, err := enters(store, text)
	if err != nil || c.Owner != "anna" || c.Name != "laptop" || !c.May(auth.Stop) || c.May(auth.Prompt) {
		t.Fatalf("%+v, %v", c, err)
	}
	stored, err := store.Token(t.Context(), c.Token)
	if left := time.Until(stored.Expires); err != nil || left > 720*time.Hour || left < 719*time.Hour {
		t.Errorf("it is good for %s, error %v", left, err)
	}
	secret := text[strings.LastIndex(text, "_")+1:]
	for _, args := range [][]string{{"list"}, {"list", "--json"}} {
		out, _, err := tokens(t, data, args...)
		if err != nil || !strings.Contains(out, c.Token) || !strings.Contains(out, "laptop") || !strings.Contains(out, "active") {
			t.Errorf("%v: %q, %v", args, out, err)
		}
		if strings.Contains(out, secret) || strings.Contains(out, hex.EncodeToString(stored.Hash)) || strings.Contains(strings.ToLower(out), "hash") {
			t.Errorf("%v shows too much: %s", args, out)
		}
	}
	if out, _, err := tokens(t, data, "revoke", c.Token); err != nil || !strings.Contains(out, c.Token) {
		t.Errorf("revoke: %q, %v", out, err)
	}
	if _, err := enters(store, text); !errors.Is(err, auth.ErrBadCredentials) {
		t.Errorf("after the revocation: %v", err)
	}
	out, _, err = tokens(t, data, "list", "--json")
	var line struct{ State auth.TokenState }
	if err != nil || json.Unmarshal([]byte(out), &line) != nil || line.State != auth.Revoked {
		t.Errorf("the list is %q, %v", out, err)
	}
}

func TestABadTokenCommandMakesAndRevokesNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, args := range [][]string{
		{"create"},
		{"create", "--owner", "anna"},
		{"create", "--scope", "read"},
		{"create", "--owner", "anna", "--scope", "everything"},
		{"create", "--owner", "oidc:anna", "--scope", "read"},
		{"create", "--owner", "an na", "--scope", "read"},
		{"create", "--owner", "anna", "--scope", "read", "--expires", "-1h"},
		{"revoke"},
		{"revoke", "ffffffffffff"},
	} {
		if out, _, err := tokens(t, data, args...); err == nil || out != "" {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
	if out, _, err := tokens(t, data, "list"); err != nil || out != "no tokens yet\n" {
		t.Errorf("the list is %q, %v", out, err)
	}
}

func TestTheFirstStartLeavesAnAdminsTokenForItsOwnerAlone(t *testing.T) {
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
	path, made, err := firstToken(t.Context(), store, dir)
	if err != nil || !made || path != filepath.Join(dir, "token") {
		t.Fatalf("%s, %v, %v", path, made, err)
	}
	if info, err := os.Lstat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	first := read()
	c, err := enters(store, first)
	if err != nil || !c.May(auth.Admin) || c.Owner != "admin" || c.Name != "first start" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, made, err := firstToken(t.Context(), store, dir); err != nil || made || read() != first {
		t.Errorf("the second start: %v, %v", made, err)
	}
	if err := store.RevokeToken(t.Context(), c.Token, time.Now()); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Millisecond)
	for _, useless := range []auth.Token{
		{ID: "cookie", Scopes: []auth.Scope{auth.Admin}, Cookie: true},
		{ID: "reader", Scopes: []auth.Scope{auth.Read}},
		{ID: "expired", Scopes: []auth.Scope{auth.Admin}, Expires: soon},
	} {
		useless.Hash = []byte{1}
		if err := store.PutToken(t.Context(), useless); err != nil {
			t.Fatal(err)
		}
	}
	<-time.After(time.Until(soon))
	if _, made, err := firstToken(t.Context(), store, dir); err != nil || !made || read() == first {
		t.Errorf("with no admin's token that is good: %v, %v", made, err)
	}
}

func TestTheFirstTokenIsNotWrittenThroughALink(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "token")); err != nil {
		t.Skip("no links here:", err)
	}
	path, made, err := firstToken(t.Context(), tokenStore(t, dir), dir)
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

func TestAFirstTokenThatCannotBeWrittenIsNotMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := tokenStore(t, t.TempDir())
	if err := os.MkdirAll(filepath.Join(dir, "token", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, made, err := firstToken(context.Background(), store, dir); err == nil || made {
		t.Errorf("%v, %v", made, err)
	}
	if all, err := store.Tokens(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("the store has %+v, %v", all, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".token-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
