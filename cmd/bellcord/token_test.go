package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"

	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/store/sqlite"
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
	cmd.SetArgs(append(args, "--data-dir", data, "--config", none))
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

func enters(store serverstore.TokenStore, text string) (auth.Caller, error) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+text)
	door := auth.NewDoor(store, auth.Options{})
	defer door.Close()
	return door.Enter(r, "127.0.0.1")
}

func TestToken_Lifecycle_IsShownOnceListedAndRevoked(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	store := tokenStore(t, data) // a server uses the store at the same time
	out, errs, err := tokens(t, data, "create", "--owner", "anna", "--scope", "stop,read", "--name", "laptop", "--expires", "720h")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(out, "\n")
	if strings.ContainsAny(text, " \n") || !strings.Contains(errs, "not shown again") || strings.Contains(errs, text) {
		t.Errorf("stdout %q, stderr %q", out, errs)
	}
	c, err := enters(store, text)
	if err != nil || c.Owner != "anna" || c.Name != "laptop" || !c.May(bellcord.ScopeStop) || c.May(bellcord.ScopePrompt) {
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

func TestToken_InvalidCommand_ChangesNothing(t *testing.T) {
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

func TestTokenCreate_WithoutExpires_ExpiresIn90Days(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for lasts, want := range map[string]time.Time{"2160h": now.AddDate(0, 0, 90), "never": {}, "1h": now.Add(time.Hour)} {
		if got, err := expiry(lasts, now); err != nil || got.Sub(want).Abs() > 2*time.Hour { // allows for a daylight saving change
			t.Errorf("--expires %s: %v, %v", lasts, got, err)
		}
	}
	data := t.TempDir()
	if _, errs, err := tokens(t, data, "create", "--owner", "anna", "--scope", "read"); err != nil {
		t.Fatal(err, errs)
	}
	out, _, err := tokens(t, data, "list", "--json")
	if want := now.Add(90 * 24 * time.Hour).UTC().Format("2006-01-02"); err != nil || !strings.Contains(out, `"expires":"`) {
		t.Errorf("%v: the list has no expiry near %s: %s", err, want, out)
	}
}
