package acp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestQuestion_AnsweredElsewhere_IsWithdrawnInTheEditor(t *testing.T) {
	t.Parallel()
	edit(t, requestPermission, nil, func(t *testing.T, e *editor) {
		id := e.prompt("go")
		requests, _ := e.calls("session/request_permission")
		turn := e.hub.Unsettled()[0]
		if err := e.hub.Answer(turn.ID, turn.Questions()[0].ID, bellcord.Reply{Choice: "allow"}, "anna's phone"); err != nil {
			t.Fatal(err)
		}
		withdrawn, _ := e.calls("$/cancel_request")
		if string(requests.ID) != rawOf(withdrawn.Params["requestId"]) {
			t.Errorf("asked as %s, withdrawn %v", requests.ID, withdrawn.Params)
		}
		e.shown("Answered elsewhere by anna's phone: Allow.")
		e.ends(id, "end_turn")
	})
}

func TestQuestion_AnsweredInTheEditor_IsNotWithdrawn(t *testing.T) {
	t.Parallel()
	edit(t, requestPermission, nil, func(t *testing.T, e *editor) {
		id := e.prompt("go")
		requests, _ := e.calls("session/request_permission")
		e.reply(requests, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}})
		e.ends(id, "end_turn")
		synctest.Wait()
		for _, f := range e.frames {
			if f.Method == "$/cancel_request" {
				t.Errorf("withdrawn: %+v", f)
			}
		}
		if shown := strings.Join(e.since(0), "\n"); strings.Contains(shown, "elsewhere") {
			t.Errorf("shown:\n%s", shown)
		}
	})
}

// openGeneralQuestion opens a question that belongs to no call.
func openGeneralQuestion(ctx context.Context, w *hub.Work) error {
	choice, err := w.Ask(ctx, bellcord.Question{ID: "q1", Text: "Go on?", Choices: []bellcord.Choice{{ID: "y", Text: "Yes", Kind: "allow_once"}}})
	if err != nil {
		return err
	}
	return w.Emit(bellcord.TextDelta{Text: "chosen: " + choice})
}

func TestQuestion_WithoutACall_IsShownAndEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stop bool }{"answered": {false}, "stopped": {true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edit(t, openGeneralQuestion, nil, func(t *testing.T, e *editor) {
				id := e.prompt("go")
				requests, _ := e.calls("session/request_permission")
				call := requests.Params["toolCall"].(obj)
				if call["title"] != "Go on?" || call["toolCallId"] != "question-q1" {
					t.Errorf("asked %v", requests.Params)
				}
				e.shown("tool_call question-q1")
				if c.stop {
					e.notify("session/cancel", e.here())
					e.ends(id, "cancelled")
					e.shown("question-q1 failed")
					return
				}
				e.reply(requests, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "y"}}})
				e.ends(id, "end_turn")
				e.shown("question-q1 completed")
			})
		})
	}
}

func TestPrompt_EditedWhileQueued_IsShownWithItsNewText(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		e.prompt("one")
		e.shown("here: one")
		e.prompt("old text")
		synctest.Wait()
		line := e.hub.Queue(bellcord.SessionID(e.session))
		if err := e.hub.Edit(line[1].Turn, "new text"); err != nil {
			t.Fatal(err)
		}
		e.hub.Stop(bellcord.StopRequest{Turn: line[0].Turn, Queue: bellcord.QueueNext})
		e.shown(`user_message_chunk "new text"`)
		e.shown("here: new text")
	})
}
