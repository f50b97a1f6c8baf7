package pi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// phase is the state of a turn.
type phase int

const (
	knocking   phase = iota // waiting for pi to be idle; the prompt is not sent
	prompting               // pi has not accepted the prompt: an abort would be lost
	running                 // pi has accepted the prompt
	settling                // the run is over; waiting for the last responses
	aborting                // the abort is sent; waiting for its response
	confirming              // the abort is confirmed; waiting for pi's state
	over
)

// turn is one prompt and its processing by pi.
type turn struct {
	*speaker
	work *hub.Work
	text string

	phase     phase
	awaited   string // id of the command with the response that the phase waits for
	looking   string // id of a get_state in addition to awaited, or ""
	measuring string // id of a get_session_stats in addition to awaited, or ""
	stopping  bool
	err       error // the turn's error, set by finish

	began      bool // agent_start was received since the prompt
	ended      bool // agent_end was received; pi may still start again
	retrying   bool // pi pauses before the next attempt
	compacting bool
	returning  bool // pi will continue by itself

	again     *time.Timer   // fires when a busy pi must be checked again
	pause     time.Duration // duration of that timer
	converter converter
	dialogs   dialogs
	steerings steerings
}

// A busy pi is checked again soon, then less often.
const soonest, latest = 10 * time.Millisecond, 200 * time.Millisecond

func (t *turn) later() {
	t.pause = min(max(2*t.pause, soonest), latest)
	t.again.Reset(t.pause)
}

// Turn implements child.Speaker.
func (s *speaker) Turn(ctx context.Context, w *hub.Work, p child.Prompt) error {
	select {
	case <-s.session:
	case <-ctx.Done():
		return context.Cause(ctx) // during a fork: pi has not received the prompt
	}
	defer s.release()
	if s.astray {
		return child.ErrGone // a new process resumes the session
	}
	text := p.FullText()
	if p.Note != "" {
		text = p.Note + "\n\n" + text
	}
	s.inbox.listen()
	t := &turn{speaker: s, work: w, text: text, again: time.NewTimer(0)}
	t.again.Stop()
	defer t.again.Stop()
	t.converter = converter{speaker: s, work: w, ctx: ctx, since: int64(len(text))}
	t.dialogs = dialogs{speaker: s, work: w, ctx: ctx, converter: &t.converter}
	defer t.leave()
	t.setPhase(knocking, s.sendCommand("get_state", nil))
	err := t.play(ctx)
	if ctx.Err() == nil {
		err = errors.Join(err, t.converter.err)
	}
	return err
}

// leave drops open dialogs and the records that the turn has not handled.
func (t *turn) leave() {
	t.dialogs.drop()
	for _, r := range t.inbox.hush() {
		if r.Steering != nil {
			t.steerings.early = append(t.steerings.early, r.Steering)
		}
	}
	t.dropSteering()
}

// play processes pi's records until pi has completed the prompt or confirmed an
// abort. After a stop, it returns within child.Patience.
func (t *turn) play(ctx context.Context) error {
	stopped, gone := ctx.Done(), t.process.Gone
	var patience, mourning <-chan time.Time
	var forced <-chan struct{}
	for t.phase != over {
		select {
		case <-stopped:
			stopped, forced = nil, bellcord.Forced(ctx)
			patience = time.After(child.Patience)
			t.abortTurn()
		case <-t.inbox.more:
			records, ended := t.inbox.takeRecords()
			for _, r := range records {
				if t.phase != over || r.Steering != nil {
					t.handleRecord(ctx, r)
				}
			}
			if ended && t.phase != over {
				return child.ErrGone
			}
		case <-t.again.C:
			t.queryStateAgain()
		case <-patience:
			return child.ErrDeaf
		case <-forced:
			return child.ErrDeaf
		case <-gone:
			gone, mourning = nil, time.After(time.Second) // its last output may still be on the way
		case <-mourning:
			return child.ErrGone
		}
	}
	return t.err
}

