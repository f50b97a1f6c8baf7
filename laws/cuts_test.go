package laws_test

import (
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/store"
)

// cut is a cut point, with the expected state of a turn stopped there.
type cut struct {
	name   string
	prompt string // script for the fake model
	// reach sends the prompt and returns when the turn has reached the cut
	// point.
	reach func(s *stage, id bellcord.TurnID, prompt string)
	// late runs after the stop has been sent.
	late func(s *stage, id bellcord.TurnID, prompt string)

	end                    bellcord.End // EndStopped if empty
	requests               int          // requests that the model has received when the stop arrives
	open                   bool         // a model request is open when the stop arrives
	text                   bool         // part of the answer has been shown
	finished, stopped, not int          // number of calls by outcome
	questions              int          // questions that the stop withdraws
	keeps                  string       // text of an exchange that the history must still contain
}

// cuts is the table of cut points.
var cuts = []cut{
	{
		name: "before accept", prompt: "[slow 50]",
		late: func(s *stage, id bellcord.TurnID, p string) { s.send(id, p) },
	}, {
		name: "queued", prompt: "[slow 50]",
		reach: func(s *stage, id bellcord.TurnID, p string) {
			first := s.send("", "[hang] first")
			s.requested(1)
			s.send(id, p)
			s.t.Cleanup(func() { s.Stop(bellcord.StopTurn(first.ID, bellcord.Cause{})) })
		},
		late:     func(s *stage, _ bellcord.TurnID, _ string) { s.stopOthers() },
		requests: 1,
	}, {
		name: "starting", prompt: "[slow 50]",
		reach: func(s *stage, id bellcord.TurnID, p string) { s.send(id, p) },
	}, {
		name: "being claimed", prompt: "[slow 50]", // like "starting", but blocked at the claim
		reach: func(s *stage, id bellcord.TurnID, p string) {
			held := s.store.shut(func(op store.Op) bool { _, is := op.(store.ClaimTurn); return is })
			s.send(id, p)
			<-held
		},
		late: func(s *stage, _ bellcord.TurnID, _ string) { s.store.open() },
	}, {
		name: "waiting for the first byte", prompt: "[hang]",
		reach:    func(s *stage, id bellcord.TurnID, p string) { s.send(id, p); s.requested(1) },
		requests: 1, open: true,
	}, {
		name: "after the headers", prompt: "[hangheaders]",
		reach:    func(s *stage, id bellcord.TurnID, p string) { s.send(id, p); s.requested(1); s.answering(1) },
		requests: 1, open: true,
	}, {
		name: "in thinking", prompt: "[think 50 20ms]",
		reach:    until(kind[bellcord.ThinkingDelta]),
		requests: 1, open: true,
	}, {
		name: "in text", prompt: "[slow 50]",
		reach:    until(emittedText("word5")),
		requests: 1, open: true, text: true, keeps: "word5",
	}, {
		name: "in text, the stream hanging", prompt: "[hang after 3]",
		reach:    until(emittedText("word3")),
		requests: 1, open: true, text: true, keeps: "word3",
	}, {
		name: "in tool arguments", prompt: `[say Let me see.][tool quick {"path":"a/very/long/path/that/comes/in/pieces"}][slowargs 1h]`,
		reach:    until(emittedText("see.")),
		requests: 1, open: true, text: true, keeps: "Let me see.",
	}, {
		name: "between call and dispatch", prompt: `[tool quick {}]`,
		reach: func(s *stage, id bellcord.TurnID, p string) {
			held := s.store.shut(func(op store.Op) bool {
				add, _ := op.(store.AppendEvents)
				return slices.ContainsFunc(add.Bodies, kind[bellcord.ToolCallStarted])
			})
			s.send(id, p)
			<-held
		},
		late:     func(s *stage, _ bellcord.TurnID, _ string) { s.store.open() },
		requests: 1, not: 1, keeps: "not started",
	}, {
		name: "waiting for approval", prompt: `[tool guarded {}]`,
		reach:    until(kind[bellcord.QuestionOpened]),
		requests: 1, not: 1, questions: 1, keeps: "not started",
	}, {
		name: "in a tool", prompt: `[tool works {}]`,
		reach:    until(kind[bellcord.ToolOutputDelta]),
		requests: 1, stopped: 1, keeps: "half of the work",
	}, {
		name: "between sibling tools", prompt: `[tool quick {}][tool works {}][tool quick {}]`,
		reach:    until(kind[bellcord.ToolOutputDelta]),
		requests: 1, finished: 1, stopped: 1, not: 1, keeps: "quick is done",
	}, {
		name: "in parallel tools", prompt: `[tool safe {}][tool safe {}]`,
		reach: func(s *stage, id bellcord.TurnID, p string) {
			s.send(id, p)
			outputs := map[string]bool{}
			s.await(id, func(b bellcord.Body) bool {
				if out, is := b.(bellcord.ToolOutputDelta); is {
					outputs[out.Call] = true
				}
				return len(outputs) == 2
			})
		},
		requests: 1, stopped: 2, keeps: "half of the work",
	}, {
		name: "in the second step", prompt: `[tool quick {}][then [slow 50]]`,
		reach:    until(emittedText("word5")),
		requests: 2, open: true, text: true, finished: 1, keeps: "word5",
	}, {
		name: "after a call in text", prompt: `[say <tool_call>{"name":"quick","arguments":{}}</tool_call>]`,
		reach: func(s *stage, id bellcord.TurnID, p string) {
			held := s.store.shut(func(op store.Op) bool {
				add, _ := op.(store.AppendEvents)
				return slices.ContainsFunc(add.Bodies, kind[bellcord.ContextAdded])
			})
			s.send(id, p)
			<-held
		},
		late:     func(s *stage, _ bellcord.TurnID, _ string) { s.store.open() },
		requests: 1, text: true, keeps: "</tool_call>",
	}, {
		name: "after a call that failed twice", prompt: `[tool nosuch {}][then [tool nosuch {}]][then [tool nosuch {}]][then [slow 50]]`,
		reach: func(s *stage, id bellcord.TurnID, p string) {
			held := s.store.shut(func(op store.Op) bool {
				add, _ := op.(store.AppendEvents)
				return slices.ContainsFunc(add.Bodies, func(b bellcord.Body) bool {
					end, is := b.(bellcord.ToolCallEnded)
					return is && strings.Contains(end.Result, "a third time")
				})
			})
			s.send(id, p)
			<-held
		},
		late:     func(s *stage, _ bellcord.TurnID, _ string) { s.store.open() },
		requests: 3, not: 3, keeps: "not run a third time",
	}, {
		name: "in retry back-off", prompt: "[status 503 retry 30]",
		reach:    until(kind[bellcord.ModelRetryScheduled]),
		requests: 1,
	}, {
		name: "in compaction", prompt: "[hang after 3]",
		reach: func(s *stage, id bellcord.TurnID, p string) {
			s.done("[say All of it.]")
			s.sendPrompt(bellcord.Prompt{Turn: id, Task: bellcord.TaskCompact, Text: p})
			s.modelHas(func(r []fakemodel.Request) bool {
				return len(r) == s.base+2 && strings.Contains(r[s.base+1].Sent, "word3")
			})
			synctest.Wait() // the stop has arrived
		},
		requests: 2, open: true, keeps: "All of it.",
	}, {
		name: "in settle", prompt: "[say All done.]",
		reach: func(s *stage, id bellcord.TurnID, p string) {
			held := s.store.shut(func(op store.Op) bool { _, is := op.(store.FinishTurn); return is })
			s.send(id, p)
			<-held
		},
		late: func(s *stage, _ bellcord.TurnID, _ string) { s.store.open() },
		end:  bellcord.EndDone, requests: 1, text: true, keeps: "All done.",
	}, {
		name: "after the end", prompt: "[say All done.]",
		reach: func(s *stage, id bellcord.TurnID, p string) { <-s.send(id, p).Settled() },
		end:   bellcord.EndDone, requests: 1, text: true, keeps: "All done.",
	},
}

