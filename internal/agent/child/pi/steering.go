package pi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/blocks"
)

// steering is a message for the run that is in progress. Pi passes it to the
// model after the tool calls that are running.
type steering struct {
	message string
	images  []map[string]any
	reply   chan error // receives nil when pi has accepted the message
}

// errNoRun is the reply to a steering message that no run can receive.
var errNoRun = errors.New("no turn is running")

// steer passes a message to the running turn and waits until pi has accepted it.
func (s *speaker) steer(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p acp.PromptRequest
	if err := acp.Decode(params, &p); err != nil {
		return nil, invalid("steering: %v", err)
	}
	prompt, err := blocks.Read(p.Prompt, params, false) // pi accepts what models accept
	if err != nil {
		return nil, invalid("steering: %v", err)
	}
	m := &steering{message: prompt.Text, images: pictures(prompt.Images), reply: make(chan error, 1)}
	if !s.inbox.put(record{Type: "steering_requested", Steering: m}) {
		m.reply <- errNoRun
	}
	select {
	case err := <-m.reply:
		switch {
		case errors.Is(err, errNoRun):
			return json.RawMessage(`{"outcome":"promptRequired","reason":"noRunningTurn"}`), nil
		case err != nil:
			return nil, fmt.Errorf("pi refused the message: %w", err)
		}
		return json.RawMessage(`{"outcome":"injected"}`), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// steerings contains the steering messages of a turn.
type steerings struct {
	early []*steering          // for a run that pi has not accepted yet
	sent  map[string]*steering // by the id of the command, until pi responds
	used  bool                 // pi's queue may contain messages
}

// steer sends a steering message to pi, now or as soon as pi has accepted the
// prompt. Before, pi would keep it for the next run.
func (t *turn) steer(m *steering) {
	switch {
	case t.stopping || t.phase == settling:
		m.reply <- errNoRun
	case t.phase == running:
		fields := map[string]any{"message": m.message}
		if len(m.images) > 0 {
			fields["images"] = m.images
		}
		if t.steerings.sent == nil {
			t.steerings.sent = map[string]*steering{}
		}
		t.steerings.sent[t.sendCommand("steer", fields)] = m
		t.steerings.used = true
	default:
		t.steerings.early = append(t.steerings.early, m)
	}
}

// steerEarly sends the messages that arrived before pi accepted the prompt.
func (t *turn) steerEarly() {
	early := t.steerings.early
	t.steerings.early = nil
	for _, m := range early {
		t.steer(m)
	}
}

// steeringResponse handles the response to a steering message. It reports
// whether it is one.
func (t *turn) steeringResponse(r record) bool {
	m := t.steerings.sent[r.ID]
	if m == nil {
		return false
	}
	delete(t.steerings.sent, r.ID)
	if r.Success {
		m.reply <- nil
	} else {
		m.reply <- refusal(r.Error)
	}
	return true
}

// dropSteering replies to all steering messages at the end of the turn.
func (t *turn) dropSteering() {
	for _, m := range t.steerings.early {
		m.reply <- errNoRun
	}
	for _, m := range t.steerings.sent { // a stop has cleared pi's queue
		m.reply <- errNoRun
	}
	t.steerings = steerings{}
}

// continueWith starts another run with the messages that arrived too late for
// the last one. After a failure they are dropped, as pi's own run was.
func (t *turn) continueWith(r record) {
	queue := dataOf[struct{ Steering, FollowUp []string }](r.Data)
	late := slices.Concat(queue.Steering, queue.FollowUp)
	if len(late) == 0 || t.converter.failure() != nil {
		t.endRun()
		return
	}
	t.began, t.ended = false, false
	t.setPhase(prompting, t.sendCommand("prompt", map[string]any{"message": strings.Join(late, "\n\n")}))
}
