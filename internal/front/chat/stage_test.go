package chat_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

var update = flag.Bool("update", false, "write the screens that tests compare with")

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// stage is a conversation that a test controls.
type stage struct {
	t       *testing.T
	m       *chat.Model
	now     time.Time
	turn    bellcord.TurnID // turn of the events
	seq     int64           // of the last event
	printed []string        // lines that the terminal keeps
}

func newStage(t *testing.T) *stage {
	t.Helper()
	return stageWith(t, chat.Options{})
}

func stageWith(t *testing.T, o chat.Options) *stage {
	t.Helper()
	o.Now = noon
	o.Session = bellcord.Session{ID: "s", Dir: "/work/here", Model: "openai/fake", Mode: "ask"}
	m := chat.New(o)
	m.CaughtUp()
	return &stage{t: t, m: m, now: noon, turn: "t1"}
}

func (s *stage) after(d time.Duration) *stage {
	s.now = s.now.Add(d)
	return s
}

// happens passes events of the stage's turn to the model.
func (s *stage) happens(bodies ...bellcord.Body) *stage {
	for _, b := range bodies {
		s.seq++
		s.m.Take([]bellcord.Event{{Session: "s", Seq: s.seq, Turn: s.turn, Time: s.now, Body: b}})
	}
	return s
}

func (s *stage) of(turn bellcord.TurnID) *stage {
	s.turn = turn
	return s
}

func (s *stage) prompted(text string) *stage {
	return s.happens(bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: text}})
}

func (s *stage) runs(text string) *stage { return s.prompted(text).happens(bellcord.TurnStarted{}) }

func (s *stage) ends(r bellcord.Receipt) *stage {
	r.Turn, r.Times.Started, r.Times.Settled = s.turn, noon, s.now
	return s.happens(bellcord.TurnEnded{Receipt: r})
}

// types presses the keys of a text, one after the other.
func (s *stage) types(text string) *stage {
	for _, r := range text {
		s.m.Press(string(r), string(r), s.now)
	}
	return s
}

// press presses a key and returns the actions.
func (s *stage) press(key string) []chat.Action { return s.m.Press(key, "", s.now) }

// enters types a text and presses Enter.
func (s *stage) enters(text string) []chat.Action { return s.types(text).press("enter") }

// draw draws the screen at the current time.
func (s *stage) draw() *stage {
	s.window(100, 30)
	return s
}

// print prints what was finished since the last call, and returns it.
func (s *stage) print(width int) []string {
	lines := s.m.Finished(width)
	s.printed = append(s.printed, lines...)
	return lines
}

// window returns the lines in the window of a terminal: the end of what is printed,
// with the live screen below it, or a screen that covers them.
func (s *stage) window(width, height int) []string {
	s.m.Tick(s.now)
	if shown := s.m.Screen(width, height); shown.Alternate {
		return shown.Lines
	}
	s.print(width)
	var lines []string
	for _, l := range s.printed { // a terminal wraps what was printed in a wider window
		lines = append(lines, strings.Split(ansi.Hardwrap(l, width, true), "\n")...)
	}
	lines = append(lines, s.m.Screen(width, height).Lines...)
	return lines[max(0, len(lines)-height):]
}

// screen returns the window without styles.
func (s *stage) screen(width, height int) string { return plainly(s.window(width, height)) }

// live returns the live screen without styles.
func (s *stage) live(width, height int) string {
	s.m.Tick(s.now)
	return plainly(s.m.Screen(width, height).Lines)
}

func plainly(lines []string) string {
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(strings.TrimRight(ansi.Strip(l), " ") + "\n")
	}
	return text.String()
}

// shows compares the screen with its golden file. An open question can be answered
// on it.
func (s *stage) shows(name string, width, height int) {
	s.t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if s.m.HasQuestion() {
		s.screen(width, height)
		s.after(700 * time.Millisecond)
	}
	got := s.screen(width, height)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != string(want) {
		s.t.Errorf("%s is\n%s\nnot\n%s", name, got, want)
	}
}

// has checks that the screen contains the words.
func (s *stage) has(words ...string) *stage {
	s.t.Helper()
	got := s.screen(100, 30)
	for _, w := range words {
		if !strings.Contains(got, w) {
			s.t.Errorf("%q is not on the screen:\n%s", w, got)
		}
	}
	return s
}

func (s *stage) hasNot(words ...string) *stage {
	s.t.Helper()
	got := s.screen(100, 30)
	for _, w := range words {
		if strings.Contains(got, w) {
			s.t.Errorf("%q is on the screen:\n%s", w, got)
		}
	}
	return s
}

func called(id, name, args string) bellcord.ToolCallRequested {
	return bellcord.ToolCallRequested{Call: id, Name: name, Arguments: json.RawMessage(args)}
}

func person(by, from string) *bellcord.Cause {
	return &bellcord.Cause{Kind: bellcord.CausePerson, By: by, Source: from}
}
