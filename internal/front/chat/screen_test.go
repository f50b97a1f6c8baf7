package chat_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

func TestScreen_Conversation_MatchesGoldenFiles(t *testing.T) {
	t.Parallel()
	price := &bellcord.Price{Input: 3000, Output: 15000}
	for name, test := range map[string]func(s *stage) *stage{
		"ready": func(s *stage) *stage { return s },
		"streaming": func(s *stage) *stage {
			return s.runs("what is *it*?").happens(
				bellcord.StepStarted{Step: 1, EstimatedInput: 12000, Price: price},
				bellcord.TextDelta{Text: "# Title\n\nIt is **bold** and `code`:\n\n- one\n- two, which is longer than the window is wide, so that it goes on below\n\n```go\nfunc main() {}\n"},
				bellcord.TextDelta{Text: "// **still** code"},
			).after(42 * time.Second)
		},
		"tools": func(s *stage) *stage {
			return s.runs("test it").happens(
				bellcord.ThinkingDelta{Text: "let me think"},
			).after(12*time.Second).happens(
				bellcord.TextDelta{Text: "I test.\n"},
				called("c1", "shell", `{"command":"npm test"}`), bellcord.ToolCallStarted{Call: "c1"},
				bellcord.ToolOutputDelta{Call: "c1", Text: "1\n2\n3\n4\n5\n6\n\x1b[32m7\x1b[0m\n"},
				called("c2", "read_file", `{"path":"a/b.go"}`), bellcord.ToolCallStarted{Call: "c2"},
				bellcord.ToolCallEnded{Call: "c2", Outcome: bellcord.CallFinished, Result: "package b\n"},
				called("c3", "odd", `{"x":1}`),
			).after(30 * time.Second)
		},
		"asked": func(s *stage) *stage {
			return s.runs("clean up").happens(
				called("c1", "shell", `{"command":"rm -rf build"}`),
				bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Call: "c1", Text: "Run `rm -rf build`?"}},
			)
		},
		"queued": func(s *stage) *stage {
			s.runs("first").of("t2").prompted("second").of("t3").prompted("third\nof two lines")
			s.press("tab")
			return s
		},
		"stopped": func(s *stage) *stage {
			s.of("t2").prompted("later").of("t1").runs("go").happens(
				bellcord.TextDelta{Text: "Working\n\n```\nopen fence"},
				called("c1", "shell", `{"command":"sleep 100"}`), bellcord.ToolCallStarted{Call: "c1"},
				bellcord.ToolOutputDelta{Call: "c1", Text: "last words\n"},
				called("c2", "read_file", `{"path":"x"}`),
			).after(43 * time.Second)
			return s.ends(bellcord.Receipt{
				End: bellcord.EndStopped, Cause: person("anna", "telegram"), HeldTurns: []bellcord.TurnID{"t2"},
				Kept:  bellcord.Kept{TextBytes: 20, FinishedCalls: 3},
				Calls: bellcord.Calls{Finished: 3, Stopped: []bellcord.CallRef{{Call: "c1", Name: "shell"}}, NotStarted: []bellcord.CallRef{{Call: "c2", Name: "read_file"}}},
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newStage(t)).shows(name, 60, 24)
			test(newStage(t)).shows(name+"-narrow", 20, 12)
		})
	}
}

func TestScreen_CtrlT_UnfoldsThinkingAndOutputThatAreNotPrinted(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("x").happens(
		bellcord.ThinkingDelta{Text: "deep"}, called("c", "shell", `{"command":"seq 9"}`),
		bellcord.ToolOutputDelta{Call: "c", Text: "1\n2\n3\n4\n5\n6\n7\n8\n9\n"})
	s.has("✻ thought", "│ 5").hasNot("deep", "│ 4")
	s.press("ctrl+t")
	s.has("│ 1").hasNot("deep")
	s.happens(bellcord.ToolCallEnded{Call: "c"}, bellcord.ThinkingDelta{Text: "deeper"})
	s.has("│ 1", "deeper")
}

func TestPress_PageUpOrDown_NamesWhatScrolls(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"pgup", "pgdown"} {
		s := newStage(t).runs("go")
		expectActions(t, s.press(key))
		s.has("scroll with your terminal; ctrl+o shows the whole conversation")
	}
}
