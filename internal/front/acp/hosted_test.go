package acp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// guestAgent is the second channel of a hosted agent: it replies as scripted and
// records what it receives. The turns are those of the test's script.
type guestAgent struct {
	commands string // JSON
	early    string // an update that it sends while the session opens, as JSON
	hello    string // its reply to initialize, as JSON; "" for helloOfGuest

	mu       sync.Mutex
	received []string
	client   acp.HostedClient
}

func (g *guestAgent) note(format string, args ...any) {
	g.mu.Lock()
	g.received = append(g.received, fmt.Sprintf(format, args...))
	g.mu.Unlock()
}

func (g *guestAgent) notes() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.received...)
}

const helloOfGuest = `{"protocolVersion":1,"agentInfo":{"name":"guest","version":"7"},"authMethods":[{"id":"login","name":"Log in","type":"terminal","args":["login"]}],
		"agentCapabilities":{"loadSession":false,"sessionCapabilities":{"fork":{}},"promptCapabilities":{"image":true},"_meta":{"own":1}},"_meta":{"steering":{"supported":true}}}`

func (g *guestAgent) Initialize(context.Context, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(cmp.Or(g.hello, helloOfGuest)), nil
}

func (g *guestAgent) Open(_ context.Context, _ bellcord.Session, params json.RawMessage, c acp.HostedClient) (json.RawMessage, error) {
	g.note("open %s", params)
	g.mu.Lock()
	g.client = c
	g.mu.Unlock()
	if g.early != "" {
		c.Update(json.RawMessage(g.early))
	}
	return json.RawMessage(`{"sessionId":"own","modes":{"currentModeId":"plan","availableModes":[{"id":"plan","name":"Plan"}]},
		"configOptions":[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"m","options":[{"value":"m","name":"M"}]}]}`), nil
}

func (g *guestAgent) Settings(bellcord.SessionID) []json.RawMessage {
	return []json.RawMessage{json.RawMessage(`{"sessionUpdate":"available_commands_update","availableCommands":` + g.commands + `}`)}
}

func (g *guestAgent) Request(_ context.Context, id bellcord.SessionID, method string, params json.RawMessage) (json.RawMessage, error) {
	g.note("%s in session: %t %s", method, id != "", params)
	switch method {
	case "session/list":
		return json.RawMessage(`{"sessions":[{"sessionId":"old","cwd":"/w","title":"an older one"}]}`), nil
	case "session/set_mode":
		return json.RawMessage(`{}`), nil
	case "session/fork":
		return json.RawMessage(`{"sessionId":"copy"}`), nil
	}
	return json.RawMessage(`{"configOptions":[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"n","options":[]}]}`), nil
}

func (g *guestAgent) Notify(_ bellcord.SessionID, method string, _ json.RawMessage, own bool) {
	g.note("%s own: %t", method, own)
}

func (g *guestAgent) Release(bellcord.SessionID) bool {
	g.note("released")
	return true
}

// host makes the guest the agent of new sessions.
func (g *guestAgent) host(c *acp.Config) {
	if g.commands == "" {
		g.commands = `[{"name":"compact","description":"Compact"}]`
	}
	c.Agent, c.Hosted = "guest", g
}

func TestInitialize_HostedAgent_ReportsItsCapabilitiesAndBellcords(t *testing.T) {
	t.Parallel()
	g := &guestAgent{}
	edit(t, waits, g.host, func(t *testing.T, e *editor) {
		r := e.request("initialize", obj{"protocolVersion": 1, "clientCapabilities": obj{"auth": obj{"terminal": true}}}).Result
		can := r["agentCapabilities"].(obj)
		want := obj{"fork": obj{}, "list": obj{}, "resume": obj{}, "close": obj{}, "delete": obj{}}
		if got := can["sessionCapabilities"]; !reflect.DeepEqual(got, any(want)) {
			t.Errorf("session capabilities %v, want %v", got, want)
		}
		if can["loadSession"] != true || !reflect.DeepEqual(can["_meta"], any(obj{"own": 1.0})) || r["agentInfo"].(obj)["name"] != "guest" {
			t.Errorf("answered %v", r)
		}
		if login := r["authMethods"].([]any)[0].(obj); !reflect.DeepEqual(login["args"], any([]any{"--", "login"})) {
			t.Errorf("login %v: bellcord acp passes on only arguments after --", login)
		}
		if meta := r["_meta"].(obj); meta["steering"] == nil || meta["bellcord/version"] != "test" {
			t.Errorf("_meta %v", meta)
		}
	})
}

