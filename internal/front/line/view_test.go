package line_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/store/sqlite"
)

// script is an agent made from a function.
type script func(ctx context.Context, w *hub.Work) error

func (s script) Run(ctx context.Context, w *hub.Work) error { return s(ctx, w) }

// emits returns an agent that emits the bodies, each in a separate commit.
func emits(bodies ...bellcord.Body) script {
	return func(ctx context.Context, w *hub.Work) error {
		for _, b := range bodies {
			if err := errors.Join(w.Emit(b), w.Sync(ctx)); err != nil {
				return err
			}
		}
		return nil
	}
}

// follow runs a turn and shows it. meanwhile may be nil.
func follow(t *testing.T, agent script, view *line.View, meanwhile func(*hub.Hub, *hub.Turn)) (receipt bellcord.Receipt, err error) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, openErr := sqlite.Open(t.Context(), dir)
		if openErr != nil {
			t.Fatal(openErr)
		}
		hub, openErr := hub.Open(t.Context(), store, agent, hub.Options{})
		if openErr != nil {
			t.Fatal(openErr)
		}
		t.Cleanup(func() {
			if err := errors.Join(hub.Close(context.Background()), store.Close()); err != nil {
				t.Error(err)
			}
		})
		session, openErr := hub.NewSession(t.Context(), bellcord.Session{Dir: dir})
		if openErr != nil {
			t.Fatal(openErr)
		}
		turn, openErr := hub.Prompt(session.ID, bellcord.Prompt{Text: "go"})
		if openErr != nil {
			t.Fatal(openErr)
		}
		if meanwhile != nil {
			go meanwhile(hub, turn)
		}
		receipt, err = view.FollowHub(t.Context(), hub, turn, 0)
	})
	return receipt, err
}

func TestFollow_Turn_WritesTheAnswerToOutAndTheRestToErr(t *testing.T) {
	t.Parallel()
	call := bellcord.ToolCallRequested{Call: "c", Name: "shell", Arguments: json.RawMessage(`{"command":"make"}`)}
	tests := []struct {
		name     string
		bodies   []bellcord.Body
		out, err string
	}{
		{"an answer gets its newline", []bellcord.Body{bellcord.TextDelta{Text: "hello "}, bellcord.TextDelta{Text: "there"}}, "hello there\n", ""},
		{"an answer that has one gets no second", []bellcord.Body{bellcord.TextDelta{Text: "hello\n"}, bellcord.TextDelta{Text: ""}}, "hello\n", ""},
		{"no answer, no newline", nil, "", ""},
		{"thinking is not shown", []bellcord.Body{bellcord.ThinkingDelta{Text: "hm"}, bellcord.TextDelta{Text: "yes"}}, "yes\n", ""},
		{
			"a call starts on a line of its own, and what succeeds is not talked about",
			[]bellcord.Body{
				bellcord.TextDelta{Text: "look:"},
				call,
				bellcord.ToolCallStarted{Call: "c"},
				bellcord.ToolOutputDelta{Call: "c", Text: "noise"},
				bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "fine"},
				bellcord.TextDelta{Text: "done"},
			},
			"look:\ndone\n", "→ shell {\"command\":\"make\"}\n",
		},
		{
			"of a call that fails the last line is shown",
			[]bellcord.Body{call, bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Failed: true, Result: "cc x.c\nno rule\n[exit code 2]\n"}},
			"", "→ shell {\"command\":\"make\"}\n  [exit code 2]\n",
		},
		{
			"of a call with an error the first line is shown",
			[]bellcord.Body{call, bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Failed: true, Result: "error: the old text is not in the file\n1: \"x\"\nSend the text as it is"}},
			"", "→ shell {\"command\":\"make\"}\n  error: the old text is not in the file\n",
		},
		{
			"a call that did not run is shown",
			[]bellcord.Body{call, bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallNotStarted, Result: "[not started]"}},
			"", "→ shell {\"command\":\"make\"}\n  [not started]\n",
		},
		{
			"a pause is explained in one line",
			[]bellcord.Body{bellcord.TextDelta{Text: "well"}, bellcord.ModelRetryScheduled{Attempt: 1, RetryIn: 1512345 * time.Microsecond, Reason: "busy:\n try later\n"}},
			"well\n", "… busy: try later; retrying in 1.5s\n",
		},
		{
			"a scan that takes long is shown until it ends",
			[]bellcord.Body{bellcord.FilesScanned{}, bellcord.FilesScanned{Files: 12000, Bytes: 340 << 20}, bellcord.FilesScanned{Files: 12001, Done: true}},
			"", "… scanning files for undo\n… scanning files for undo (12000, 340 MB so far)\n",
		},
		{
			"a compaction is told in one line",
			[]bellcord.Body{bellcord.TextDelta{Text: "well"}, bellcord.ConversationCompacted{Summary: "they talked\nabout trains", FromSeq: 1}, bellcord.TextDelta{Text: "on"}},
			"well\non\n", "≡ compacted: the conversation so far is now a summary of 4 words\n",
		},
		{
			"what happens behind the scenes is not",
			[]bellcord.Body{
				bellcord.SideRequestStarted{Purpose: "title"},
				bellcord.SideRequestEnded{Purpose: "title", Usage: bellcord.Usage{Exact: true}},
				bellcord.ThinkingSigned{Signature: json.RawMessage(`"s"`)},
				bellcord.AttachmentLoaded{Link: bellcord.Link{URI: "file:///a"}, Text: "a"},
			},
			"", "",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out, errs strings.Builder
			receipt, err := follow(t, emits(test.bodies...), &line.View{Out: &out, Err: &errs}, nil)
			if err != nil || receipt.End != bellcord.EndDone {
				t.Fatalf("ended %s, %v", receipt.End, err)
			}
			if out.String() != test.out || errs.String() != test.err {
				t.Errorf("stdout %q, stderr %q; want %q, %q", out.String(), errs.String(), test.out, test.err)
			}
		})
	}
}

