package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestTurn_Updates_AreRecordedInOrder(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	turn := s.prompt(bellcord.Prompt{Text: "tools"})
	receipt := s.settled(turn)
	if receipt.End != bellcord.EndDone || receipt.Calls.Finished != 2 {
		t.Fatalf("end %s (%s), calls %+v", receipt.End, receipt.Error, receipt.Calls)
	}
	want := `hosted {fake session-1}
step fake/large
thought hm
said let me see. 
called c1 execute "List files" execute {}
updated c1 {"call":"c1","arguments":{"command":"ls"}}
started c1
output c1 a
output c1 
b
ended c1 finished false a
b
called c2 _42_Fetch_it "42: Fetch it!" other {}
started c2
ended c2 finished true 
plan [{one  completed} {two  pending}]
said done
step ended stop
`
	if got := transcript(s.events(turn.ID)); strings.ReplaceAll(got, "output c1 a\nb\n", "output c1 a\noutput c1 \nb\n") != want {
		t.Errorf("the log has\n%s\nwant\n%s", got, want)
	}
	if u := receipt.Usage; u.InputTokens != 135 || u.CacheReadTokens != 30 || u.OutputTokens != 25 || !u.Exact {
		t.Errorf("usage %+v", u)
	}
	view, err := s.Configure(s.session.ID, bellcord.SessionUpdated{})
	if err != nil || view.Title != "a title" {
		t.Errorf("title %q: %v", view.Title, err)
	}
}

func transcript(bodies []bellcord.Body) string {
	var out strings.Builder
	for _, body := range bodies {
		switch b := body.(type) {
		case bellcord.AgentSessionOpened:
			fmt.Fprintln(&out, "hosted", b)
		case bellcord.StepStarted:
			fmt.Fprintln(&out, "step", b.Model)
		case bellcord.ThinkingDelta:
			fmt.Fprintln(&out, "thought", b.Text)
		case bellcord.TextDelta:
			fmt.Fprintln(&out, "said", b.Text)
		case bellcord.ToolCallRequested:
			fmt.Fprintf(&out, "called %s %s %q %s %s\n", b.Call, b.Name, b.Title, b.ToolKind, b.Arguments)
		case bellcord.ToolCallUpdated:
			change, _ := json.Marshal(b)
			fmt.Fprintf(&out, "updated %s %s\n", b.Call, change)
		case bellcord.PlanUpdated:
			fmt.Fprintln(&out, "plan", b.Entries)
		case bellcord.ToolCallStarted:
			fmt.Fprintln(&out, "started", b.Call)
		case bellcord.ToolOutputDelta:
			fmt.Fprintln(&out, "output", b.Call, b.Text)
		case bellcord.ToolCallEnded:
			fmt.Fprintln(&out, "ended", b.Call, b.Outcome, b.Failed, b.Result)
		case bellcord.StepEnded:
			fmt.Fprintln(&out, "step ended", b.Finish)
		}
	}
	return out.String()
}

func TestTurn_StopReason_BecomesStepFinish(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	for reason, want := range map[string]string{
		"end_turn": "stop", "max_tokens": "max_output", "max_turn_requests": "max_output", "refusal": "refused", "new_in_2030": "stop",
	} {
		turn := s.prompt(bellcord.Prompt{Text: "reason " + reason})
		if r := s.settled(turn); r.End != bellcord.EndDone || !strings.Contains(transcript(s.events(turn.ID)), "step ended "+want) {
			t.Errorf("%s: %s\n%s", reason, r.End, transcript(s.events(turn.ID)))
		}
	}
	if _, r := s.run("reason cancelled"); r.End != bellcord.EndFailed {
		t.Errorf("an agent that breaks off by itself: %s", r.End)
	}
}

func TestTurn_CallNeverEnds_OutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	if _, r := s.run("leave"); r.End != bellcord.EndDone || len(r.Calls.Unknown) != 1 {
		t.Errorf("%s, calls %+v", r.End, r.Calls)
	}
}

func TestUpdate_OptionalFieldOfWrongType_IsIgnored(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	if _, r := s.run("odd"); r.End != bellcord.EndDone || r.Calls.Finished != 1 || len(r.Calls.Unknown) != 0 {
		t.Errorf("%s, calls %+v", r.End, r.Calls)
	}
}

func TestUpdate_WithoutAKind_IsDropped(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	turn := s.prompt(bellcord.Prompt{Text: "empty"})
	s.settled(turn)
	for _, body := range s.events(turn.ID) {
		if update, is := body.(bellcord.AgentUpdate); is {
			t.Errorf("recorded %s", update.Update)
		}
	}
}

