package acp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// askForm shows a question and emits the answer.
func askForm(q bellcord.Question) script {
	return func(ctx context.Context, w *hub.Work) error {
		reply, err := w.AskForm(ctx, q)
		if err != nil {
			return err
		}
		return w.Emit(bellcord.TextDelta{Text: "chosen: " + text(reply)})
	}
}

var (
	whereForm = bellcord.Question{ID: "q1", Text: "Where?", Fields: []bellcord.Field{
		{Name: "env", Type: bellcord.FieldString, Required: true, Options: []bellcord.Option{
			{Value: "dev"}, {Value: "prod", Title: "Production", Description: "the live site"},
		}},
		{Name: "count", Type: bellcord.FieldInteger, Minimum: new(1.0)},
		{Name: "days", Type: bellcord.FieldArray, Options: []bellcord.Option{{Value: "mo"}}},
	}}
	loginPage = bellcord.Question{ID: "q1", Text: "Log in", URL: "https://login.example/?c=1"}
)

// offers sends initialize with the given modes of elicitation.
func (e *editor) offers(modes obj) {
	e.t.Helper()
	e.request("initialize", obj{"protocolVersion": 1, "clientCapabilities": obj{"elicitation": modes}})
}

func TestForm_EditorOffersElicitation_IsAskedThereAndAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer obj
		want   string
	}{
		{"accepted", obj{"result": obj{"action": "accept", "content": obj{"env": "dev", "count": 2}}}, `chosen: {"choice":"accept","values":{"count":2,"env":"dev"}}`},
		{"declined", obj{"result": obj{"action": "decline"}}, `chosen: {"choice":"decline"}`},
		{"closed", obj{"result": obj{"action": "cancel"}}, `chosen: {"choice":"cancel"}`},
		{"cancelled", obj{"error": obj{"code": -32800, "message": "cancelled"}}, `chosen: {"choice":"cancel"}`},
		{"failed", obj{"error": obj{"code": -32601, "message": "no such method"}}, `chosen: {"choice":"decline"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			edit(t, askForm(whereForm), nil, func(t *testing.T, e *editor) {
				e.offers(obj{"form": obj{}})
				id := e.prompt("go")
				requests, _ := e.calls("elicitation/create")
				schema := requests.Params["requestedSchema"].(obj)
				described := `{"const":"prod","description":"the live site","title":"Production"}`
				if !strings.Contains(text(schema), described) {
					t.Errorf("the schema has no option %s: %s", described, text(schema))
				}
				if requests.Params["mode"] != "form" || requests.Params["message"] != "Where?" || requests.Params["sessionId"] != e.session || len(schema["properties"].(obj)) != 3 {
					t.Errorf("asked %v", requests.Params)
				}
				e.reply(requests, c.answer)
				e.ends(id, "end_turn")
				if got := e.answerText(); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}

// answerText returns the text of the agent's messages.
func (e *editor) answerText() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all strings.Builder
	for _, f := range e.frames {
		update, _ := f.Params["update"].(obj)
		if update["sessionUpdate"] == "agent_message_chunk" {
			all.WriteString(update["content"].(obj)["text"].(string))
		}
	}
	return all.String()
}

func TestForm_EditorSendsWrongValues_IsAskedAgainWithTheReason(t *testing.T) {
	t.Parallel()
	edit(t, askForm(whereForm), nil, func(t *testing.T, e *editor) {
		e.offers(obj{"form": obj{}})
		id := e.prompt("go")
		first, _ := e.calls("elicitation/create")
		e.reply(first, obj{"result": obj{"action": "accept", "content": obj{"env": "test"}}})
		synctest.Wait()
		var again frame
		e.mu.Lock()
		for _, f := range e.frames {
			if f.Method == "elicitation/create" {
				again = f
			}
		}
		e.mu.Unlock()
		if string(again.ID) == string(first.ID) || again.Params["message"] != "field \"env\": expected one of dev, prod\n\nWhere?" {
			t.Fatalf("asked again: %s %v", again.ID, again.Params)
		}
		e.reply(again, obj{"result": obj{"action": "accept", "content": obj{"env": "prod"}}})
		e.ends(id, "end_turn")
	})
}

func TestURL_EditorOffersURL_ShowsItThere(t *testing.T) {
	t.Parallel()
	edit(t, askForm(loginPage), nil, func(t *testing.T, e *editor) {
		e.offers(obj{"form": obj{}, "url": obj{}})
		id := e.prompt("go")
		requests, _ := e.calls("elicitation/create")
		if requests.Params["mode"] != "url" || requests.Params["url"] != loginPage.URL || requests.Params["elicitationId"] != "q1" {
			t.Errorf("asked %v", requests.Params)
		}
		e.reply(requests, obj{"result": obj{"action": "accept"}})
		e.ends(id, "end_turn")
	})
}

func TestLaw30_StopWithOpenForm_IsWithdrawnInTheEditorAtOnce(t *testing.T) {
	t.Parallel()
	edit(t, askForm(whereForm), nil, func(t *testing.T, e *editor) {
		e.offers(obj{"form": obj{}})
		id := e.prompt("go")
		requests, _ := e.calls("elicitation/create")
		e.notify("session/cancel", e.here())
		withdrawn, at := e.calls("$/cancel_request")
		if string(requests.ID) != rawOf(withdrawn.Params["requestId"]) {
			t.Errorf("asked as %s, withdrawn %v", requests.ID, withdrawn.Params)
		}
		if ended := e.ends(id, "cancelled"); ended < at {
			t.Error("the prompt was answered before the form was closed")
		}
		e.reply(requests, obj{"result": obj{"action": "accept", "content": obj{"env": "dev"}}}) // too late
		if got := e.answerText(); got != "" {
			t.Errorf("shown %s", got)
		}
	})
}

func TestForm_AnsweredElsewhere_IsWithdrawnInTheEditor(t *testing.T) {
	t.Parallel()
	edit(t, askForm(whereForm), nil, func(t *testing.T, e *editor) {
		e.offers(obj{"form": obj{}})
		id := e.prompt("go")
		requests, _ := e.calls("elicitation/create")
		reply := bellcord.Reply{Choice: "accept", Values: map[string]json.RawMessage{"env": json.RawMessage(`"dev"`)}}
		if err := e.hub.Answer(e.hub.Unsettled()[0].ID, "q1", reply, "anna's phone"); err != nil {
			t.Fatal(err)
		}
		withdrawn, _ := e.calls("$/cancel_request")
		if string(requests.ID) != rawOf(withdrawn.Params["requestId"]) {
			t.Errorf("asked as %s, withdrawn %v", requests.ID, withdrawn.Params)
		}
		e.shown("Answered elsewhere by anna's phone: Accept.")
		e.ends(id, "end_turn")
	})
}

func TestForm_EditorWithoutElicitation_GetsAPermissionDialog(t *testing.T) {
	t.Parallel()
	oneOption := bellcord.Question{ID: "q1", Text: "Where?", Fields: whereForm.Fields[:1]}
	for _, c := range []struct {
		name     string
		question bellcord.Question
		options  string // names
		choose   string
		want     string
		shows    string
	}{
		{
			"one option", oneOption, "dev, Production, Decline",
			`value:"prod"`, `{"choice":"accept","values":{"env":"prod"}}`, `Where?\n- Production: the live site`,
		},
		{
			"one boolean",
			bellcord.Question{ID: "q1", Text: "Sure?", Fields: []bellcord.Field{{Name: "sure", Type: bellcord.FieldBoolean}}},
			"Yes, No, Decline", "value:false", `{"choice":"accept","values":{"sure":false}}`, "Sure?",
		},
		{"a URL", loginPage, "Accept, Decline", "accept", `{"choice":"accept"}`, loginPage.URL},
		{"a form", whereForm, "Decline", "decline", `{"choice":"decline"}`, "Answer on the page"},
		{
			"a form with defaults",
			bellcord.Question{ID: "q1", Text: "How many?", Fields: []bellcord.Field{{Name: "count", Type: bellcord.FieldInteger, Default: json.RawMessage(`3`)}}},
			"Accept the defaults, Decline", "accept", `{"choice":"accept","values":{"count":3}}`, "a whole number",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			edit(t, askForm(c.question), nil, func(t *testing.T, e *editor) {
				id := e.prompt("go")
				requests, _ := e.calls("session/request_permission")
				var names []string
				for _, o := range requests.Params["options"].([]any) {
					names = append(names, o.(obj)["name"].(string))
				}
				if got := strings.Join(names, ", "); got != c.options || !strings.Contains(text(requests.Params["toolCall"]), c.shows) {
					t.Errorf("offered %s in %s", got, text(requests.Params["toolCall"]))
				}
				e.reply(requests, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": c.choose}}})
				e.ends(id, "end_turn")
				if got := e.answerText(); got != "chosen: "+c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}
