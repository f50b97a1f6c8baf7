package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
)

// hostile contains texts that try to control a terminal or to break out of a
// window.
var hostile = []string{
	"\x1b]0;title\a", "\x1b]52;c;ZXZpbA==\x1b\\", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\",
	"\x1b[2J\x1b[H", "\x1b[8mhidden\x1b[0m", "\x1b[31mred", "\x1bc", "\x1bP+q544e\x1b\\", "\x1b[6n", "\x1b[?1049l", "\x1b[1;1Hy",
	"\u009b31m", "\u009d0;title\u009c", "\x9b31m", "\u0090x\u009c", "a\rb", "a\bb", "\x00\x7f\x0e", "\u202eevil\u2066", "\xff\xfe",
	"&#27;[31mred", "&#x1b;]0;t&#7;", "&amp;#27;[2J", "&#155;31m", "&NewLine;&Tab;x", "`\x1b[2J`", "**\x1b[2J**", "[a\x1b](http://x\x1b[2J)",
	"```\n\x1b[2J\n", "# \x1b]0;t\a", "> \x1b[2J", "- \u009b2J", "| \x1b[2J |", "1. &#27;c", "\\\x1b[2J", "_\x1b_",
	strings.Repeat("界", 100), strings.Repeat("x", 500), "👩‍👩‍👧‍👦 family\u200d", "e\u0301\u0301\u0301\u0301", "\t\t\ttabs", "~~~\n\x1b", "***", "[", "`", "](", "__a", "",
}

// ownStyles matches the only sequences that a screen may contain.
var ownStyles = regexp.MustCompile("\x1b\\[(0|1|2|3|4|9|31|32|33|36)m")

func TestScreen_HostileText_CannotControlTheTerminal(t *testing.T) {
	t.Parallel()
	for _, evil := range hostile {
		for _, shape := range shapes(evil) {
			for _, size := range [][2]int{{80, 24}, {20, 10}, {5, 3}, {4, 1}} {
				s := newStage(t)
				shape(s)
				s.press("ctrl+t")
				s.check(evil, size[0], size[1])
			}
		}
	}
}

// check verifies the guarantees of what is printed and of the screen below it.
func (s *stage) check(evil string, width, height int) {
	s.t.Helper()
	s.m.Tick(s.now)
	printed := slices.Concat(s.m.Finished(width), s.m.Unfinished(width))
	shown := s.m.Screen(width, height)
	if len(shown.Lines) > height || shown.X >= width || shown.Y >= height {
		s.t.Errorf("%q: %d lines of %d, cursor at %d, %d", evil, len(shown.Lines), height, shown.X, shown.Y)
	}
	for _, l := range shown.Lines {
		if w := ansi.StringWidth(l); w > width {
			s.t.Errorf("%q is %d wide, not %d: %q", evil, w, width, l)
		}
	}
	for _, l := range slices.Concat(printed, shown.Lines) {
		if rest := ownStyles.ReplaceAllString(l, ""); strings.ContainsFunc(rest, steers) {
			s.t.Errorf("%q got through: %q", evil, l)
		}
	}
}