func TestNewSession_HostedAgent_HasItsSettingsAndBellcordsMode(t *testing.T) {
	t.Parallel()
	g := &guestAgent{early: `{"sessionUpdate":"notice","severity":"warning","title":"early"}`}
	edit(t, waits, g.host, func(t *testing.T, e *editor) {
		synctest.Wait()
		opened := e.answer(1).Result
		var ids []string
		for _, o := range opened["configOptions"].([]any) {
			ids = append(ids, o.(obj)["id"].(string))
		}
		if !reflect.DeepEqual(ids, []string{"model", "bellcord_mode"}) || opened["modes"].(obj)["currentModeId"] != "plan" {
			t.Errorf("opened with %v", opened)
		}
		if _, at := e.await("the notice", func(f frame) bool { return kindOf(f) == "notice" }); at == 0 {
			t.Error("the notice came before the reply that opened the session")
		}
		commands, _ := e.await("the commands", func(f frame) bool { return kindOf(f) == "available_commands_update" })
		if got := fmt.Sprint(commands.Params["update"]); !strings.Contains(got, "name:compact") || !strings.Contains(got, "name:stop") {
			t.Errorf("commands %v", got)
		}
		if r := e.request("session/set_config_option", obj{"sessionId": e.session, "configId": "model", "value": "n"}); r.Error != nil || len(r.Result["configOptions"].([]any)) != 2 {
			t.Errorf("set: %+v", r)
		}
		if r := e.request("session/set_config_option", obj{"sessionId": e.session, "configId": "bellcord_mode", "value": "full"}); r.Error != nil {
			t.Errorf("set: %+v", r.Error)
		}
		if r := e.request("session/set_mode", obj{"sessionId": e.session, "modeId": "plan"}); r.Error != nil {
			t.Errorf("set: %+v", r.Error)
		}
		e.notify("_guest/hint", obj{"sessionId": e.session})
		synctest.Wait()
		notes := strings.Join(g.notes(), "\n")
		for _, want := range []string{"session/set_config_option in session: true", "session/set_mode in session: true", "_guest/hint own: true"} {
			if !strings.Contains(notes, want) {
				t.Errorf("the agent received\n%s\nwithout %q", notes, want)
			}
		}
		if strings.Contains(notes, "bellcord_mode") {
			t.Errorf("Bellcord's option reached the agent:\n%s", notes)
		}
		v, err := e.hub.Configure(bellcord.SessionID(e.session), bellcord.SessionUpdated{})
		if err != nil || v.Mode != "full" {
			t.Errorf("the mode is %q: %v", v.Mode, err)
		}
		for _, f := range e.all() {
			if kindOf(f) == "current_mode_update" {
				t.Errorf("Bellcord's mode was shown as the agent's: %v", f.Params)
			}
		}
	})
}

