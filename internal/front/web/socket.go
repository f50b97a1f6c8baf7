package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
)

// local is the caller for processes of the same user at the socket. It can read
// and stop without a token, and therefore without a working store.
var local = auth.Caller{Owner: "admin", Name: "socket", Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}, Local: true}

// Socket returns the handler of the local socket. The file permissions of the
// socket grant reading and stopping; everything else needs a token, as on the
// network. It also serves profiles. Serve it with an http.Server that has
// SocketContext as its ConnContext: otherwise every request is refused.
//
// Processes of a turn run as the same user but do not act for the person: all
// their requests are refused.
func (s *Server) Socket() http.Handler {
	profiles := http.NewServeMux()
	profiles.HandleFunc("/debug/pprof/", pprof.Index)
	profiles.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	profiles.HandleFunc("/debug/pprof/profile", pprof.Profile)
	profiles.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	profiles.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.guard.hurry(w)
		plainHeaders(w.Header())
		if err := checkPeer(r.Context()); err != nil {
			w.Header().Set("Connection", "close")
			s.writeProblem(w, r, err)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/debug/pprof/") {
			profiles.ServeHTTP(w, r)
			return
		}
		s.mux.ServeHTTP(w, as(r, local))
	})
}

type peerKey struct{}

// SocketContext arranges the check of the connection's peer process. The check
// runs once, at the first request.
func (s *Server) SocketContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, sync.OnceValue(func() error { return s.checkPeer(conn) }))
}

// errPeer means that the process at the other end of the socket may not use it.
type errPeer struct{ err error }

func (e errPeer) Error() string {
	return fmt.Sprintf("this process may not use the local socket: %v; commands of a turn cannot use the server that runs them, "+
		"so use a terminal that no agent started", e.err)
}

func checkPeer(ctx context.Context) error {
	check, ok := ctx.Value(peerKey{}).(func() error)
	if !ok {
		return errPeer{errors.New("the process was not checked")}
	}
	if err := check(); err != nil {
		return errPeer{err}
	}
	return nil
}

// errToken means that a request over the socket needs a token.
type errToken struct{ err error }

func (e errToken) Error() string {
	how := "over the local socket you can read and stop without a token; for anything else, send the token from the file \"token\" in the data directory as Authorization: Bearer, or choose another with --token-file"
	if errors.Is(e.err, auth.ErrNoCredentials) {
		return how
	}
	return fmt.Sprintf("%v; %s", e.err, how)
}
