package cluster_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/bellcord/bellcord"
)

// noHomes is a directory without home nodes.
type noHomes struct{}

func (noHomes) NodeID() string { return "nobody" }

func (noHomes) Home(context.Context, bellcord.SessionID) (string, error) { return "", nil }

// guarded returns a server on which each user may only use the prefix with its
// name.
func guarded(t *testing.T, prefixes ...string) *server.Server {
	t.Helper()
	var users []*server.User
	for _, p := range prefixes {
		only := &server.SubjectPermission{Allow: []string{p + ".>", "_INBOX.>"}}
		users = append(users, &server.User{Username: p, Password: "secret", Permissions: &server.Permissions{Publish: only, Subscribe: only}})
	}
	return serve(t, server.Options{Users: users})
}

func as(user string, s *server.Server) string {
	return strings.Replace(s.ClientURL(), "nats://", "nats://"+user+":secret@", 1)
}

func TestNode_NATSPermissions_OnlyNeedsItsPrefix(t *testing.T) {
	t.Parallel()
	bus := guarded(t, "cell", "other")
	s := &stage{t: t, place: place(t), url: as("cell", bus)}
	inCell := func(with *setup) { with.Prefix = "cell" }
	a, b := s.join(inCell), s.join(inCell)
	session := settledAt(b, a)
	viewer := a.watch(session)
	defer viewer.Close()
	until(t, "b knows that a watches", func() bool { return b.bus.Elsewhere(session) })
	turn := a.prompt(session, "hang")
	until(t, "b runs it", func() bool { _, ran := b.ran(turn); return ran })
	if r := a.settles(bellcord.StopTurn(turn, by)); r.End != bellcord.EndStopped {
		t.Errorf("%+v", r)
	}
	inOrder(t, read(t, viewer, turn), b.events(session))
	for _, n := range []*node{a, b} {
		if lines := n.log.lines("ermission"); len(lines) > 0 {
			t.Errorf("it did what it may not: %v", lines)
		}
	}
	foreign := s.join(inCell, func(with *setup) { with.URLs = as("other", bus) })
	turn = b.runs(session, "hang")
	foreign.Stop(bellcord.StopTurn(turn, by))
	if _, err := foreign.Ping(inTime(t), b.id); err == nil {
		t.Error("a node with the right for another prefix is answered")
	}
	if why := b.causeOf(turn); why != nil {
		t.Errorf("a stop over NATS of a node without the right ended a turn: %v", why)
	}
	watched := foreign.session()
	b.watches(watched)
	if foreign.bus.Elsewhere(watched) {
		t.Error("a node with the right for another prefix hears")
	}
	if lines := foreign.log.lines("ermission"); len(lines) == 0 {
		t.Error("nobody is told of what is missing")
	}
}

func TestNode_WithoutCredentials_UsesTheStoreAndLogsOnce(t *testing.T) {
	t.Parallel()
	bus := guarded(t, "cell")
	address, network := through(t, bus.Addr().String())
	s := &stage{t: t, place: place(t), url: "nats://" + address}
	often := func(with *setup) { with.Prefix, with.hub.Sweep = "cell", 100*time.Millisecond }
	a, b := s.join(often), s.join(often, func(with *setup) { with.URLs = as("cell", bus) })
	session := b.session()
	for range 5 {
		turn := b.runs(session, "hang")
		if r := a.settles(bellcord.StopTurn(turn, by)); r.End != bellcord.EndStopped {
			t.Errorf("%+v", r)
		}
	}
	until(t, "it says so, for both of its connections", func() bool { return len(a.log.lines("WARN")) == 2 })
	until(t, "it tries a few times", func() bool { a.watches(session); return network.dialled() > 12 })
	if lines := a.log.lines("level="); len(lines) != 2 || !strings.Contains(lines[0], "uthorization") {
		t.Errorf("it says %d times: %s", len(lines), strings.Join(lines, "\n"))
	}
}

// The users of a server may be corrected while nodes run.
func TestNode_CredentialsCorrectedOnTheServer_Connects(t *testing.T) {
	t.Parallel()
	bus := guarded(t, "another")
	address, network := through(t, bus.Addr().String())
	s := &stage{t: t, place: place(t), url: "nats://cell:secret@" + address}
	a := s.join(func(with *setup) { with.Prefix = "cell" })
	session := a.session()
	until(t, "it was refused a few times", func() bool { return network.dialled() > 12 })
	network.to(guarded(t, "cell").Addr().String())
	until(t, "it is back", func() bool { return !a.bus.Elsewhere(session) })
}

// creds creates an operator, an account and a user with permissions for one
// prefix. It returns a server's options and the user's credentials file.
func creds(t *testing.T, prefix string) (server.Options, string) {
	t.Helper()
	pair := func(prefix nkeys.PrefixByte) (nkeys.KeyPair, string) {
		key, err := nkeys.CreatePair(prefix)
		if err != nil {
			t.Fatal(err)
		}
		public, err := key.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return key, public
	}
	operator, operatorID := pair(nkeys.PrefixByteOperator)
	account, accountID := pair(nkeys.PrefixByteAccount)
	user, userID := pair(nkeys.PrefixByteUser)
	sign := func(claims jwt.Claims, by nkeys.KeyPair) string {
		text, err := claims.Encode(by)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	resolver := &server.MemAccResolver{}
	if err := resolver.Store(accountID, sign(jwt.NewAccountClaims(accountID), operator)); err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewUserClaims(userID)
	claims.Pub.Allow.Add(prefix+".>", "_INBOX.>")
	claims.Sub.Allow.Add(prefix+".>", "_INBOX.>")
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(sign(claims, account), seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "node.creds")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.Options{TrustedOperators: []*jwt.OperatorClaims{jwt.NewOperatorClaims(operatorID)}, AccountResolver: resolver}, file
}

func TestNode_WithCredentialsFile_ReachesOtherNodes(t *testing.T) {
	t.Parallel()
	opts, file := creds(t, "cell")
	s := &stage{t: t, place: place(t), url: serve(t, opts).ClientURL()}
	with := func(with *setup) { with.Prefix, with.Creds = "cell", file }
	a, b := s.join(with), s.join(with)
	turn := b.runs(settledAt(b, a), "hang")
	if r := a.settles(bellcord.StopTurn(turn, by)); r.End != bellcord.EndStopped {
		t.Errorf("%+v", r)
	}
	outside := s.join(func(with *setup) { with.Prefix = "cell" })
	if _, err := outside.Ping(inTime(t), a.id); err == nil {
		t.Error("a node without the file is heard")
	}
}
