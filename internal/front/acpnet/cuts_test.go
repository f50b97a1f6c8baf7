package acpnet_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

var cuts = flag.Int("cuts", 50, "number of cut connections in TestCuts")

// mark identifies an update from the log.
type mark struct {
	seq, part int64
	kind      string
	text      string
}

func markOf(f frame) (mark, bool) {
	seq, is := f.meta("bellcord/seq").(float64)
	if !is || f.kind() == "user_message_chunk" { // the client shows its prompts itself
		return mark{}, false
	}
	part := int64(1)
	if n, is := f.meta("bellcord/part").(float64); is {
		part = int64(n)
	}
	return mark{int64(seq), part, f.kind(), f.text()}, true
}

// expected returns the updates that events lead to, without user messages. It
// is written independently of the front.
func expected(events []bellcord.Event) (all []mark) {
	for _, ev := range events {
		m := mark{seq: ev.Seq, part: 1}
		switch b := ev.Body.(type) {
		case bellcord.TextDelta:
			m.kind, m.text = "agent_message_chunk", b.Text
		case bellcord.ThinkingDelta:
			m.kind, m.text = "agent_thought_chunk", b.Text
		case bellcord.ToolCallRequested:
			m.kind = "tool_call"
		case bellcord.ToolCallStarted, bellcord.ToolOutputDelta, bellcord.ToolCallEnded:
			m.kind = "tool_call_update"
		case bellcord.StepEnded:
			m.kind = "usage_update"
		case bellcord.SessionUpdated:
			m.kind = "session_info_update"
		default:
			continue
		}
		all = append(all, m)
	}
	return all
}

// watcher is a client that loses its connection again and again.
type watcher struct {
	s       *stage
	kind    string
	random  *rand.Rand
	c       *client
	session string
	got     []mark
	read    int // frames of c in got
	cuts    int
}

// collect moves the new frames of the connection to got.
func (w *watcher) collect(frames []frame) {
	for _, f := range frames[w.read:] {
		if m, is := markOf(f); is {
			w.got = append(w.got, m)
		}
	}
	w.read = len(frames)
}

// reconnect opens a connection and resumes after the last update.
func (w *watcher) reconnect() {
	w.s.t.Helper()
	meta := obj{"bellcord/after": 0}
	if n := len(w.got); n > 0 {
		meta = obj{"bellcord/after": w.got[n-1].seq, "bellcord/part": w.got[n-1].part}
	}
	w.c, w.read = w.s.dial(w.kind, "anna"), 0
	if f := w.c.request("session/resume", reopening(w.session, meta)); f.Error != nil {
		w.s.t.Fatalf("resume: %+v", f.Error)
	}
}

// play sends a prompt and cuts its connection up to most times, each after a
// random number of frames. After each cut it resumes and sends the prompt again.
func (w *watcher) play(text string, most int) {
	w.s.t.Helper()
	turn := string(bellcord.NewTurnID())
	for {
		limit := -1 // no cut
		if most > 0 {
			limit = w.random.IntN(60)
			most--
		}
		begin := len(w.c.seen())
		var id int
		answered := make(chan int, 1)
		if limit == 0 { // cut while the prompt is being sent
			go func() { answered <- w.c.send("session/prompt", prompt(w.session, text, turn)) }()
		} else {
			id = w.c.send("session/prompt", prompt(w.session, text, turn))
		}
		done := false
		if limit != 0 {
			_, _, err := w.c.find(func(f frame) bool {
				done = isAnswer(id)(f)
				return done || limit > 0 && len(w.c.seen()) >= begin+limit
			})
			if err != nil {
				w.s.t.Fatal(err)
			}
		}
		if done {
			w.collect(w.c.seen())
			return
		}
		w.c.wire.cut()
		if limit == 0 {
			<-answered
		}
		_, _, _ = w.c.find(func(frame) bool { return false }) // the reader has ended
		w.cuts++
		w.collect(w.c.seen())
		w.reconnect()
	}
}

