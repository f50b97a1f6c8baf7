package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
)

// usualWait is how long a stop waits for its receipt by default.
const usualWait = 10 * time.Second

// recordTime is how long a response waits, whatever the caller requested, until
// the stop is recorded: an acknowledged stop survives a crash. If the store is
// blocked for longer, the response does not wait for it. The stop itself never
// waits.
const recordTime = time.Second

// stopped is the response to a stop: 200 with the receipts, or 202 while the
// stop is in progress or waits for its turn.
type stopped struct {
	Status int
	Body   api.Stopped
}

type (
	stopTurn struct {
		TurnPath
		Body *api.Stop
	}
	stopSession struct {
		SessionPath
		Body *api.Stop
	}
	stopAll struct{ Body *api.Stop }
)

// stops has the operations that stop turns.
type stops struct{ hub stopper }

func (s *stops) register(o *operations) {
	addResponse(o, stopRoute("POST /v1/turns/{turn}/stop", "stop-turn",
		"Stop a turn; if it does not exist yet, it is stopped when it arrives within ten minutes"), s.stopTurn)
	addResponse(o, stopRoute("DELETE /v1/turns/{turn}", "discard-turn",
		"Discard a queued turn; the same as stopping it"), s.stopTurn)
	addResponse(o, stopRoute("POST /v1/sessions/{session}/stop", "stop-session",
		"Stop the running turn of a session"), lookUp(o.session, s.stopSession))
	addResponse(o, stopRoute("POST /v1/stop", "stop-all", "Stop every turn you are authorized to stop"), s.stopAll)
}

// stopRoute is route with a small body limit, so that a stop is never refused
// because of the bytes of other requests.
func stopRoute(pattern, id, summary string) huma.Operation {
	op := route(pattern, id, bellcord.ScopeStop, summary)
	op.MaxBodyBytes = mostStop
	return op
}

func (s *stops) stopTurn(ctx context.Context, in *stopTurn) (*stopped, error) {
	id, err := bellcord.ParseTurnID(in.Turn)
	if err != nil {
		return nil, badInput("%v", err)
	}
	return s.stop(ctx, in.Body, bellcord.StopRequest{Turn: id})
}

func (s *stops) stopSession(ctx context.Context, found bellcord.Session, in *stopSession) (*stopped, error) {
	return s.stop(ctx, in.Body, bellcord.StopRequest{Session: found.ID, Everywhere: true})
}

func (s *stops) stopAll(ctx context.Context, in *stopAll) (*stopped, error) {
	return s.stop(ctx, in.Body, bellcord.StopRequest{Everywhere: true})
}

// stop implements every stop over HTTP: one call of Hub.Stop, limited to
// the turns that the caller may stop.
func (s *stops) stop(ctx context.Context, sent *api.Stop, req bellcord.StopRequest) (*stopped, error) {
	body := api.Stop{}
	if sent != nil {
		body = *sent
	}
	wait, err := waiting(body.Wait, usualWait)
	if err != nil {
		return nil, err
	}
	req.Owner, req.Cause = caller(ctx).Reach(), cause(ctx, body.Reason)
	req.Mode, req.Queue = bellcord.StopMode(body.Mode), bellcord.QueueAction(body.Queue)
	return await(ctx, s.hub.Stop(req), wait)
}

// await waits for the receipts. The stop is already in progress and does not
// depend on the waiting.
func await(ctx context.Context, stopping *hub.Stopping, wait time.Duration) (*stopped, error) {
	bounded, done := context.WithTimeout(ctx, wait)
	defer done()
	recording, recorded := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer recorded()
	answers, err := stopping.Wait(bounded)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	out := &stopped{http.StatusOK, api.NewStopped(answers)}
	out.Body.Recorded = stopping.Recorded(recording) == nil
	if err != nil && out.Body.Recorded { // receipts may have arrived in the meantime
		if again, _ := stopping.Wait(bounded); len(again) > 0 {
			out.Body.State, out.Body.Turns = api.NewStopped(again).State, again
		}
	}
	if len(answers) == 0 && err != nil {
		out.Body.State = bellcord.StopStateInProgress // the stop has not yet reached the nodes that run the turns
	}
	if out.Body.State.UnderWay() || out.Body.State == bellcord.StopStateWaitingForTurn {
		out.Status = http.StatusAccepted
	}
	return out, nil
}