// setPhase enters a phase that waits for a command's response.
func (t *turn) setPhase(p phase, awaited string) { t.phase, t.awaited = p, awaited }

// finish ends the turn.
func (t *turn) finish(err error) { t.phase, t.err = over, err }

// handleRecord handles one record.
func (t *turn) handleRecord(ctx context.Context, r record) {
	switch r.Type {
	case "response":
		t.handleResponse(ctx, r)
	case "extension_ui_request":
		t.dialogs.open(r, t.stopping)
	case "dialog_answered":
		t.dialogs.sendAnswer(r.Answer)
	case "steering_requested":
		t.steer(r.Steering)
	case "session_info_changed":
		t.work.SetTitle(r.Name)
	case "agent_start":
		t.began, t.ended, t.returning, t.retrying = true, false, false, false
	case "agent_end":
		t.dialogs.drop() // pi dismisses its open dialogs without a notice
		t.ended, t.returning = true, r.WillRetry
		t.queryState()
	case "agent_settled":
		t.settles, t.returning, t.retrying = true, false, false
		t.settled()
	case "auto_retry_start":
		t.retrying = true
		t.converter.retrying(r)
	case "auto_retry_end":
		t.retrying, t.returning = false, t.returning && r.Success
		t.queryState()
	case "compaction_start":
		t.compacting = true
	case "compaction_end":
		t.compacting, t.returning = false, r.WillRetry
		t.queryState()
	default:
		t.converter.convert(r)
		if r.Type == "message_end" && r.Message.Role == "assistant" {
			t.measure()
		}
	}
}

// handleResponse handles the response to a command.
func (t *turn) handleResponse(ctx context.Context, r record) {
	switch {
	case r.ID == "":
	case r.ID == t.looking:
		t.looking = ""
		t.applyState(stateOf(r.Data))
	case r.ID == t.measuring:
		t.measured(r)
		t.settle()
	case t.steeringResponse(r):
		t.settle()
	case r.ID == t.awaited:
		t.handleAwaited(ctx, r)
	}
}

// handleAwaited handles the response that the phase waits for.
func (t *turn) handleAwaited(ctx context.Context, r record) {
	switch t.phase {
	case knocking:
		t.open(ctx, stateOf(r.Data))
	case prompting:
		t.accepted(r)
	case aborting:
		t.dialogs.drop()
		t.setPhase(confirming, t.sendCommand("get_state", nil))
	case confirming:
		t.confirmed(stateOf(r.Data))
	case settling:
		t.continueWith(r)
	case running, over:
	}
}

// open sends the prompt if pi is idle. If pi is busy, open waits: pi would take
// the prompt for a part of its current work.
func (t *turn) open(ctx context.Context, now state) {
	switch {
	case ctx.Err() != nil:
		t.finish(context.Cause(ctx)) // pi has not received the prompt
	case now.busy():
		t.later()
	default:
		t.model = now.Model.name()
		prompt := map[string]any{"message": t.text}
		if images := pictures(t.work.Prompt.Images); len(images) > 0 {
			prompt["images"] = images
		}
		t.setPhase(prompting, t.sendCommand("prompt", prompt))
	}
}

// pictures returns images as pi expects them.
func pictures(images []bellcord.Image) []map[string]any {
	var all []map[string]any
	for _, image := range images {
		all = append(all, map[string]any{"type": "image", "data": image.Data, "mimeType": image.Type})
	}
	return all
}

// accepted handles pi's response to the prompt. From now on an abort is
// effective.
func (t *turn) accepted(r record) {
	if !r.Success {
		t.finish(fmt.Errorf("pi rejected the prompt: %s", r.Error))
		return
	}
	t.setPhase(running, "")
	if t.stopping {
		t.abort()
		return
	}
	t.steerEarly()
	if dataOf[struct{ Disposition string }](r.Data).Disposition != "started" {
		t.sendStateQuery() // an extension has handled it, with or without a run; old versions do not report it
	}
}
