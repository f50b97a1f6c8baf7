package pi

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	aborting                // the abort is sent; waiting for its response
	confirming              // the abort is confirmed; waiting for pi's state
	over
)

// turn is one prompt and its processing by pi.
type turn struct {
	*speaker
	work *hub.Work
	text string

	phase    phase
	awaited  string // id of the command with the response that the phase waits for
	looking  string // id of a get_state in addition to awaited, or ""
	stopping bool
	err      error // the turn's error, set by finish

	began      bool // agent_start was received since the prompt
	ended      bool // agent_end was received; pi may still start again
	retrying   bool // pi pauses before the next attempt
	compacting bool
	returning  bool // pi will continue by itself

	again     *time.Timer   // fires when a busy pi must be checked again
	pause     time.Duration // duration of that timer
	converter converter
	dialogs   dialogs
}

// A busy pi is checked again soon, then less often.
const soonest, latest = 10 * time.Millisecond, 200 * time.Millisecond

func (t *turn) later() {
	t.pause = min(max(2*t.pause, soonest), latest)
	t.again.Reset(t.pause)
}

// Turn implements child.Speaker.
func (s *speaker) Turn(ctx context.Context, w *hub.Work, text string) error {
	s.inbox.listen()
	defer s.inbox.hush()
	t := &turn{speaker: s, work: w, text: text, again: time.NewTimer(0)}
	t.again.Stop()
	defer t.again.Stop()
	t.converter = converter{speaker: s, work: w, ctx: ctx, since: int64(len(text))}
	t.dialogs = dialogs{speaker: s, work: w, ctx: ctx, converter: &t.converter}
	defer t.dialogs.drop()
	t.setPhase(knocking, s.sendCommand("get_state", nil))
	err := t.play(ctx)
	if ctx.Err() == nil {
		err = errors.Join(err, t.converter.err)
	}
	return err
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
				if t.phase != over {
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
		t.dialogs.sendChoice(r.Answer)
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
	}
}

// handleResponse handles the response to a command.
func (t *turn) handleResponse(ctx context.Context, r record) {
	if r.ID != "" && r.ID == t.looking {
		t.looking = ""
		t.applyState(stateOf(r.Data))
		return
	}
	if r.ID == "" || r.ID != t.awaited {
		return
	}
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
		prompt := map[string]any{"message": screened(t.text)}
		if pictures := t.pictures(); len(pictures) > 0 {
			prompt["images"] = pictures
		}
		t.setPhase(prompting, t.sendCommand("prompt", prompt))
	}
}

// screened returns the text in a form that pi does not interpret as a command.
func screened(text string) string {
	if strings.HasPrefix(text, "/") {
		return " " + text
	}
	return text
}

func (t *turn) pictures() []map[string]any {
	var all []map[string]any
	for _, image := range t.work.Prompt.Images {
		all = append(all, map[string]any{"type": "image", "data": image.Data, "mimeType": image.Type})
	}
	return all
}

// accepted handles pi's response to the prompt. From now on an abort is
// effective.
func (t *turn) accepted(r record) {
	var what struct {
		Disposition string `json:"disposition"`
	}
	_ = decodeInto(r.Data, &what)
	switch {
	case !r.Success:
		t.finish(fmt.Errorf("pi rejected the prompt: %s", r.Error))
	case what.Disposition == "handled": // by an extension: no run follows
		t.finish(nil)
	default:
		t.setPhase(running, "")
		if t.stopping {
			t.abort()
		} else if what.Disposition == "" {
			t.sendStateQuery() // an old version does not report whether an extension has handled it
		}
	}
}

// settled ends the run after agent_settled.
func (t *turn) settled() {
	if t.phase == running && t.began {
		t.finish(t.converter.failure())
	}
}

// queryState queries the state of a version without agent_settled.
func (t *turn) queryState() {
	if !t.settles {
		t.sendStateQuery()
	}
}

func (t *turn) sendStateQuery() {
	if t.phase == running && t.looking == "" {
		t.looking = t.sendCommand("get_state", nil)
	}
}

// applyState ends the run if pi is idle and will not continue by itself.
func (t *turn) applyState(now state) {
	switch {
	case t.phase != running || t.began && t.settles || t.retrying || t.compacting || t.returning:
	case t.began && !t.ended: // it is running
	case now.busy():
		t.later()
	default:
		t.finish(t.converter.failure())
	}
}

// queryStateAgain reads pi's state again, or repeats the abort.
func (t *turn) queryStateAgain() {
	switch t.phase {
	case knocking:
		t.setPhase(knocking, t.sendCommand("get_state", nil))
	case running:
		t.sendStateQuery()
	case confirming:
		t.abort()
	case prompting, aborting, over:
	}
}
