package web

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var (
	errNoPush    = errors.New("this server sends no push messages")
	errPushToken = errors.New("a push subscription needs a login or a token, because it ends with it")
)

// subscriptions has the operations for browsers that are notified while the page
// is closed. A caller reaches only the subscriptions of its owner, also an
// admin.
type subscriptions struct{ push *push.Notifier }

func (s *subscriptions) register(o *operations) {
	add(o, route("GET /v1/push", "get-push", bellcord.ScopeRead,
		"Get the server's key for push messages, and your subscriptions"), s.get)
	subscribe := route("POST /v1/push/subscriptions", "subscribe-push", bellcord.ScopeRead,
		"Send push messages to a browser; replaces its subscription")
	subscribe.MaxBodyBytes = mostPush
	add(o, withStatus(http.StatusCreated, subscribe), s.subscribe)
	addResponse(o, route("DELETE /v1/push/subscriptions/{subscription}", "unsubscribe-push", bellcord.ScopeRead,
		"Send no more push messages to a browser"), s.unsubscribe)
	addResponse(o, route("POST /v1/push/subscriptions/{subscription}/test", "test-push", bellcord.ScopeRead,
		"Send a test message to a browser, and wait until its push service has accepted it"), s.test)
}

// subscriptionPath contains the id of a subscription.
type subscriptionPath struct {
	Subscription string `path:"subscription" doc:"id of a push subscription"`
}

func (s *subscriptions) get(ctx context.Context, _ *struct{}) (api.Push, error) {
	if s.push == nil {
		return api.Push{}, errNoPush
	}
	key, err := s.push.Key(ctx)
	if err != nil {
		return api.Push{}, err
	}
	found, err := s.push.Subscriptions(ctx, caller(ctx).Owner)
	all := api.Push{Key: key, Subscriptions: []api.PushSubscription{}}
	for _, v := range found {
		all.Subscriptions = append(all.Subscriptions, pushView(v))
	}
	return all, err
}

func pushView(v serverstore.PushSubscription) api.PushSubscription {
	return api.PushSubscription{ID: v.ID, Service: push.Service(v), Questions: v.Questions, Ends: v.Ends, Created: v.Created}
}

func (s *subscriptions) subscribe(
	ctx context.Context, in *struct{ Body api.NewPushSubscription },
) (made api.PushSubscription, err error) {
	user := caller(ctx)
	switch {
	case s.push == nil:
		return made, errNoPush
	case user.Token == "":
		return made, errPushToken
	}
	wanted := serverstore.PushSubscription{
		Owner: user.Owner, Token: user.Token, Endpoint: in.Body.Endpoint, Questions: in.Body.Questions, Ends: in.Body.Ends,
	}
	var authErr error
	wanted.PublicKey, err = base64.RawURLEncoding.DecodeString(in.Body.Keys.P256DH)
	wanted.Auth, authErr = base64.RawURLEncoding.DecodeString(in.Body.Keys.Auth)
	if errors.Join(err, authErr) != nil {
		return made, badInput("keys must be in unpadded base64url")
	}
	kept, err := s.push.Subscribe(ctx, wanted)
	if errors.Is(err, push.ErrInvalid) {
		err = badInput("%v", err)
	}
	return pushView(kept), err
}

func (s *subscriptions) unsubscribe(ctx context.Context, in *subscriptionPath) (*struct{}, error) {
	if s.push == nil {
		return nil, errNoPush
	}
	return nil, s.push.Unsubscribe(ctx, caller(ctx).Owner, in.Subscription)
}

func (s *subscriptions) test(ctx context.Context, in *subscriptionPath) (*struct{}, error) {
	if s.push == nil {
		return nil, errNoPush
	}
	err := s.push.Test(ctx, caller(ctx).Owner, in.Subscription)
	if errors.Is(err, push.ErrNotSent) {
		err = newProblem(http.StatusBadGateway, "push-failed", err)
	}
	return nil, err
}