func TestPrompt_HostedAgentsCommand_ReachesTheAgent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ commands, prompt, want string }{
		{"", "/compact now", "end_turn /compact now"},
		{"", "/model", "end_turn /model"},
		{"", "/stop", "end_turn "},
		{"", "/bellcord-stop", "end_turn "},
		{"", "/rewind", "end_turn "},
		{`[{"name":"rewind","description":"Own"}]`, "/rewind", "end_turn /rewind"},
		{`[{"name":"rewind","description":"Own"}]`, "/bellcord-rewind", "end_turn "},
		{`[{"name":"stop","description":"Own"}]`, "/stop", "end_turn /stop"},
	} {
		t.Run(test.prompt+test.commands, func(t *testing.T) {
			t.Parallel()
			g := &guestAgent{commands: test.commands}
			reached := ""
			edit(t, func(_ context.Context, w *hub.Work) error { reached = w.Prompt.Text; return nil }, g.host, func(t *testing.T, e *editor) {
				synctest.Wait()
				r := e.answer(e.prompt(test.prompt))
				synctest.Wait()
				if got := fmt.Sprint(r.Result["stopReason"], " ", reached); got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestTurn_HostedAgentsUpdates_AreShownAsSent(t *testing.T) {
	t.Parallel()
	old := "a"
	bodies := []bellcord.Body{
		bellcord.TextDelta{Text: "hi", Message: "m1", Meta: json.RawMessage(`{"p":1}`)},
		bellcord.ToolCallRequested{Call: "c", Name: "edit", Title: "Edit", Arguments: json.RawMessage(`{}`)},
		bellcord.ToolCallUpdated{Call: "c", Title: "Edit a", ToolKind: "edit", Arguments: json.RawMessage(`{"x":1}`), CallView: bellcord.CallView{
			Locations: []bellcord.Location{{Path: "/a", Line: 3}},
			Content:   []bellcord.CallContent{{Change: &bellcord.Change{Path: "/a", Old: &old, New: "b"}}},
			Meta:      json.RawMessage(`{"q":2}`),
		}},
		bellcord.ToolCallStarted{Call: "c"},
		bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "[changes /a]", RawOutput: json.RawMessage(`{"ok":true}`)},
		bellcord.ToolCallRequested{Call: "d", Name: "ping", Title: "ping", Arguments: json.RawMessage(`{}`), ArgumentsPending: true},
		bellcord.ToolCallUpdated{Call: "d", Arguments: json.RawMessage(`{}`)},
		bellcord.ToolCallEnded{Call: "d", Outcome: bellcord.CallFinished},
		bellcord.PlanUpdated{Entries: []bellcord.PlanEntry{{Text: "one", Status: "pending"}}},
		bellcord.StepEnded{Usage: &bellcord.Usage{InputTokens: 5}}, // shown only if the agent reports the size of its context
		bellcord.UsageReported{Context: &bellcord.ContextUse{UsedTokens: 1, SizeTokens: 9, Cost: &bellcord.Money{Amount: 2, Currency: "credits"}}},
		bellcord.AgentUpdate{Update: json.RawMessage(`{"sessionUpdate":"compaction_update","compactionId":"k","status":"completed"}`)},
		bellcord.StepEnded{Finish: bellcord.FinishStop, Usage: &bellcord.Usage{InputTokens: 5}, AgentReply: json.RawMessage(`{"_meta":{"m":1}}`)},
	}
	want := []string{
		`{"_meta":{"p":1},"content":{"text":"hi","type":"text"},"messageId":"m1","sessionUpdate":"agent_message_chunk"}`,
		`{"content":[],"name":"edit","rawInput":{},"sessionUpdate":"tool_call","status":"pending","title":"Edit","toolCallId":"c"}`,
		`{"_meta":{"q":2},"content":[{"newText":"b","oldText":"a","path":"/a","type":"diff"}],"kind":"edit","locations":[{"line":3,"path":"/a"}],"rawInput":{"x":1},"sessionUpdate":"tool_call_update","title":"Edit a","toolCallId":"c"}`,
		`{"sessionUpdate":"tool_call_update","status":"in_progress","toolCallId":"c"}`,
		`{"_meta":{"bellcord/outcome":"finished"},"content":[{"newText":"b","oldText":"a","path":"/a","type":"diff"}],"rawOutput":{"ok":true},"sessionUpdate":"tool_call_update","status":"completed","toolCallId":"c"}`,
		`{"content":[],"name":"ping","sessionUpdate":"tool_call","status":"pending","title":"ping","toolCallId":"d"}`,
		`{"rawInput":{},"sessionUpdate":"tool_call_update","toolCallId":"d"}`,
		`{"_meta":{"bellcord/outcome":"finished"},"content":[],"sessionUpdate":"tool_call_update","status":"completed","toolCallId":"d"}`,
		`{"entries":[{"content":"one","priority":"medium","status":"pending"}],"sessionUpdate":"plan"}`,
		`{"cost":{"amount":2,"currency":"credits"},"sessionUpdate":"usage_update","size":9,"used":1}`,
		`{"compactionId":"k","sessionUpdate":"compaction_update","status":"completed"}`,
	}
	g := &guestAgent{}
	run := func(_ context.Context, w *hub.Work) error {
		for _, b := range bodies {
			if err := w.Emit(b); err != nil {
				return err
			}
		}
		return nil
	}
	edit(t, run, g.host, func(t *testing.T, e *editor) {
		synctest.Wait()
		from := e.count()
		r := e.answer(e.prompt("go"))
		if meta := r.Result["_meta"].(obj); meta["m"] != 1.0 || meta["bellcord/receipt"] == nil {
			t.Errorf("answered %v", r.Result)
		}
		if got := updatesOf(e.all()[from:]); !reflect.DeepEqual(got, want) {
			t.Errorf("shown\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		before := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}})
		var replayed []string
		for _, u := range updatesOf(e.all()[before:]) {
			if !strings.Contains(u, "user_message_chunk") && !strings.Contains(u, "available_commands") && !strings.Contains(u, "session_info") {
				replayed = append(replayed, u)
			}
		}
		if !reflect.DeepEqual(replayed, want) {
			t.Errorf("replayed\n%s\nwant\n%s", strings.Join(replayed, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestSteering_WhileATurnIsRunning_ReachesTheAgent(t *testing.T) {
	t.Parallel()
	g := &guestAgent{}
	edit(t, waits, g.host, func(t *testing.T, e *editor) {
		e.request("initialize", obj{"protocolVersion": 1})
		text := []obj{{"type": "text", "text": "and this"}}
		r := e.request("_session/steering", obj{"sessionId": e.session, "prompt": text, "_meta": obj{"steering": obj{"idleBehavior": "promptRequired"}}})
		if r.Result["outcome"] != "promptRequired" {
			t.Errorf("idle: %+v", r)
		}
		id := e.prompt("go")
		synctest.Wait()
		e.request("_session/steering", obj{"sessionId": e.session, "prompt": text})
		if notes := strings.Join(g.notes(), "\n"); strings.Count(notes, "_session/steering in session: true") != 1 {
			t.Errorf("the agent received\n%s", notes)
		}
		e.notify("session/cancel", e.here())
		e.answer(id)
		if r := e.request("_session/steering", obj{"sessionId": e.session, "prompt": text}); r.Result["outcome"] != "startedNewTurn" {
			t.Errorf("idle, without a choice: %+v", r)
		}
		synctest.Wait()
		if running := e.hub.Unsettled(); len(running) != 1 || running[0].Prompt.Text != "and this" {
			t.Errorf("%d turns are running, want the steered one, which can be stopped", len(running))
		}
		e.notify("session/cancel", e.here())
		synctest.Wait()
	})
}

// The front's answer is the same whether a turn runs or not: the agent would start
// work that is no turn.
func TestSteering_AgentDoesNotOfferIt_IsMethodNotFound(t *testing.T) {
	t.Parallel()
	g := &guestAgent{hello: `{"protocolVersion":1,"agentCapabilities":{}}`}
	edit(t, waits, g.host, func(t *testing.T, e *editor) {
		e.request("initialize", obj{"protocolVersion": 1})
		params := e.showing(obj{"type": "text", "text": "and this"})
		params["_meta"] = obj{"steering": obj{"idleBehavior": "promptRequired"}}
		idle := e.request("_session/steering", params)
		id := e.prompt("go")
		synctest.Wait()
		for when, r := range map[string]frame{"idle": idle, "in a turn": e.request("_session/steering", params)} {
			if r.Error == nil || r.Error.Code != -32601 {
				t.Errorf("%s: %+v, want the error -32601", when, r)
			}
		}
		e.notify("session/cancel", e.here())
		e.answer(id)
	})
}

// Goose never answers such a request.
func TestPassedRequest_ParamsAreNoObject_IsRefused(t *testing.T) {
	t.Parallel()
	g := &guestAgent{}
	edit(t, waits, g.host, func(t *testing.T, e *editor) {
		for i, params := range []string{`[]`, `true`, `1`, `"x"`} {
			_, _ = fmt.Fprintf(e.wire, `{"jsonrpc":"2.0","id":"p%d","method":"_own/method","params":%s}`+"\n", i, params)
			r, _ := e.await("the reply", func(f frame) bool { return string(f.ID) == fmt.Sprintf(`"p%d"`, i) })
			if r.Error == nil || r.Error.Code != -32602 {
				t.Errorf("%s: %+v, want the error -32602", params, r)
			}
		}
		_, _ = fmt.Fprintln(e.wire, `{"jsonrpc":"2.0","id":"p","method":"_own/method"}`)
		if r, _ := e.await("the reply", func(f frame) bool { return string(f.ID) == `"p"` }); r.Error != nil {
			t.Errorf("without params: %+v", r.Error)
		}
		if notes := strings.Join(g.notes(), "\n"); strings.Count(notes, "_own/method") != 1 {
			t.Errorf("the agent received\n%s", notes)
		}
	})
}

func TestPrompt_AudioForAHostedAgent_IsAcceptedOnlyIfTheAgentOffersIt(t *testing.T) {
	t.Parallel()
	sound := []obj{{"type": "text", "text": "hear"}, {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}}
	for _, hello := range []string{`{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"audio":true}}}`, helloOfGuest} {
		g := &guestAgent{hello: hello}
		edit(t, echoes, g.host, func(t *testing.T, e *editor) {
			e.request("initialize", obj{"protocolVersion": 1})
			r := e.request("session/prompt", e.showing(sound...))
			switch {
			case hello != helloOfGuest && r.Result["stopReason"] != "end_turn":
				t.Errorf("offered: %+v", r)
			case hello == helloOfGuest && (r.Error == nil || r.Error.Code != -32602):
				t.Errorf("not offered: %+v, want the error -32602", r)
			}
		})
	}
}

func TestCancel_SessionOfASubAgent_ReachesTheAgentAndStopsNoTurn(t *testing.T) {
	t.Parallel()
	g := &guestAgent{}
	run := func(ctx context.Context, w *hub.Work) error {
		if err := w.Emit(bellcord.AgentUpdate{AgentSession: "kid", Update: json.RawMessage(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"from the kid"}}`)}); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	edit(t, run, g.host, func(t *testing.T, e *editor) {
		id := e.prompt("go")
		e.await("the update of the sub-agent", func(f frame) bool { return f.Params["sessionId"] == "kid" })
		e.notify("session/cancel", obj{"sessionId": "kid"})
		e.notify("session/cancel", obj{"sessionId": "unknown"})
		synctest.Wait()
		if notes := strings.Join(g.notes(), "\n"); strings.Count(notes, "session/cancel own: false") != 1 {
			t.Errorf("the agent received\n%s", notes)
		}
		if running := e.hub.Unsettled(); len(running) != 1 {
			t.Errorf("%d turns are running, want the one of the parent", len(running))
		}
		e.notify("session/cancel", e.here())
		if r := e.answer(id); r.Result["stopReason"] != "cancelled" {
			t.Errorf("answered %+v", r)
		}
		synctest.Wait()
		if notes := strings.Join(g.notes(), "\n"); strings.Count(notes, "session/cancel") != 1 {
			t.Errorf("the stop of the turn took a second path:\n%s", notes)
		}
	})
}

func TestLoadSession_AgentsOwnSession_IsImportedOnce(t *testing.T) {
	t.Parallel()
	g := &guestAgent{}
	imports := 0
	run := func(_ context.Context, w *hub.Work) error {
		if w.Prompt.Task != bellcord.TaskImport {
			return w.Emit(bellcord.TextDelta{Text: "new answer"})
		}
		imports++
		for _, b := range []bellcord.Body{
			bellcord.MessageImported{Text: "old question", Updates: []json.RawMessage{json.RawMessage(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old question"},"_meta":{"at":1}}`)}},
			bellcord.TextDelta{Text: "old answer"},
			bellcord.AgentSessionOpened{Agent: "guest", AgentSession: w.Prompt.Text},
		} {
			if err := w.Emit(b); err != nil {
				return err
			}
		}
		return nil
	}
	edit(t, run, g.host, func(t *testing.T, e *editor) {
		listed := fmt.Sprint(e.request("session/list", obj{}).Result["sessions"])
		if !strings.Contains(listed, "an older one") {
			t.Errorf("listed %s", listed)
		}
		for range 2 {
			from := e.count()
			if r := e.request("session/load", obj{"sessionId": "old", "cwd": e.dir, "mcpServers": []any{}}); r.Error != nil {
				t.Fatalf("%+v", r.Error)
			}
			got := strings.Join(updatesOf(e.all()[from:]), "\n")
			if !strings.Contains(got, `{"_meta":{"at":1},"content":{"text":"old question","type":"text"},"sessionUpdate":"user_message_chunk"}`) || !strings.Contains(got, "old answer") {
				t.Errorf("replayed\n%s", got)
			}
		}
		if imports != 1 {
			t.Errorf("imported %d times", imports)
		}
		if listed := fmt.Sprint(e.request("session/list", obj{}).Result["sessions"]); strings.Contains(listed, "an older one") {
			t.Errorf("the list has the conversation twice: %s", listed)
		}
		id := e.send("session/prompt", obj{"sessionId": "old", "prompt": []obj{{"type": "text", "text": "next"}}})
		if r := e.answer(id); r.Result["stopReason"] != "end_turn" {
			t.Errorf("answered %+v", r)
		}
		update, _ := e.await("the answer", func(f frame) bool { return strings.Contains(fmt.Sprint(f.Params), "new answer") })
		if update.Params["sessionId"] != "old" {
			t.Errorf("the update names session %v", update.Params["sessionId"])
		}
	})
}

func TestFork_ProcessKeepsTheCopyLocked_IsReleasedAndTheCopyOpened(t *testing.T) {
	t.Parallel()
	g := &guestAgent{}
	run := func(_ context.Context, w *hub.Work) error {
		if !slices.Contains(g.notes(), "released") {
			return errors.New("the session is in use by another process")
		}
		return w.Emit(bellcord.AgentSessionOpened{Agent: "guest", AgentSession: w.Prompt.Text})
	}
	edit(t, run, g.host, func(t *testing.T, e *editor) {
		params := e.here()
		params["cwd"], params["mcpServers"] = e.dir, []any{}
		if r := e.request("session/fork", params); r.Error != nil || r.Result["sessionId"] != "copy" {
			t.Errorf("answered %+v", r)
		}
	})
}

func kindOf(f frame) string {
	update, _ := f.Params["update"].(obj)
	kind, _ := update["sessionUpdate"].(string)
	return kind
}

// updatesOf returns the session updates among the frames as JSON with sorted
// members.
func updatesOf(frames []frame) (all []string) {
	for _, f := range frames {
		if f.Method == "session/update" && kindOf(f) != "session_info_update" {
			text, _ := json.Marshal(f.Params["update"])
			all = append(all, string(text))
		}
	}
	return all
}

func (e *editor) all() []frame {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]frame(nil), e.frames...)
}
