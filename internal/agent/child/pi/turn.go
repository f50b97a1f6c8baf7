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

// phase is where a turn is with pi.
type phase int

const (
	knocking   phase = iota // asked whether pi is idle; the prompt is not sent
	prompting               // pi has not accepted the prompt: it cannot hear a stop
	running                 // it has
	aborting                // told to stop; its word is the response
	confirming              // it gave its word, and was asked whether it is idle
	over
)

// turn is one prompt and what pi makes of it.
type turn struct {
	*speaker
	work *hub.Work
	text string

	phase    phase
	awaited  string // id of the command whose response the phase waits for
	looking  string // id of a get_state beside the phase, "" when there is none
	stopping bool
	err      error // how it ends, when not well

	began      bool // the agent has, since the prompt
	ended      bool // the agent has ended; whether for good is not known yet
	retrying   bool // pi pauses before it tries again
	compacting bool
	returning  bool // pi will go on by itself

	again   *time.Timer   // to look again at a pi that was busy
	pause   time.Duration // before that
	telling telling
	dialogs dialogs
}

// A pi that was busy is asked again soon, then less often.
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
	t.telling = telling{speaker: s, work: w, ctx: ctx, since: int64(len(text))}
	t.dialogs = dialogs{speaker: s, work: w, ctx: ctx, telling: &t.telling}
	defer t.dialogs.drop()
	t.setPhase(knocking, s.sendCommand("get_state", nil))
	err := t.play(ctx)
	if ctx.Err() == nil {
		err = errors.Join(err, t.telling.err)
	}
	return err
}

// play goes on until pi is done with the prompt, or has given its word that it
// has stopped. From the stop on it takes no longer than child.Patience.
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
					t.hear(ctx, r)
				}
			}
			if ended && t.phase != over {
				return child.ErrGone
			}
		case <-t.again.C:
			t.lookAgain()
		case <-patience:
			return child.ErrDeaf
		case <-forced:
			return child.ErrDeaf
		case <-gone:
			gone, mourning = nil, time.After(time.Second) // its last words may be under way
		case <-mourning:
			return child.ErrGone
		}
	}
	return t.err
}

// setPhase goes to a phase that waits for a command's response.
func (t *turn) setPhase(p phase, awaited string) { t.phase, t.awaited = p, awaited }

// finish ends the turn.
func (t *turn) finish(err error) { t.phase, t.err = over, err }

// hear takes one record.
func (t *turn) hear(ctx context.Context, r record) {
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
		t.dialogs.drop() // pi has dismissed what there was, and does not say so
		t.ended, t.returning = true, r.WillRetry
		t.look()
	case "agent_settled":
		t.settles, t.returning, t.retrying = true, false, false
		t.settled()
	case "auto_retry_start":
		t.retrying = true
		t.telling.retrying(r)
	case "auto_retry_end":
		t.retrying, t.returning = false, t.returning && r.Success
		t.look()
	case "compaction_start":
		t.compacting = true
	case "compaction_end":
		t.compacting, t.returning = false, r.WillRetry
		t.look()
	default:
		t.telling.hear(r)
	}
}

// handleResponse takes a response.
func (t *turn) handleResponse(ctx context.Context, r record) {
	if r.ID != "" && r.ID == t.looking {
		t.looking = ""
		t.looked(stateOf(r.Data))
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

// open sends the prompt to an idle pi. One that is at something of its own is
// waited for: it would take the prompt for a part of that.
func (t *turn) open(ctx context.Context, now state) {
	switch {
	case ctx.Err() != nil:
		t.finish(context.Cause(ctx)) // pi has heard nothing of it
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

// screened is a text that pi takes for a person's words and for nothing else.
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

// accepted is pi's answer to the prompt. From now on it can hear a stop.
func (t *turn) accepted(r record) {
	var what struct {
		Disposition string `json:"disposition"`
	}
	_ = decodeInto(r.Data, &what)
	switch {
	case !r.Success:
		t.finish(fmt.Errorf("pi rejected the prompt: %s", r.Error))
	case what.Disposition == "handled": // by an extension: there is nothing to wait for
		t.finish(nil)
	default:
		t.setPhase(running, "")
		if t.stopping {
			t.abort()
		} else if what.Disposition == "" {
			t.lookAnyway() // an old one does not say whether an extension has handled it
		}
	}
}

// settled ends a run that pi says is over.
func (t *turn) settled() {
	if t.phase == running && t.began {
		t.finish(t.telling.failure())
	}
}

// look asks a pi that does not say when it has settled whether it has.
func (t *turn) look() {
	if !t.settles {
		t.lookAnyway()
	}
}

func (t *turn) lookAnyway() {
	if t.phase == running && t.looking == "" {
		t.looking = t.sendCommand("get_state", nil)
	}
}

// looked ends the run if nothing of it is under way or will come by itself.
func (t *turn) looked(now state) {
	switch {
	case t.phase != running || t.began && t.settles || t.retrying || t.compacting || t.returning:
	case t.began && !t.ended: // it runs
	case now.busy():
		t.later()
	default:
		t.finish(t.telling.failure())
	}
}

// lookAgain asks again whether pi is idle, or tells it again to be.
func (t *turn) lookAgain() {
	switch t.phase {
	case knocking:
		t.setPhase(knocking, t.sendCommand("get_state", nil))
	case running:
		t.lookAnyway()
	case confirming:
		t.abort()
	case prompting, aborting, over:
	}
}