// until sends the prompt and waits for an event.
func until(is func(bellcord.Body) bool) func(*stage, bellcord.TurnID, string) {
	return func(s *stage, id bellcord.TurnID, prompt string) {
		s.send(id, prompt)
		s.await(id, is)
	}
}

// requested waits until the scene's n-th request reaches the model.
func (s *stage) requested(n int) {
	s.modelHas(func(r []fakemodel.Request) bool { return len(r) >= s.base+n })
}

// answering waits until the response headers of the n-th request have been
// sent.
func (s *stage) answering(n int) {
	s.modelHas(func(r []fakemodel.Request) bool { return len(r) >= s.base+n && !r[s.base+n-1].FirstByte.IsZero() })
}

func (s *stage) modelHas(is func([]fakemodel.Request) bool) {
	s.t.Helper()
	if err := s.model.Wait(s.t.Context(), is); err != nil {
		s.t.Fatal(err)
	}
}

// stopOthers stops all other turns, so that a scene can end.
func (s *stage) stopOthers() { s.Stop(bellcord.StopSession(s.session, bellcord.Cause{By: "stage"})) }

// scene is a turn that was stopped at a cut point.
type scene struct {
	*stage
	cut
	id bellcord.TurnID
	stopAnswer
	waited  time.Duration    // time until the answer
	receipt bellcord.Receipt // the stored receipt
}

// by is the cause of the scenes' stops as the server records it, so that laws
// about causes are the same for every origin.
var by = bellcord.Cause{By: "anna", Source: "http", Reason: "because"}

// stopAt runs a turn to a cut point and stops it there.
func (s *stage) stopAt(c cut) scene {
	s.t.Helper()
	from := s.origin
	if from.stop == nil {
		from = origins[0]
	}
	sc := scene{stage: s, cut: c, id: bellcord.NewTurnID()}
	s.base = len(s.model.Requests())
	if from.ready != nil {
		from.ready(s)
	}
	if c.reach != nil {
		c.reach(s, sc.id, c.prompt)
	}
	if from.link != sameNode {
		synctest.Wait() // other nodes only have the stored state of the turn
	}
	requested := time.Now()
	answered := from.stop(s, sc.id)
	if c.late != nil {
		c.late(s, sc.id, c.prompt)
	}
	sc.stopAnswer = answered()
	sc.waited, sc.receipt = time.Since(requested), s.ended(sc.id)
	return sc
}