func TestTurn_FailedCommandRepeatsItsOutput_OutputIsRecordedOnce(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.session = s.newSession("full")
	turn := s.prompt(bellcord.Prompt{Text: "failrun echo before; echo bad; exit 3"})
	s.settled(turn)
	var output, result string
	var now bellcord.ToolCallRequested
	for _, body := range s.events(turn.ID) {
		switch b := body.(type) {
		case bellcord.ToolCallUpdated:
			b.Apply(&now)
		case bellcord.ToolOutputDelta:
			output += b.Text
		case bellcord.ToolCallEnded:
			result = b.Result
		}
	}
	if want := "before\nbad\nexit code: 3"; output != want || result != want {
		t.Errorf("output %q, result %q", output, result)
	}
	if len(now.Content) != 1 || now.Content[0].Terminal == "" {
		t.Errorf("the call shows %+v", now.Content)
	}
	if !strings.Contains(string(now.Meta), `"exit_code":3`) {
		t.Errorf("_meta %s", now.Meta)
	}
}

func TestTurn_UpdatesAfterResponse_AreNotRecorded(t *testing.T) {
	t.Parallel()
	s := onStage(t, "late double")
	for range 10 {
		if answer, r := s.run("say hello"); r.End != bellcord.EndDone || answer != "hello" {
			t.Fatalf("said %q, %s %s", answer, r.End, r.Error)
		}
	}
	view, err := s.Configure(s.session.ID, bellcord.SessionUpdated{})
	if err != nil || view.Title != "a late title" {
		t.Errorf("the title is lost: %q, %v", view.Title, err)
	}
}

func TestPrompt_ImagesAndLinks_AreSentIfSupported(t *testing.T) {
	t.Parallel()
	prompt := bellcord.Prompt{
		Text:   "blocks",
		Images: []bellcord.Image{{Type: "image/png", Data: []byte("png")}},
		Links:  []bellcord.Link{{URI: "file:///a"}},
	}
	for manner, want := range map[string]string{"": "image text resource_link", "blind": ""} {
		s := onStage(t, manner)
		turn := s.prompt(prompt)
		if r := s.settled(turn); r.End != bellcord.EndDone || s.textOf(turn.ID) != want {
			t.Errorf("%q: %s, the agent had %q", manner, r.End, s.textOf(turn.ID))
		}
	}
}

func TestTurn_InvalidAndLongLines_AreHandled(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	if answer, r := s.run("garbage"); r.End != bellcord.EndDone || answer != "line\u2028separator crlf" {
		t.Errorf("%s %s, said %q", r.End, r.Error, answer)
	}
	if answer, r := s.run("long"); r.End != bellcord.EndDone || len(answer) != 2<<20 {
		t.Errorf("%s %s, said %d bytes", r.End, r.Error, len(answer))
	}
	if got := s.received(); slices.Contains(got, "null") {
		t.Error("what is no message was answered")
	}
}

func TestTurn_AgentDies_FailsAndNextTurnResumesSession(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	answer, r := s.run("die")
	if r.End != bellcord.EndFailed || answer != "last words" || !strings.Contains(r.Error, "exit code 3") || !strings.Contains(r.Error, "out of luck") {
		t.Fatalf("%s (%s), said %q", r.End, r.Error, answer)
	}
	if answer, r = s.run("say again"); r.End != bellcord.EndDone || answer != "again" {
		t.Errorf("%s (%s), said %q", r.End, r.Error, answer)
	}
	if got := s.received(); count(got, "session/load") != 1 || count(got, "session/new") != 1 {
		t.Errorf("the agent was sent %v", got)
	}
}

func TestOpen_SessionCannotBeResumed_OpensNewSession(t *testing.T) {
	t.Parallel()
	for manner, want := range map[string][3]int{ // number of session/new, session/load and session/resume
		"noload":           {2, 0, 0},
		"forgetful":        {2, 1, 0},
		"noload resumes":   {1, 0, 1},
		"resumes and more": {1, 1, 0},
	} {
		s := onStage(t, manner)
		s.run("die")
		if answer, r := s.run("say on"); r.End != bellcord.EndDone || answer != "on" {
			t.Errorf("%s: %s (%s), said %q", manner, r.End, r.Error, answer)
		}
		got := s.received()
		if is := [3]int{count(got, "session/new"), count(got, "session/load"), count(got, "session/resume")}; is != want {
			t.Errorf("%s: the agent was sent %v", manner, got)
		}
	}
}

func TestOpen_AgentRequiresLogin_ErrorExplainsIt(t *testing.T) {
	t.Parallel()
	s := onStage(t, "locked")
	if _, r := s.run("say x"); r.End != bellcord.EndFailed || !strings.Contains(r.Error, "the agent is not logged in") {
		t.Errorf("%s: %s", r.End, r.Error)
	}
}

func wake(t *testing.T, s *stage) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.memory, "wake"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
