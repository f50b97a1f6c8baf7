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

// shares has the operations for shared copies of conversations.
type shares struct {
	views
	store serverstore.ShareStore
	hide  func(string) string
}

func (s *shares) register(o *operations) {
	add(o, withStatus(http.StatusCreated, route("POST /v1/sessions/{session}/shares", "share-session",
		bellcord.ScopePrompt, "Share a copy of your conversation by a link")), lookUp(o.session, s.share))
	add(o, route("GET /v1/shares", "list-shares", bellcord.ScopeRead, "List your shares"), s.list)
	addResponse(o, route("DELETE /v1/shares/{share}", "stop-sharing", bellcord.ScopePrompt,
		"Delete a share, so that its link no longer works"), s.stop)
	add(o, route("GET /v1/shared", "get-shared", "", "Read a shared conversation"), s.read)
}

func (s *shares) share(ctx context.Context, found bellcord.Session, in *struct {
	SessionPath
	Body api.NewShare
},
) (api.Share, error) {
	if err := s.mayShare(ctx, found); err != nil {
		return api.Share{}, err
	}
	content, err := s.copyOf(ctx, found, in.Body.ToolOutput)
	if err != nil {
		return api.Share{}, err
	}
	secret, now := rand.Text(), time.Now()
	hash := sha256.Sum256([]byte(secret))
	made := serverstore.Share{
		ID: newShareID(), Owner: found.Owner, Session: found.ID, Title: found.Title, Hash: hash[:],
		Created: now, Expires: now.AddDate(0, 0, in.Body.Days), Content: content,
	}
	view := shareView(made)
	view.Token = made.ID + "." + secret
	return view, s.store.PutShare(ctx, made)
}

// mayShare refuses callers that reach a session but do not own it. A session
// without an owner can be shared by an admin.
func (s *shares) mayShare(ctx context.Context, found bellcord.Session) error {
	if s.store == nil {
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
func (s *shares) copyOf(ctx context.Context, found bellcord.Session, withOutput bool) ([]byte, error) {
	copied := &snapshot{
		withOutput: withOutput, hide: s.hide, places: map[bellcord.TurnID]int{}, calls: map[string][2]int{},
	}
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
	return api.Share{
		ID: v.ID, Session: v.Session, Owner: v.Owner, Title: v.Title, Created: v.Created, Expires: v.Expires,
	}
}

func (s *shares) list(ctx context.Context, in *struct {
	Session string `query:"session" doc:"only shares of this session"`
},
) (api.Shares, error) {
	all := api.Shares{Shares: []api.Share{}}
	if s.store == nil {
		return all, nil
	}
	found, err := s.store.Shares(ctx, caller(ctx).Reach())
	for _, v := range found {
		if time.Now().Before(v.Expires) && (in.Session == "" || in.Session == string(v.Session)) {
			all.Shares = append(all.Shares, shareView(v))
		}
	}
	return all, err
}

func (s *shares) stop(ctx context.Context, in *struct {
	Share string `path:"share" doc:"id of a share"`
},
) (*struct{}, error) {
	if s.store == nil {
		return nil, serverstore.ErrNoShare
	}
	found, err := s.store.Share(ctx, in.Share)
	if reach := caller(ctx).Reach(); err == nil && reach != "" && found.Owner != reach {
		err = serverstore.ErrNoShare
	}
	if err == nil {
		err = s.store.DeleteShare(ctx, in.Share)
	}
	return nil, err
}

// read returns the content of a share to everyone with its token. An unknown,
// a deleted and an expired share have the same response. The token is in a
// header, so that logs of addresses do not contain it.
func (s *shares) read(ctx context.Context, in *struct {
	Token string `header:"Bellcord-Share" required:"true" maxLength:"200" doc:"last part of the link"`
},
) (api.Shared, error) {
	if s.store == nil {
		return api.Shared{}, serverstore.ErrNoShare
	}
	id, secret, _ := strings.Cut(in.Token, ".")
	found, err := s.store.Share(ctx, id)
	if err != nil {
		return api.Shared{}, err
	}
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], found.Hash) != 1 || !time.Now().Before(found.Expires) {
		return api.Shared{}, serverstore.ErrNoShare
	}
	body := api.Shared{Title: found.Title, Owner: found.Owner, Created: found.Created, Expires: found.Expires}
	return body, json.Unmarshal(found.Content, &body.Turns)
}
