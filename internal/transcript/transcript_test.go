package transcript_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/transcript"
)

var session = bellcord.Session{ID: "s", Dir: "/work", Title: "Trains", Model: "fake/one", Owner: "anna"}

// events numbers the bodies as events of one turn.
func events(bodies ...bellcord.Body) (all []bellcord.Event) {
	for i, b := range bodies {
		all = append(all, bellcord.Event{Session: "s", Turn: "t", Seq: int64(i + 1), Body: b})
	}
	return all
}

// markdown returns the transcript of events, written size at a time.
func markdown(t *testing.T, size int, all []bellcord.Event) string {
	t.Helper()
	var out bytes.Buffer
	m := transcript.NewMarkdown(&out, session)
	for len(all) > 0 {
		n := min(size, len(all))
		if err := m.Write(all[:n]); err != nil {
			t.Fatal(err)
		}
		all = all[n:]
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMarkdown_DeltasInAnyBatches_FormOneParagraph(t *testing.T) {
	t.Parallel()
	all := events(
		bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "two\nlines\n"}},
		bellcord.TurnStarted{},
		bellcord.TextDelta{Text: "hel"}, bellcord.TextDelta{Text: "lo "}, bellcord.TextDelta{Text: "there"},
		bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndDone}},
	)
	want := "# Trains\n\ns · /work · fake/one\n\n> two\n> lines\n\nhello there\n"
	for size := 1; size <= len(all); size++ {
		if got := markdown(t, size, all); got != want {
			t.Errorf("%d at a time: %q", size, got)
		}
	}
}

func TestMarkdown_ResultWithFences_GetsLongerFence(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain", "```\nout", "a ``` b", "`````", "````md\n```go\n```\n````"} {
		got := markdown(t, 10, events(bellcord.ToolCallEnded{Call: "c", Result: text + "\n"}))
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		fence := lines[len(lines)-1]
		if strings.Trim(fence, "`") != "" || len(fence) < 3 || strings.Contains(text, fence) {
			t.Errorf("%q is within %q", text, fence)
		}
		if !strings.HasSuffix(got, "\n"+fence+"\n"+text+"\n"+fence+"\n") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestMarkdown_EachKindOfEvent_IsWritten(t *testing.T) {
	t.Parallel()
	cause := &bellcord.Cause{By: "anna", Reason: "enough"}
	for want, body := range map[string]bellcord.Body{
		"> look\n\n*(attached)* a.md\n\n````\n``` x\n````":   bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "look", Files: []bellcord.File{{Name: "a.md", Text: "``` x\n"}}}},
		"*(the conversation was cleared)*":                   bellcord.ConversationCleared{},
		"*(summary of the conversation so far)* they talked": bellcord.ConversationCompacted{Summary: "they talked"},
		"*(stopped by anna: enough)*":                        bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndStopped, Cause: cause}},
		"*(failed: no model)*":                               bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndFailed, Error: "no model"}},
		"*(lost)*":                                           bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndLost}},
		"*(cut off at the output limit)*":                    bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndDone, Incomplete: bellcord.IncompleteMaxOutput}},
		"(changed to)\n> else":                               bellcord.PromptEdited{Text: "else"},
		"*(thinking)* hm":                                    bellcord.ThinkingDelta{Text: "hm"},
		"→ `shell` \n```json\n{\"c\":\"a && b > c\"}\n```":   bellcord.ToolCallRequested{Name: "shell", Arguments: json.RawMessage(`{"c":"a \u0026\u0026 b \u003e c"}`)},
		"→ `shell` \n```json\n{\"a\":1}\n```":                bellcord.ToolCallRequested{Name: "shell", Arguments: json.RawMessage(`{"a":1}`)},
	} {
		if got := markdown(t, 10, events(body)); !strings.HasSuffix(got, "\n"+want+"\n") {
			t.Errorf("%T: %q", body, got)
		}
	}
}

func TestMarkdown_SessionWithoutTitle_UsesID(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := transcript.NewMarkdown(&out, bellcord.Session{ID: "s", Dir: "/work"}).Close(); err != nil || out.String() != "# Session s\n\ns · /work\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestJSON_SessionAndEvents_AreComplete(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		var out bytes.Buffer
		j := transcript.NewJSON(&out, session)
		for _, ev := range events(bellcord.TextDelta{Text: "a\nb"}, bellcord.TextDelta{Text: "c"}, bellcord.ConversationCleared{})[:n] {
			if err := j.Write([]bellcord.Event{ev}); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		var all struct {
			Session bellcord.Session
			Events  []struct {
				Seq  int
				Kind string
			}
		}
		if err := json.Unmarshal(out.Bytes(), &all); err != nil || all.Session.ID != "s" || len(all.Events) != n {
			t.Errorf("%d events: %v in %s", n, err, out.String())
		}
	}
}

// broken is a writer that always fails.
type broken struct{}

var errBroken = errors.New("no space left")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriter_OutputFails_WriteAndCloseReturnError(t *testing.T) {
	t.Parallel()
	for _, w := range []transcript.Writer{transcript.NewMarkdown(broken{}, session), transcript.NewJSON(broken{}, session)} {
		if err := w.Write(events(bellcord.TextDelta{Text: "x"})); !errors.Is(err, errBroken) {
			t.Errorf("%T: %v", w, err)
		}
		if err := w.Close(); !errors.Is(err, errBroken) {
			t.Errorf("%T: %v", w, err)
		}
	}
}