// Whenever connections are cut during live turns: after a resume no update is
// missing or repeated, and a load shows what the log contains.
func TestCuts_DuringLiveTurns_LoseAndRepeatNothing(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for _, kind := range transports {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			seed := rand.Uint64()
			w := &watcher{s: s, kind: kind, random: rand.New(rand.NewPCG(seed, 1)), c: s.dial(kind, "anna")} //nolint:gosec // a test
			turns, updates, missing, loads := 0, 0, 0, 0
			for w.cuts < *cuts/2 {
				if turns%5 == 0 { // a new session now and then
					w.c.wire.cut() // a token may have 32 connections
					w.c, w.read, w.got = s.dial(kind, "anna"), 0, nil
					w.session = w.c.newSession(nil)
				}
				turns++
				w.play(fmt.Sprintf("work %d", 4+w.random.IntN(8)), min(3, *cuts/2-w.cuts))
				log := s.log(w.session)
				want := expected(log)
				if !slices.Equal(w.got, want) {
					missing++
					t.Errorf("seed %d, turn %d: got\n%v\nwant\n%v", seed, turns, w.got, want)
					w.got = want
				}
				updates += len(want)
				loads++
				if shown, kept := s.loaded(kind, w.session), transcript(log); shown != kept {
					t.Errorf("seed %d, turn %d: loaded\n%s\nthe log has\n%s", seed, turns, shown, kept)
				}
			}
			t.Logf("%s: %d cuts in %d turns, %d updates compared, %d loads compared, %d turns with a difference; the agent ran %d times",
				kind, w.cuts, turns, updates, loads, missing, s.ran())
			if s.ran() != turns {
				t.Errorf("%d prompts, but the agent ran %d times", turns, s.ran())
			}
		})
	}
}

// loaded returns the transcript that a load shows: texts with their speaker, and
// calls with their last status.
func (s *stage) loaded(kind, session string) string {
	s.t.Helper()
	c := s.dial(kind, "anna")
	defer c.wire.cut()
	if f := c.request("session/load", reopening(session, nil)); f.Error != nil {
		s.t.Fatalf("load: %+v", f.Error)
	}
	if kind == "http" { // the answer is on another stream than the updates
		c.await("the end of the replay", func(f frame) bool { return f.kind() == "available_commands_update" })
	}
	var text transcriber
	for _, f := range c.seen() {
		update, _ := f.Params["update"].(obj)
		switch f.kind() {
		case "user_message_chunk":
			text.say("user", f.text())
		case "agent_message_chunk":
			text.say("agent", f.text())
		case "agent_thought_chunk":
			text.say("thought", f.text())
		case "tool_call_update":
			if status := fmt.Sprint(update["status"]); status == "completed" || status == "failed" {
				text.say("call "+status, fmt.Sprint(update["content"]))
			}
		}
	}
	return text.String()
}

// transcript returns the same from the log.
func transcript(events []bellcord.Event) string {
	var text transcriber
	prompts := map[bellcord.TurnID]string{}
	for _, ev := range events {
		switch b := ev.Body.(type) {
		case bellcord.TurnAccepted:
			prompts[ev.Turn] = b.Text
		case bellcord.TurnStarted:
			text.say("user", prompts[ev.Turn])
		case bellcord.TextDelta:
			text.say("agent", b.Text)
		case bellcord.ThinkingDelta:
			text.say("thought", b.Text)
		case bellcord.ToolCallEnded:
			text.say("call completed", fmt.Sprint([]any{obj{"type": "content", "content": obj{"type": "text", "text": b.Result}}}))
		default:
		}
	}
	return text.String()
}

// transcriber joins consecutive pieces of a speaker.
type transcriber struct {
	text, speaker string
}

func (w *transcriber) say(speaker, text string) {
	if speaker != w.speaker {
		w.text += "\n" + speaker + ": "
	}
	w.text, w.speaker = w.text+text, speaker
}

func (w *transcriber) String() string { return w.text }
