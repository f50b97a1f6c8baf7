package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// mostShare limits the size of a share in bytes.
const mostShare = 8 << 20

var (
	errShareOwner = errors.New("only the owner of a session can share it")
	errShareSize  = errors.New("the conversation is too long to be shared")
	errNoShares   = errors.New("this server does not store shares")
)

func (s *Server) shareRoutes() {
	create := route(http.MethodPost, "/v1/sessions/{session}/shares", "share-session", "Share a copy of your conversation by a link", bellcord.ScopePrompt)
	create.DefaultStatus = http.StatusCreated
	huma.Register(s.api, create, s.share)
	huma.Register(s.api, route(http.MethodGet, "/v1/shares", "list-shares", "List your shares", bellcord.ScopeRead), s.listShares)
	huma.Register(s.api, route(http.MethodDelete, "/v1/shares/{share}", "stop-sharing", "Delete a share, so that its link no longer works", bellcord.ScopePrompt), s.stopSharing)
	read := route(http.MethodGet, "/v1/shared", "get-shared", "Read a shared conversation", "")
	read.Security = []map[string][]string{}
	huma.Register(s.api, read, s.shared)
}

func (s *Server) share(ctx context.Context, in *struct {
	SessionPath
	Body api.NewShare
},
) (*struct{ Body api.Share }, error) {
	found, err := s.session(ctx, in.Session)
	if err == nil {
		err = s.mayShare(ctx, found)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	content, err := s.copyOf(ctx, found, in.Body.ToolOutput)
	if err != nil {
		return nil, s.fail(err)
	}
	secret, now := rand.Text(), time.Now()
	hash := sha256.Sum256([]byte(secret))
	made := serverstore.Share{
		ID: newShareID(), Owner: found.Owner, Session: found.ID, Title: found.Title, Hash: hash[:],
		Created: now, Expires: now.AddDate(0, 0, in.Body.Days), Content: content,
	}
	if err := s.Shares.PutShare(ctx, made); err != nil {
		return nil, s.fail(err)
	}
	view := shareView(made)
	view.Token = made.ID + "." + secret
	return &struct{ Body api.Share }{view}, nil
}

// mayShare refuses callers that reach a session but do not own it. A session
// without an owner can be shared by an admin.
func (s *Server) mayShare(ctx context.Context, found bellcord.Session) error {
	if s.Shares == nil {
		return errNoShares
	}
	if found.Owner != caller(ctx).Owner && found.Owner != "" {
		return errShareOwner
	}
	return nil
}

func newShareID() string {
	random := make([]byte, 9)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// copyOf returns the content of a share: the conversation as it is now.
func (s *Server) copyOf(ctx context.Context, found bellcord.Session, withOutput bool) ([]byte, error) {
	copied := &snapshot{withOutput: withOutput, hide: s.Hide, places: map[bellcord.TurnID]int{}, calls: map[string][2]int{}}
	err := s.eachEvent(ctx, found.ID, func(events []bellcord.Event) error {
		copied.add(events)
		return nil
	})
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(copied.finish())
	if err == nil && len(content) > mostShare {
		err = errShareSize
	}
	return content, err
}

func shareView(v serverstore.Share) api.Share {
	return api.Share{ID: v.ID, Session: v.Session, Owner: v.Owner, Title: v.Title, Created: v.Created, Expires: v.Expires}
}

func (s *Server) listShares(ctx context.Context, in *struct {
	Session string `query:"session" doc:"only shares of this session"`
},
) (*struct{ Body api.Shares }, error) {
	all := api.Shares{Shares: []api.Share{}}
	if s.Shares == nil {
		return &struct{ Body api.Shares }{all}, nil
	}
	found, err := s.Shares.Shares(ctx, caller(ctx).Reach())
	if err != nil {
		return nil, s.fail(err)
	}
	for _, v := range found {
		if time.Now().Before(v.Expires) && (in.Session == "" || in.Session == string(v.Session)) {
			all.Shares = append(all.Shares, shareView(v))
		}
	}
	return &struct{ Body api.Shares }{all}, nil
}

func (s *Server) stopSharing(ctx context.Context, in *struct {
	Share string `path:"share" doc:"id of a share"`
},
) (*struct{}, error) {
	if s.Shares == nil {
		return nil, s.fail(serverstore.ErrNoShare)
	}
	found, err := s.Shares.Share(ctx, in.Share)
	if reach := caller(ctx).Reach(); err == nil && reach != "" && found.Owner != reach {
		err = serverstore.ErrNoShare
	}
	if err == nil {
		err = s.Shares.DeleteShare(ctx, in.Share)
	}
	return nil, s.fail(err)
}

// shared returns the content of a share to everyone with its token. An unknown,
// a deleted and an expired share have the same response. The token is in a
// header, so that logs of addresses do not contain it.
func (s *Server) shared(ctx context.Context, in *struct {
	Token string `header:"Bellcord-Share" required:"true" maxLength:"200" doc:"last part of the link"`
},
) (*struct{ Body api.Shared }, error) {
	if s.Shares == nil {
		return nil, s.fail(serverstore.ErrNoShare)
	}
	id, secret, _ := strings.Cut(in.Token, ".")
	found, err := s.Shares.Share(ctx, id)
	if err != nil {
		return nil, s.fail(err)
	}
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], found.Hash) != 1 || !time.Now().Before(found.Expires) {
		return nil, s.fail(serverstore.ErrNoShare)
	}
	body := api.Shared{Title: found.Title, Owner: found.Owner, Created: found.Created, Expires: found.Expires}
	if err := json.Unmarshal(found.Content, &body.Turns); err != nil {
		return nil, s.fail(err)
	}
	return &struct{ Body api.Shared }{body}, nil
}
