package auth_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
)

func TestMint_StoredToken_ContainsOnlyTheHash(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	text, made := e.mint(nil)
	if !regexp.MustCompile(`^bc_[0-9a-f]{12}_[0-9a-f]{64}$`).MatchString(text) {
		t.Fatalf("the token is %q", text)
	}
	secret := text[strings.LastIndex(text, "_")+1:]
	hash := sha256.Sum256([]byte(secret))
	stored := e.stored(made.ID)
	if !bytes.Equal(stored.Hash, hash[:]) {
		t.Error("the store has another hash")
	}
	if strings.Contains(fmt.Sprintf("%s %+v", stored.Hash, stored), secret) {
		t.Error("the store has the secret")
	}
	other, _ := e.mint(nil)
	if other == text {
		t.Error("two tokens are the same")
	}
}

func TestNewToken_InvalidOwnerNameOrScope_IsRefused(t *testing.T) {
	t.Parallel()
	read := []bellcord.Scope{bellcord.ScopeRead}
	for what, bad := range map[string]serverstore.Token{
		"no owner":              {Scopes: read},
		"a long owner":          {Owner: strings.Repeat("a", 65), Scopes: read},
		"a space in the owner":  {Owner: "an na", Scopes: read},
		"a newline":             {Owner: "anna\n", Scopes: read},
		"NUL":                   {Owner: "\x00nobody", Scopes: read},
		"another alphabet":      {Owner: "аnna", Scopes: read},
		"markup":                {Owner: "<b>", Scopes: read},
		"an owner of an issuer": {Owner: "oidc:anna", Scopes: read},
		"a control in the name": {Owner: "anna", Name: "a\x1b[2J", Scopes: read},
		"a long name":           {Owner: "anna", Name: strings.Repeat("a", 65), Scopes: read},
		"no scope":              {Owner: "anna"},
		"an unknown scope":      {Owner: "anna", Scopes: []bellcord.Scope{"root"}},
		"an end in the past":    {Owner: "anna", Scopes: read, Expires: in(-time.Second)},
	} {
		if _, made, err := auth.NewToken(bad); err == nil {
			t.Errorf("%s: %+v was made", what, made)
		}
	}
	for _, good := range []serverstore.Token{
		{Owner: "a.b_c@d-e:f+1", Scopes: read},
		{Owner: strings.Repeat("a", 64), Scopes: read},
		{Owner: "anna", Name: "first start", Scopes: read, Expires: in(time.Second)},
	} {
		if _, _, err := auth.NewToken(good); err != nil {
			t.Error(err)
		}
	}
}

func TestMint_CookieRequested_IsValidInTheHeaderOnly(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	text, made := e.mint(func(t *serverstore.Token) { t.Cookie, t.Parent = true, "000000000000" })
	if made.Cookie || made.Parent != "" {
		t.Errorf("it is %+v", made)
	}
	if _, err := e.with(text, "x"); !isBad(err) {
		t.Errorf("the cookie: %v", err)
	}
}