func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// shapes returns all ways in which foreign text reaches a screen.
func shapes(evil string) []func(*stage) {
	args, _ := json.Marshal(map[string]string{"command": evil})
	question := bellcord.Question{ID: "q", Call: "c", Text: evil}
	events := [][]bellcord.Body{
		{bellcord.TextDelta{Text: evil}},
		{bellcord.TextDelta{Text: evil + "\n\nnext"}},
		{bellcord.TextDelta{Text: evil}, bellcord.StepEnded{}},
		{bellcord.ThinkingDelta{Text: evil}},
		{bellcord.ModelRetryScheduled{Reason: evil}},
		{bellcord.ConversationCompacted{Summary: evil}},
		{called("c", evil, string(args)), bellcord.ToolOutputDelta{Call: "c", Text: evil}},
		{bellcord.ToolCallRequested{Call: "c", Title: evil, ArgumentError: evil}, bellcord.ToolCallEnded{Call: "c", Result: evil}},
		{called("c", "shell", string(args)), bellcord.QuestionOpened{Question: question}},
		{called("c", "shell", string(args)), bellcord.QuestionOpened{Question: question}, bellcord.QuestionAnswered{Question: "q", Choice: evil, By: evil}},
		{bellcord.SessionUpdated{Model: evil, Mode: evil, Dir: evil, Title: evil}, bellcord.QuestionOpened{Question: question}},
		{bellcord.TurnEnded{Receipt: bellcord.Receipt{Turn: "t1", End: bellcord.EndFailed, Error: evil}}},
		{bellcord.TurnEnded{Receipt: bellcord.Receipt{Turn: "t1", End: bellcord.EndStopped, Cause: person(evil, evil)}}},
	}
	all := []func(*stage){
		func(s *stage) { s.runs(evil) }, func(s *stage) { s.m.Paste(evil) },
		func(s *stage) { s.runs("a").of("t2").prompted(evil) },
		func(s *stage) { s.m.Lost(errors.New(evil)) },
		func(s *stage) { s.m.Apply(chat.Report{Of: chat.ShowList{}, Text: evil}) },
		func(s *stage) { s.m.Apply(chat.Report{Of: chat.Clear{}, Err: errors.New(evil)}) },
		func(s *stage) {
			s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: listed(bellcord.Session{ID: "x", Title: evil, Dir: evil})})
		},
		func(s *stage) {
			s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: listed(bellcord.Session{ID: "x"})})
			s.types("a")
			s.m.Apply(chat.Report{Of: chat.Search{Query: "a"}, Found: []chat.Found{{Session: listed(bellcord.Session{ID: "x"})[0], Text: evil}}})
		},
	}
	for _, bodies := range events {
		all = append(all, func(s *stage) { s.runs("x").happens(bodies...) })
	}
	return all
}

func FuzzNothingThatIsSaidCanSteerATerminal(f *testing.F) {
	for _, evil := range hostile {
		f.Add(evil)
	}
	f.Fuzz(func(t *testing.T, evil string) {
		for _, shape := range shapes(evil) {
			s := newStage(t)
			shape(s)
			s.check(evil, 30, 12)
		}
	})
}

// record is a hub with only a log.
type record struct {
	chat.Hub
	events []bellcord.Event
}

func (r *record) Events(context.Context, bellcord.SessionID, func(error)) (line.Source, func(), error) {
	return r, func() {}, nil
}

func (r *record) Next(ctx context.Context) ([]bellcord.Event, error) {
	if events := r.events; events != nil {
		r.events = nil
		return events, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestPlain_HostileText_CannotControlTheTerminal(t *testing.T) {
	t.Parallel()
	for _, evil := range hostile {
		hub := &record{}
		for _, bodies := range [][]bellcord.Body{
			{bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: evil}}, bellcord.TurnStarted{}, bellcord.TextDelta{Text: evil}},
			{called("c", evil, `{"command":"`+"\u009b2J"+`"}`), bellcord.ToolCallEnded{Call: "c", Failed: true, Result: evil}},
			{bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: evil}}, bellcord.QuestionAnswered{Question: "q", Choice: evil, By: evil}},
			{bellcord.ModelRetryScheduled{Reason: evil}, bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndFailed, Error: evil}}},
			{bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndStopped, Cause: person(evil, evil)}}, bellcord.TextDelta{Text: "the end"}},
		} {
			for _, b := range bodies {
				hub.events = append(hub.events, bellcord.Event{Session: "s", Turn: "t1", Body: b})
			}
		}
		var out bytes.Buffer
		in, keyboard := io.Pipe()
		shown := &until{to: &out, want: "the end", onMatch: func() { _ = keyboard.Close() }}
		model := chat.New(chat.Options{Session: bellcord.Session{ID: "s"}, Plain: true})
		if err := (&chat.Plain{Hub: hub, Model: model, In: in, Out: shown}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("\n", "", "\t", "").Replace(out.String())
		if strings.ContainsFunc(text, steers) {
			t.Errorf("%q got through: %q", evil, out.String())
		}
	}
}

// until calls onMatch when a text has been written.
type until struct {
	to      *bytes.Buffer
	want    string
	onMatch func()
}

func (u *until) Write(p []byte) (int, error) {
	n, err := u.to.Write(p)
	if strings.Contains(u.to.String(), u.want) {
		u.onMatch()
	}
	return n, err
}
