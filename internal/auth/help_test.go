package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/internal/testkit/authtest"
	"github.com/bellcord/bellcord/store/sqlite"
)

const home = "127.0.0.1"

// entrance is a Door on a real store.
type entrance struct {
	*auth.Door
	t     *testing.T
	store *sqlite.Store
}

func newEntrance(t *testing.T, opts auth.Options) *entrance {
	t.Helper()
	store, err := sqlite.Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &entrance{Door: auth.NewDoor(store, opts), t: t, store: store}
	t.Cleanup(func() {
		e.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// mint creates a token of anna's that may read and stop, modified by change.
func (e *entrance) mint(change func(*serverstore.Token)) (text string, made serverstore.Token) {
	e.t.Helper()
	t := serverstore.Token{Owner: "anna", Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}}
	if change != nil {
		change(&t)
	}
	text, made, err := auth.Mint(context.Background(), e.store, t)
	if err != nil {
		e.t.Fatal(err)
	}
	return text, made
}

func request(target string) *http.Request {
	return httptest.NewRequest(http.MethodGet, target, nil)
}

func (e *entrance) bearer(text, client string) (auth.Caller, error) {
	r := request("/v1/me")
	r.Header.Set("Authorization", "Bearer "+text)
	return e.Enter(r, client)
}

// with sends a cookie, and the header of the page unless it is empty.
func (e *entrance) with(cookie, page string) (auth.Caller, error) {
	r := request("/v1/me")
	r.AddCookie(&http.Cookie{Name: auth.CookieName, Value: cookie})
	if page != "" {
		r.Header.Set(auth.PageHeader, page)
	}
	return e.Enter(r, home)
}

// loggedIn is a login with the key of its page.
type loggedIn struct {
	authtest.PageKey
	Cookie *http.Cookie
}

// page returns the header that the page sends now.
func (e *entrance) page(b loggedIn) string {
	challenge, _ := e.Challenge()
	return b.Sign(challenge)
}

func (e *entrance) browse(b loggedIn) (auth.Caller, error) { return e.with(b.Cookie.Value, e.page(b)) }

// login logs a browser in as the caller.
func (e *entrance) login(c auth.Caller) loggedIn {
	e.t.Helper()
	code, _ := e.Code(c)
	b, err := e.enter(home, code)
	if err != nil {
		e.t.Fatal(err)
	}
	return b
}

// enter logs a browser in with a code and a new key.
func (e *entrance) enter(client, code string) (b loggedIn, err error) {
	b.PageKey = authtest.NewPageKey()
	b.Cookie, err = e.Login(context.Background(), client, code, b.Public)
	return b, err
}

// exhaust uses up a client's limit for bad credentials.
func (e *entrance) exhaust(client string) {
	e.t.Helper()
	for range 100 {
		if isTooMany(second(e.bearer("nonsense", client))) {
			return
		}
	}
	e.t.Fatal("the tries have no end")
}

func second(_ auth.Caller, err error) error { return err }

func isTooMany(err error) bool {
	var many *auth.TooManyError
	return errors.As(err, &many) && many.RetryAfter > 0
}

func isBad(err error) bool { return errors.Is(err, auth.ErrBadCredentials) }

func (e *entrance) stored(id string) serverstore.Token {
	e.t.Helper()
	t, err := e.store.Token(context.Background(), id)
	if err != nil {
		e.t.Fatal(err)
	}
	return t
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }
