package updates_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/acp/updates"
)

// client returns a client of a hosted agent's session, and the updates and
// dialogs that it receives.
func client() (updates.Client, *[]string, map[string]bool) {
	var sent []string
	open := map[string]bool{}
	return updates.Client{
		Send: func(u acp.Update) {
			data, _ := json.Marshal(acp.SessionUpdate{Value: u})
			sent = append(sent, string(data))
		},
		RequestPermission: func(_ bellcord.TurnID, q bellcord.Question, _ acp.ToolCallUpdate) func() bool {
			open[q.ID] = true
			return func() bool { was := open[q.ID]; open[q.ID] = false; return was }
		},
		Dir:     func() string { return "/w" },
		Stopped: acp.CallFailed,
		Hosted:  true,
	}, &sent, open
}

func TestEncoder_TurnEndsWithAnOpenCall_ClientGetsItsEnd(t *testing.T) {
	t.Parallel()
	c, sent, _ := client()
	e := updates.New(c)
	for i, b := range []bellcord.Body{
		bellcord.TurnStarted{},
		bellcord.ToolCallRequested{Call: "c", Name: "run", Title: "Run", Arguments: json.RawMessage(`{"a":1}`)},
		bellcord.ToolCallStarted{Call: "c"},
		bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndStopped, Calls: bellcord.Calls{Stopped: []bellcord.CallRef{{Call: "c"}}}}},
	} {
		e.Event(bellcord.Event{Seq: int64(i + 1), Turn: "t", Body: b})
	}
	want := []string{
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run","name":"run","status":"pending","content":[],"rawInput":{"a":1}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","content":[{"type":"content","content":{"type":"text","text":"[stopped while running; it may have had effects]"}}],"_meta":{"bellcord/outcome":"stopped"}}`,
	}
	if !reflect.DeepEqual(*sent, want) {
		t.Errorf("sent\n%q\nwant\n%q", *sent, want)
	}
}

func TestEncoder_RestartAndInherit_KeepOpenDialogs(t *testing.T) {
	t.Parallel()
	c, _, open := client()
	e := updates.New(c)
	e.Event(bellcord.Event{Seq: 1, Turn: "t", Body: bellcord.TurnStarted{}})
	e.Event(bellcord.Event{Seq: 2, Turn: "t", Body: bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "Run?"}}})
	e.Restart()
	next := updates.New(c)
	next.Inherit(e)
	if !next.HasDialog("q") || !open["q"] {
		t.Fatal("the dialog was lost")
	}
	next.Event(bellcord.Event{Seq: 3, Turn: "t", Body: bellcord.QuestionAnswered{Question: "q", Choice: "yes"}})
	if next.HasDialog("q") || open["q"] {
		t.Error("the dialog of an answered question is open")
	}
}

func TestEncoder_Replaying_OpensNoDialog(t *testing.T) {
	t.Parallel()
	c, _, open := client()
	e := updates.New(c)
	e.Replaying = true
	e.Event(bellcord.Event{Seq: 1, Turn: "t", Body: bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "Run?"}}})
	if len(open) != 0 || e.HasDialog("q") {
		t.Error("a replay opened a dialog")
	}
}

func TestEncoder_ResultWithImage_ClientGetsIt(t *testing.T) {
	t.Parallel()
	c, sent, _ := client()
	c.Hosted = false
	e := updates.New(c)
	for i, b := range []bellcord.Body{
		bellcord.TurnStarted{},
		bellcord.ToolCallRequested{Call: "c", Name: "read_file", Arguments: json.RawMessage(`{"path":"a.png"}`)},
		bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "[a.png]", Images: []bellcord.Image{
			{Type: "image/png", Data: []byte("png")}, {Type: "application/pdf", Data: []byte("pdf")},
		}},
	} {
		e.Event(bellcord.Event{Seq: int64(i + 1), Turn: "t", Body: b})
	}
	want := `"content":[{"type":"content","content":{"type":"text","text":"[a.png]"}},{"type":"content","content":{"type":"image","mimeType":"image/png","data":"cG5n"}}]`
	if last := (*sent)[len(*sent)-1]; !strings.Contains(last, want) {
		t.Errorf("sent %s", last)
	}
}

func TestEncoder_ChangesOfABuiltInTool_AreShownWithItsEnd(t *testing.T) {
	t.Parallel()
	old := "a\n"
	made := []bellcord.CallContent{{Change: &bellcord.Change{Path: "/w/f", Old: &old, New: "b\n", Line: 7}}}
	tooLong := []bellcord.CallContent{{Block: json.RawMessage(`{"type":"text","text":"omitted"}`)}}
	for name, test := range map[string]struct {
		content []bellcord.CallContent
		diff    string
	}{
		"made":     {made, `{"type":"diff","path":"/w/f","oldText":"a\n","newText":"b\n"}`},
		"too long": {tooLong, `{"type":"diff","path":"/w/f","oldText":"x","newText":"y"}`}, // as in the arguments
	} {
		c, sent, _ := client()
		c.Hosted = false
		e := updates.New(c)
		for i, b := range []bellcord.Body{
			bellcord.TurnStarted{},
			bellcord.ToolCallRequested{Call: "c", Name: "edit_file", Arguments: json.RawMessage(`{"path":"f","old":"x","new":"y"}`)},
			bellcord.ToolCallStarted{Call: "c"},
			bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Content: test.content}},
			bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "edited f"},
		} {
			e.Event(bellcord.Event{Seq: int64(i + 1), Turn: "t", Body: b})
		}
		if last := (*sent)[len(*sent)-1]; len(*sent) != 3 || !strings.Contains(last, test.diff) {
			t.Errorf("%s: sent %d updates, the last is %s", name, len(*sent), last)
		}
	}
}

func TestEncoder_ProcessesRecovered_AreShownAsNoticeOrThinking(t *testing.T) {
	t.Parallel()
	ended := bellcord.Processes{Ended: []bellcord.Process{{PID: 1}, {PID: 2}}, Proof: "cgroup_empty"}
	alive := bellcord.Processes{Survivors: []bellcord.Process{{PID: 1}}}
	for _, test := range []struct {
		notices   bool
		processes bellcord.Processes
		want      string
	}{
		{false, ended, `{"sessionUpdate":"agent_thought_chunk",` +
			`"content":{"type":"text","text":"Lost turn: 2 processes ended, cgroup empty.\n"}}`},
		{true, ended, `{"sessionUpdate":"notice","severity":"info","title":"Lost turn: 2 processes ended, cgroup empty"}`},
		{true, alive, `{"sessionUpdate":"notice","severity":"warning","title":"Lost turn: 1 STILL RUNNING"}`},
	} {
		c, sent, _ := client()
		c.Shows.Notices = test.notices
		b := bellcord.ProcessesRecovered{Turn: "t", Recovery: "r", Processes: test.processes}
		updates.New(c).Event(bellcord.Event{Seq: 1, Body: b})
		if want := []string{test.want}; !reflect.DeepEqual(*sent, want) {
			t.Errorf("sent %q, want %q", *sent, want)
		}
	}
}
