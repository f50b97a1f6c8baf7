package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// rollingTurn is a turn and the events that its viewer received.
type rollingTurn struct {
	session bellcord.SessionID
	turn    bellcord.TurnID
	seen    []bellcord.Event
}

// visit is one guest: it prompts in a new session, watches the turn to its end, and repeats, until
// the restarts are over.
func (c *rollingCrowd) visit(ctx context.Context, i int) error {
	if err := pause(ctx, rand.N(5*time.Second)); err != nil { // spread the arrivals
		return err
	}
	for !c.over.Load() {
		t := &rollingTurn{turn: bellcord.NewTurnID()}
		var made bellcord.Session
		if err := c.insist(ctx, "/v1/sessions", api.NewSession{Dir: c.stage.dir}, &made); err != nil {
			return err
		}
		t.session = made.ID
		c.guests[i] = append(c.guests[i], t)
		if err := c.insist(ctx, "/v1/sessions/"+string(made.ID)+"/turns", api.NewTurn{ID: string(t.turn), Text: rollingPrompt}, nil); err != nil {
			return err
		}
		if err := c.watch(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// watch reads a session's events to the end of its turn, from any node.
func (c *rollingCrowd) watch(ctx context.Context, t *rollingTurn) error {
	ctx, done := context.WithTimeout(ctx, 3*time.Minute)
	defer done()
	stream := c.server.Events(t.session, 0)
	defer stream.Close()
	stream.Lost = func(error) { c.cut.Add(1) }
	for {
		events, err := stream.Next(ctx)
		if err != nil {
			return fmt.Errorf("watching %s, %d events in: %w", t.session, len(t.seen), err)
		}
		t.seen = append(t.seen, events...)
		for _, ev := range events {
			if _, is := ev.Body.(bellcord.TurnEnded); is {
				return nil
			}
		}
	}
}

// oneWay opens a new connection for every request, so that a draining node is not used again.
var oneWay = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// insist repeats a request until a node accepts it. Repeating is safe: a prompt has an id, so a
// repeated one is the same turn; a session created twice is never used.
func (c *rollingCrowd) insist(ctx context.Context, path string, body, into any) error {
	const tries = 50
	var err error
	for range tries {
		var again bool
		if again, err = c.try(ctx, path, body, into); err == nil || !again {
			return err
		}
		c.refused.Add(1)
		if waited := pause(ctx, 50*time.Millisecond); waited != nil {
			return errors.Join(waited, err)
		}
	}
	return err
}

// try sends a request once, and reports whether it may be sent again after a failure.
func (c *rollingCrowd) try(ctx context.Context, path string, body, into any) (again bool, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.proxy.url()+path, bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	req.Header.Set("Authorization", "Bearer "+c.stage.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := oneWay.Do(req)
	if err != nil {
		return true, err
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	switch {
	case err != nil:
		return true, err
	case resp.StatusCode/100 != 2:
		return resp.StatusCode == http.StatusServiceUnavailable, fmt.Errorf("%s: %s: %s", path, resp.Status, answer)
	case into == nil:
		return false, nil
	}
	return false, json.Unmarshal(answer, into)
}
