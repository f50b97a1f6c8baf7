package web

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
)

// Mount serves a path with a handler of another protocol. Its requests pass the
// same checks of host, origin and credentials as those of the API; the handler
// gets the rights of the caller from Access.
func (s *Server) Mount(path string, handler http.Handler) { s.mux.Handle(path, handler) }

// Access is what the sender of a request may do: the rules of the HTTP API for
// other protocols. It is safe for concurrent use.
type Access struct {
	s       *Server
	request *http.Request // has the credentials
	client  string
	now     atomic.Pointer[auth.Caller]
}

// Access returns the access of a request that passed the server's checks. On
// the local socket, a request without a token may read and stop.
func (s *Server) Access(r *http.Request) (*Access, error) {
	user := caller(r.Context())
	if user.Local && r.Header.Get("Authorization") != "" {
		var err error
		if user, err = s.guard.door.Enter(r, ""); err != nil {
			return nil, errToken{err}
		}
	}
	a := &Access{s: s, request: r.Clone(context.WithoutCancel(r.Context())), client: clientFrom(r.Context())}
	a.request.Body = nil
	a.now.Store(&user)
	return a, nil
}

// Recheck checks the credentials again. It returns an error if they are no
// longer valid: the connection must be closed. While they cannot be checked, the
// caller may only stop turns.
func (a *Access) Recheck(ctx context.Context) error {
	switch c := a.caller(); {
	case c.Local:
		return nil
	case c.Browser: // its signature may be old
		if err := a.s.guard.door.Recheck(ctx, c); errors.Is(err, auth.ErrBadCredentials) {
			return err
		}
		return nil
	}
	user, err := a.s.guard.door.Enter(a.request.WithContext(ctx), a.client)
	if errors.Is(err, auth.ErrBadCredentials) {
		return err
	}
	if err == nil {
		a.now.Store(&user)
	}
	return nil
}

func (a *Access) caller() auth.Caller { return *a.now.Load() }

// with returns ctx with the caller, as a request of the API has it.
func (a *Access) with(ctx context.Context) context.Context {
	return auth.NewContext(ctx, a.caller())
}

// Same reports whether both are the access of one token, or of one owner
// without a token.
func (a *Access) Same(other *Access) bool {
	one, two := a.caller(), other.caller()
	return one.Owner == two.Owner && one.Token == two.Token && one.Local == two.Local
}

// Adopt takes over the result of a newer check of the same credentials.
func (a *Access) Adopt(newer *Access) { a.now.Store(newer.now.Load()) }

// Owner returns the owner of the caller's new sessions.
func (a *Access) Owner() string { return a.caller().Owner }

// Token returns the id of the caller's token, or "" if it has none.
func (a *Access) Token() string { return a.caller().Token }

// Reach returns the owner of the sessions that the caller reaches, or "" for
// the sessions of all owners.
func (a *Access) Reach() string { return a.caller().Reach() }

// May reports whether the caller has the scope.
func (a *Access) May(scope bellcord.Scope) bool { return a.caller().May(scope) }

// Allow returns an error if the caller lacks the scope or exceeds its request
// rate. It does no I/O.
func (a *Access) Allow(scope bellcord.Scope) error {
	user := a.caller()
	switch {
	case !user.Local:
		return a.s.guard.allow(user, scope)
	case user.May(scope):
		return nil
	}
	return errToken{auth.ErrNoCredentials}
}

// Admit returns an error if the server has too little memory for another prompt, or
// if the caller may not use the session's directory any more.
func (a *Access) Admit(session bellcord.Session) error {
	if a.s.memory.overloaded() {
		return errOverloaded
	}
	return a.s.dirs.mayUse(a.caller(), session)
}

// Reserve counts the bytes of a message that is being read or processed, until
// release is called.
func (a *Access) Reserve(bytes int64) (release func(), err error) {
	return a.s.guard.inFlight.reserve(a.Owner(), bytes)
}

// Connect counts a connection among the viewers until leave is called.
func (a *Access) Connect() (leave func(), err error) {
	if a.s.streams.ended() {
		return nil, errClosing
	}
	leaveCrowd, err := a.s.viewers.admit(a.Owner())
	if err != nil {
		return nil, err
	}
	a.s.viewers.changed(1)
	return func() {
		a.s.viewers.changed(-1)
		leaveCrowd()
	}, nil
}

// Session returns a session that the caller reaches. The session of another
// owner is reported as ErrNoSession.
func (a *Access) Session(ctx context.Context, id string) (bellcord.Session, error) {
	return a.s.sessions.session(a.with(ctx), id)
}

// Create creates a session with the server's defaults. It is in a new directory
// if dir is empty. Without the scope admin, dir must be inside the owner's
// roots, and additional directories cannot be named.
func (a *Access) Create(ctx context.Context, dir string, additional []string) (bellcord.Session, error) {
	made := a.s.sessions.defaults
	made.AdditionalDirs = additional
	made.ID, made.Owner = bellcord.NewSessionID(), a.Owner()
	return a.s.sessions.create(a.with(ctx), made, dir)
}

// Change returns an error if the caller may not change a session this way.
func (a *Access) Change(found bellcord.Session, change bellcord.SessionUpdated) error {
	return a.s.sessions.checkChange(a.with(context.Background()), found, change)
}

// Delete stops the turns of a session and deletes it with all its data.
func (a *Access) Delete(ctx context.Context, found bellcord.Session, why bellcord.Cause) error {
	return a.s.sessions.remove(ctx, found, why)
}

// Answer answers a question, whichever node has its turn.
func (a *Access) Answer(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error {
	r.Scopes = a.caller().Scopes
	return a.s.hub.Answer(turn, question, r, by)
}

// Watch counts a viewer of a session until leave is called.
func (a *Access) Watch(id bellcord.SessionID) (leave func()) {
	a.s.watched.arrive(id)
	return func() { a.s.watched.removeViewer(id) }
}

// Bind stops a turn when its session has no viewers for Config.Patience.
func (a *Access) Bind(session bellcord.SessionID, turn bellcord.TurnID) {
	a.s.watched.bind(session, turn)
}

// errLongMessage is ErrPromptTooLong for a message of which it is not known
// whether it is a prompt. It names mostPlain.
var errLongMessage = errors.New("the message has more than 1.25 MiB outside of images: " +
	"put a part of a prompt into a file and name the file in the prompt")

// CheckShape returns an error if a JSON message has more values, deeper ones, or
// more text than the body of a request may have.
func CheckShape(message []byte) error {
	err := (&shapeReader{}).scan(message)
	if errors.Is(err, bellcord.ErrPromptTooLong) {
		return errLongMessage
	}
	return err
}