func TestFollow_StopDuringAnswer_IsShownOnASeparateLine(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	agent := func(ctx context.Context, w *hub.Work) error {
		err := emits(bellcord.TextDelta{Text: "half of "})(ctx, w)
		<-ctx.Done()
		return err
	}
	receipt, err := follow(t, agent, &line.View{Out: &out, Err: &errs}, func(hub *hub.Hub, turn *hub.Turn) {
		<-time.After(time.Second)
		hub.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "Ctrl-C"}))
	})
	if err != nil || receipt.End != bellcord.EndStopped || out.String() != "half of \n" || errs.String() != "■ stopping…\n" {
		t.Errorf("ended %s, %v; stdout %q, stderr %q", receipt.End, err, out.String(), errs.String())
	}
}

func TestFollow_JSON_WritesOneLinePerEventAndTheResultLast(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	agent := emits(bellcord.TextDelta{Text: "two\nlines\u2028"}, bellcord.ModelRetryScheduled{RetryIn: time.Second, Reason: "busy"})
	if _, err := follow(t, agent, &line.View{Out: &out, Err: &errs, JSON: true}, nil); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for text := range strings.Lines(out.String()) {
		var ev struct {
			Turn, Kind string
			Body       json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &ev); err != nil || ev.Turn == "" || len(ev.Body) == 0 {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := bellcord.DecodeBody(ev.Kind, ev.Body); err != nil && ev.Kind != "result" {
			t.Error(err)
		}
		kinds = append(kinds, ev.Kind)
	}
	if got := strings.Join(kinds, " "); got != "turn_accepted turn_started text_delta model_retry_scheduled turn_ended result" || errs.Len() > 0 {
		t.Errorf("events %s; stderr %q", got, errs.String())
	}
}

func TestFollow_Question_IsAnsweredByAskOrRejected(t *testing.T) {
	t.Parallel()
	asks := func(ctx context.Context, w *hub.Work) error {
		choice, err := w.Ask(ctx, bellcord.Question{Text: "May I?"})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: choice}))
	}
	answers := func(choice string, err error) func(context.Context, bellcord.Question) (bellcord.Reply, error) {
		return func(_ context.Context, q bellcord.Question) (bellcord.Reply, error) {
			return bellcord.Reply{Choice: choice + " " + q.Text}, err
		}
	}
	tests := []struct {
		name string
		ask  func(context.Context, bellcord.Question) (bellcord.Reply, error)
		want string
	}{
		{"nobody, which means no", nil, "reject\n"},
		{"a person", answers("yes:", nil), "yes: May I?\n"},
		{"a person who cannot be asked, which means no", answers("yes:", io.EOF), "reject\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if _, err := follow(t, asks, &line.View{Out: &out, Err: io.Discard, Ask: test.ask}, nil); err != nil || out.String() != test.want {
				t.Errorf("the agent was told %q, %v", out.String(), err)
			}
		})
	}
}

func TestFollow_HostileText_CannotControlTheTerminal(t *testing.T) {
	const evil = "\x1b]0;title\a\x1b[2J\u009b31m\u202e"
	var out, errs bytes.Buffer
	agent := emits(
		bellcord.TextDelta{Text: evil + "\n"},
		bellcord.ToolCallRequested{Call: "1", Name: "shell", Arguments: json.RawMessage(`{"command":"` + "\u009b31m" + `"}`)},
		bellcord.ToolCallStarted{Call: "1"},
		bellcord.ToolCallEnded{Call: "1", Outcome: bellcord.CallFinished, Failed: true, Result: evil},
		bellcord.ModelRetryScheduled{Attempt: 1, RetryIn: time.Second, Reason: evil},
	)
	if _, err := follow(t, agent, &line.View{Out: &out, Err: &errs, Terminal: true}, nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{out.String(), errs.String()} {
		if strings.ContainsAny(text, "\x1b\a\u009b\u202e") {
			t.Errorf("a terminal would obey %q", text)
		}
	}
	if !strings.Contains(out.String(), "title") {
		t.Errorf("the words are gone from %q", out.String())
	}
	out.Reset()
	if _, err := follow(t, agent, &line.View{Out: &out, Err: &errs}, nil); err != nil || !strings.HasPrefix(out.String(), evil) {
		t.Errorf("a file gets %q, %v", out.String(), err)
	}
}
