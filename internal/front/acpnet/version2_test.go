package acpnet_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/short"
)

// isState matches a state of version 2, and for idle its stop reason.
func isState(state, reason string) func(frame) bool {
	return func(f frame) bool {
		update, _ := f.Params["update"].(obj)
		got, _ := update["stopReason"].(string)
		return update["state"] == state && got == reason
	}
}

func TestCancel_Version2OnAnotherConnection_BothSeeTheEnd(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		one := s.dial2(kind, "anna")
		session := one.newSession(nil)
		if f := one.request("session/prompt", prompt(session, "hang on", "")); f.Result["messageId"] == nil {
			t.Fatalf("answered %+v", f)
		}
		two := s.dial2(kind, "anna")
		if err := two.request("session/resume", obj{"sessionId": session, "cwd": "/"}).failure(); err != nil {
			t.Fatal(err)
		}
		two.await("the state", isState("running", ""))
		two.notify("session/cancel", obj{"sessionId": session})
		for _, c := range []*client{one, two} {
			c.await("the end", isState("idle", "cancelled"))
		}
	})
}

// A client that may not read gets the states, so that it learns of the end of
// its prompts, but nothing of the conversation.
func TestPrompt_Version2WithoutScopeRead_GetsOnlyStates(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		c := s.dial2(kind, "prompter")
		session := c.newSession(nil)
		if f := c.request("session/prompt", prompt(session, "say hello", "")); f.Result["messageId"] == nil {
			t.Fatalf("answered %+v", f)
		}
		end := c.await("the end", isState("idle", "end_turn"))
		if meta, _ := end.Params["update"].(obj)["_meta"].(obj); meta["bellcord/receipt"] != nil {
			t.Errorf("the end has a receipt: %v", meta)
		}
		for _, f := range c.seen() {
			if kind := f.kind(); kind != "" && kind != "state_update" && kind != "available_commands_update" {
				t.Errorf("sent: %+v", f.Params)
			}
		}
		if f := c.request("tool_call/cancel", obj{"sessionId": session, "toolCallId": "c"}); f.Error == nil || f.Error.Code != -32003 {
			t.Errorf("tool_call/cancel was answered %+v", f)
		}
	})
}

// A client whose connection is lost again and again gets each update once, and
// the same ones as a client whose connection lasts.
func TestResume_Version2AfterCuts_LosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		steady := s.dial2(kind, "anna")
		session := steady.newSession(nil)
		var got []mark
		var last mark
		cut := func(c *client) {
			c.wire.cut()
			for _, f := range c.seen() {
				if m, is := markOf(f); is {
					got, last = append(got, m), m
				}
			}
		}
		resume := func() *client {
			c := s.dial2(kind, "anna")
			meta := obj{"bellcord/after": last.seq}
			if last.part > 0 {
				meta["bellcord/part"] = last.part
			}
			if err := c.request("session/resume", obj{"sessionId": session, "cwd": "/", "_meta": meta}).failure(); err != nil {
				t.Fatal(err)
			}
			return c
		}
		for range 10 {
			before := len(steady.seen())
			steady.request("session/prompt", prompt(session, "work 6", ""))
			for range 3 {
				c, most := resume(), rand.IntN(30) //nolint:gosec // a test
				_, _, _ = c.find(func(frame) bool {
					return len(c.seen()) >= most || slices.ContainsFunc(steady.seen()[before:], isState("idle", "end_turn"))
				})
				cut(c)
			}
			_, _, _ = steady.find(func(frame) bool { return slices.ContainsFunc(steady.seen()[before:], isState("idle", "end_turn")) })
		}
		c := resume()
		want := marksOf(steady.seen())
		final := want[len(want)-1]
		if last != final {
			c.await("the rest", func(f frame) bool { m, is := markOf(f); return is && m == final })
		}
		cut(c)
		if !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	})
}

func marksOf(frames []frame) (all []mark) {
	for _, f := range frames {
		if m, is := markOf(f); is {
			all = append(all, m)
		}
	}
	return all
}
