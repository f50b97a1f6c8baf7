package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// The number of turns that stream while stops are measured, and their rate.
const (
	stopBatch  = 100
	stopPrompt = "[slow 3000 200ms] go"
)

// stream starts turns at the node, each in a new session, and returns once each has received a
// second word from the model, so that the start of the turns is over.
func (n *clusterNode) stream(ctx context.Context, count int) ([]bellcord.TurnID, error) {
	model := n.stage.model
	forget, err := http.NewRequestWithContext(ctx, http.MethodDelete, strings.TrimSuffix(n.stage.modelURL, "/v1")+"/requests", http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(forget)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	turns := make([]bellcord.TurnID, count)
	const arriving = 8
	err = together(arriving, func(from int) error {
		for i := from; i < count; i += arriving {
			var made bellcord.Session
			if err := n.roundTrip(ctx, http.MethodPost, "/v1/sessions", api.NewSession{Dir: n.stage.dir}, &made); err != nil {
				return err
			}
			turns[i] = bellcord.NewTurnID()
			if err := n.roundTrip(ctx, http.MethodPost, "/v1/sessions/"+string(made.ID)+"/turns", api.NewTurn{ID: string(turns[i]), Text: stopPrompt}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return turns, model.Wait(ctx, func(all []fakemodel.Request) bool {
		streaming := 0
		for i := range all {
			if strings.Contains(all[i].Sent, " ") {
				streaming++
			}
		}
		return streaming == count
	})
}

// together calls do n times concurrently.
func together(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}
