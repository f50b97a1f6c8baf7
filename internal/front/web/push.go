package web

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var (
	errNoPush    = errors.New("this server sends no push messages")
	errPushToken = errors.New("a push subscription needs a login or a token, because it ends with it")
)

// pushRoutes registers the routes for browsers that are notified while the page
// is closed. A caller reaches only the subscriptions of its owner, also an
// admin.
func (s *Server) pushRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/push", "get-push", "Get the server's key for push messages, and your subscriptions", bellcord.ScopeRead), s.getPush)
	subscribe := route(http.MethodPost, "/v1/push/subscriptions", "subscribe-push", "Send push messages to a browser; replaces its subscription", bellcord.ScopeRead)
	subscribe.DefaultStatus = http.StatusCreated
	subscribe.MaxBodyBytes = mostPush
	huma.Register(s.api, subscribe, s.subscribe)
	huma.Register(s.api, route(http.MethodDelete, "/v1/push/subscriptions/{subscription}", "unsubscribe-push", "Send no more push messages to a browser", bellcord.ScopeRead), s.unsubscribe)
	huma.Register(s.api, route(http.MethodPost, "/v1/push/subscriptions/{subscription}/test", "test-push", "Send a test message to a browser, and wait until its push service has accepted it", bellcord.ScopeRead), s.testPush)
}

// subscriptionPath contains the id of a subscription.
type subscriptionPath struct {
	Subscription string `path:"subscription" doc:"id of a push subscription"`
}

func (s *Server) getPush(ctx context.Context, _ *struct{}) (*struct{ Body api.Push }, error) {
	if s.Push == nil {
		return nil, s.fail(errNoPush)
	}
	key, err := s.Push.Key(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	found, err := s.Push.Subscriptions(ctx, caller(ctx).Owner)
	if err != nil {
		return nil, s.fail(err)
	}
	all := api.Push{Key: key, Subscriptions: []api.PushSubscription{}}
	for _, v := range found {
		all.Subscriptions = append(all.Subscriptions, pushView(v))
	}
	return &struct{ Body api.Push }{all}, nil
}

func pushView(v serverstore.PushSubscription) api.PushSubscription {
	return api.PushSubscription{ID: v.ID, Service: push.Service(v), Questions: v.Questions, Ends: v.Ends, Created: v.Created}
}

func (s *Server) subscribe(ctx context.Context, in *struct{ Body api.NewPushSubscription }) (*struct{ Body api.PushSubscription }, error) {
	user := caller(ctx)
	switch {
	case s.Push == nil:
		return nil, s.fail(errNoPush)
	case user.Token == "":
		return nil, s.fail(errPushToken)
	}
	wanted := serverstore.PushSubscription{Owner: user.Owner, Token: user.Token, Endpoint: in.Body.Endpoint, Questions: in.Body.Questions, Ends: in.Body.Ends}
	var err, authErr error
	wanted.PublicKey, err = base64.RawURLEncoding.DecodeString(in.Body.Keys.P256DH)
	wanted.Auth, authErr = base64.RawURLEncoding.DecodeString(in.Body.Keys.Auth)
	if errors.Join(err, authErr) != nil {
		return nil, s.fail(badInput("keys must be in unpadded base64url"))
	}
	made, err := s.Push.Subscribe(ctx, wanted)
	if errors.Is(err, push.ErrInvalid) {
		err = badInput("%v", err)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return &struct{ Body api.PushSubscription }{pushView(made)}, nil
}

func (s *Server) unsubscribe(ctx context.Context, in *subscriptionPath) (*struct{}, error) {
	if s.Push == nil {
		return nil, s.fail(errNoPush)
	}
	return nil, s.fail(s.Push.Unsubscribe(ctx, caller(ctx).Owner, in.Subscription))
}

func (s *Server) testPush(ctx context.Context, in *subscriptionPath) (*struct{}, error) {
	if s.Push == nil {
		return nil, s.fail(errNoPush)
	}
	err := s.Push.Test(ctx, caller(ctx).Owner, in.Subscription)
	if errors.Is(err, push.ErrNotSent) {
		return nil, s.fail(newProblem(http.StatusBadGateway, "push-failed", err))
	}
	return nil, s.fail(err)
}
