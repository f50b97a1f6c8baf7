package acpnet_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

var transports = []string{"ws", "http"}

// each runs a test over both transports.
func each(t *testing.T, change func(*setup), play func(t *testing.T, s *stage, kind string)) {
	t.Helper()
	for _, kind := range transports {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			play(t, newStage(t, change), kind)
		})
	}
}

func TestPrompt_OverTheNetwork_IsAnsweredAfterItsUpdates(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		c := s.dial(kind, "anna")
		session := c.newSession(nil)
		id := c.send("session/prompt", prompt(session, "say hello", ""))
		f, at, err := c.find(isAnswer(id))
		if err != nil || f.Result["stopReason"] != "end_turn" || f.Result["_meta"] == nil {
			t.Fatalf("answered %+v, %v", f, err)
		}
		text := ""
		for _, update := range c.seen()[:at] {
			if update.kind() == "agent_message_chunk" {
				text += update.text()
				if update.meta("bellcord/seq") == nil || update.meta("bellcord/turn") == nil {
					t.Errorf("an update without its position: %+v", update)
				}
			}
		}
		if text != "hello" {
			t.Errorf("before the answer came %q", text)
		}
	})
}

func TestHTTP2_Prompt_IsAnswered(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.tls = true })
	c := s.dial("http", "anna")
	session := c.newSession(nil)
	if f := c.request("session/prompt", prompt(session, "say hello", "")); f.Result["stopReason"] != "end_turn" {
		t.Errorf("answered %+v", f)
	}
	res, err := c.wire.(*httpWire).do(http.MethodDelete, "", nil)
	if err != nil || res.ProtoMajor != 2 || res.StatusCode != http.StatusAccepted {
		t.Fatalf("DELETE: %+v, %v", res, err)
	}
	_ = res.Body.Close()
	ws := s.dial("ws", "anna") // WebSocket uses HTTP/1.1 on the same port
	if f := ws.request("session/list", obj{}); len(f.Result["sessions"].([]any)) != 1 {
		t.Errorf("listed %+v", f)
	}
}

func TestLaw35_ACPScopes_AreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		anna := s.dial(kind, "anna")
		session := anna.newSession(nil)
		turn := string(bellcord.NewTurnID())
		running := anna.send("session/prompt", prompt(session, "hang on", turn))
		anna.awaitText("on")
		const forbidden, notFound = -32003, -32002
		for _, test := range []struct {
			user, method string
			params       obj
			code         int // 0: it is allowed
		}{
			{"reader", "session/prompt", prompt(session, "say x", ""), forbidden},
			{"reader", "session/new", obj{"cwd": "/", "mcpServers": []any{}}, forbidden},
			{"reader", "session/load", reopening(session, nil), 0},
			{"reader", "session/close", obj{"sessionId": session}, forbidden},
			{"reader", "session/delete", obj{"sessionId": session}, forbidden},
			{"stopper", "session/load", reopening(session, nil), forbidden},
			{"stopper", "session/list", obj{}, forbidden},
			{"prompter", "session/list", obj{}, forbidden},
			{"bert", "session/load", reopening(session, nil), notFound},
			{"bert", "session/resume", reopening(session, nil), notFound},
			{"bert", "session/prompt", prompt(session, "say x", ""), notFound},
			{"bert", "session/cancel", obj{"sessionId": session}, 0}, // stops nothing
			{"bert", "session/delete", obj{"sessionId": session}, 0}, // deletes nothing
			{"anna", "session/new", obj{"cwd": "/", "mcpServers": []any{obj{"name": "m", "command": "/bin/true", "args": []any{}, "env": []any{}}}}, forbidden},
			{"anna", "session/set_mode", obj{"sessionId": session, "modeId": "full"}, notFound}, // not open on a new connection
		} {
			c := s.dial(kind, test.user)
			f := c.request(test.method, test.params)
			code := 0
			if f.Error != nil {
				code = f.Error.Code
			}
			if code != test.code {
				t.Errorf("%s by %s: %d, want %d (%+v)", test.method, test.user, code, test.code, f.Error)
			}
		}
		if f := anna.request("session/set_mode", obj{"sessionId": session, "modeId": "full"}); f.Error == nil || f.Error.Code != forbidden {
			t.Errorf("a mode for admins: %+v", f)
		}
		stopper := s.dial(kind, "stopper")
		stopper.notify("session/cancel", obj{"sessionId": session}) // of a session that it has not open
		if f := anna.answer(running); f.Result["stopReason"] != "cancelled" {
			t.Errorf("answered %+v", f)
		}
		if r := s.turn(turn); r.Cause == nil || r.Cause.By != "anna" || r.Cause.Source != "acp" {
			t.Errorf("stopped by %+v", r.Cause)
		}
	})
}

func TestUndo_WithoutItsScope_IsForbidden(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		for _, test := range []struct {
			user string
			code int // 0: it is allowed
		}{{"anna", -32003}, {"admin", 0}} {
			c := s.dial(kind, test.user)
			session := c.newSession(nil)
			for _, command := range []string{"/undo", "/redo"} {
				f := c.request("session/prompt", prompt(session, command, ""))
				if code := f.Error; (code == nil) != (test.code == 0) || code != nil && code.Code != test.code {
					t.Errorf("%s of %s is answered with %+v, %v", command, test.user, f.Result, f.Error)
				}
			}
		}
	})
}

func TestPrompter_WithoutReadScope_GetsNoContent(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		c := s.dial(kind, "prompter")
		session := c.newSession(nil)
		f := c.request("session/prompt", prompt(session, "say secret", ""))
		if f.Result["stopReason"] != "end_turn" || f.Result["_meta"] != nil {
			t.Errorf("answered %+v", f)
		}
		for _, f := range c.seen() {
			if f.kind() != "" && f.kind() != "available_commands_update" {
				t.Errorf("it was shown %+v", f)
			}
		}
	})
}

func TestList_TwoOwners_ShowsEachItsSessions(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		anna, bert, admin := s.dial(kind, "anna"), s.dial(kind, "bert"), s.dial(kind, "admin")
		own := anna.newSession(nil)
		bert.newSession(nil)
		listed := func(c *client) string { return fmt.Sprint(c.request("session/list", obj{"cwd": "/elsewhere"}).Result) }
		if got := listed(anna); strings.Count(got, "sessionId") != 1 || !strings.Contains(got, own) {
			t.Errorf("anna sees %s", got)
		}
		if got := admin.request("session/list", obj{}); len(got.Result["sessions"].([]any)) != 2 {
			t.Errorf("the admin sees %+v", got)
		}
	})
}

func TestNewSession_Directory_IsAWorkspaceUnlessAnAdminNamesOne(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	dir := t.TempDir()
	for _, test := range []struct {
		user string
		meta obj
		own  bool
	}{{"anna", nil, true}, {"admin", nil, false}, {"admin", obj{"bellcord/workspace": true}, true}} {
		f := s.dial("ws", test.user).request("session/new", obj{"cwd": dir, "mcpServers": []any{}, "_meta": test.meta})
		made := f.Result["_meta"].(obj)["bellcord/cwd"].(string)
		if own := strings.HasSuffix(made, "/workspaces/"+f.Result["sessionId"].(string)); own != test.own || !own && made != dir {
			t.Errorf("%s, %v: %s", test.user, test.meta, made)
		}
	}
	if f := s.dial("ws", "admin").request("session/new", obj{"cwd": dir + "/none", "mcpServers": []any{}}); f.Error == nil || f.Error.Code != -32602 {
		t.Errorf("a directory that does not exist: %+v", f)
	}
}

func TestAdditionalDirectories_OnlyAnAdmin_MayNameThem(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		dir := t.TempDir()
		more := func(session string, dirs ...string) obj {
			params := obj{"cwd": dir, "mcpServers": []any{}, "additionalDirectories": dirs}
			if session != "" {
				params["sessionId"] = session
			}
			return params
		}
		anna, admin := s.dial(kind, "anna"), s.dial(kind, "admin")
		annas := anna.newSession(nil)
		for method, session := range map[string]string{"session/new": "", "session/load": annas, "session/resume": annas} {
			if f := anna.request(method, more(session, dir)); f.Error == nil || f.Error.Code != -32003 {
				t.Errorf("%s by anna: %+v %v", method, f.Error, f.Result)
			}
			if f := admin.request(method, more(session, dir+"/none")); f.Error == nil || f.Error.Code != -32602 {
				t.Errorf("%s with a directory that does not exist: %+v %v", method, f.Error, f.Result)
			}
			if got := s.dirsOf(annas); len(got) != 0 {
				t.Errorf("%s: the session has %v", method, got)
			}
		}
		made := admin.request("session/new", more("", dir)).Result["sessionId"].(string)
		if got := s.dirsOf(made); len(got) != 1 || got[0] != dir {
			t.Errorf("the admin's session has %v", got)
		}
		remote := more("", dir)
		remote["_meta"] = obj{"bellcord/workspace": true}
		if made := admin.request("session/new", remote).Result["sessionId"].(string); len(s.dirsOf(made)) != 0 {
			t.Errorf("a session in a workspace has %v", s.dirsOf(made))
		}
		if f := admin.request("session/load", more(annas, dir)); f.Error != nil {
			t.Errorf("load by the admin: %+v", f.Error)
		}
		if f := anna.request("session/resume", more(annas)); f.Error != nil || len(s.dirsOf(annas)) != 1 {
			t.Errorf("anna's session has %v after her resume, %+v", s.dirsOf(annas), f.Error)
		}
	})
}

func TestInitialize_AdditionalDirectories_AreAnnouncedToAdmins(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for user, want := range map[string]bool{"anna": false, "admin": true} {
		hello := s.dial("ws", user).seen()[0].Result["agentCapabilities"].(obj)["sessionCapabilities"].(obj)
		if _, has := hello["additionalDirectories"]; has != want {
			t.Errorf("announced to %s: %v", user, has)
		}
	}
}

func TestConnection_WithoutValidRequest_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for name, test := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"no token":       {func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		"wrong token":    {func(r *http.Request) { r.Header.Set("Authorization", "Bearer bcd_x_y") }, http.StatusUnauthorized},
		"foreign host":   {func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		"foreign origin": {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
	} {
		for _, upgrade := range []bool{true, false} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+s.tokens["anna"])
			if upgrade {
				for k, v := range map[string]string{"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
					r.Header.Set(k, v)
				}
			}
			test.change(r)
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.StatusCode != test.want {
				t.Errorf("%s, upgrade %v: %d, want %d", name, upgrade, res.StatusCode, test.want)
			}
		}
	}
}

func TestLaw34_ACPConnectionLost_TurnContinues(t *testing.T) {
	t.Parallel()
	each(t, func(with *setup) { with.Patience = time.Millisecond }, func(t *testing.T, s *stage, kind string) {
		c := s.dial(kind, "anna")
		session, turn := c.newSession(nil), string(bellcord.NewTurnID())
		c.send("session/prompt", prompt(session, "ask the question", turn))
		question := c.await("the question", func(f frame) bool { return f.Method == "session/request_permission" })
		c.wire.cut()
		// The question is asked again on the next connection, and its answer
		// continues the turn.
		again := s.dial(kind, "anna")
		again.request("session/load", reopening(session, nil))
		f := again.await("the question again", func(f frame) bool { return f.Method == "session/request_permission" })
		if fmt.Sprint(f.Params["toolCall"]) != fmt.Sprint(question.Params["toolCall"]) {
			t.Errorf("asked %v, then %v", question.Params, f.Params)
		}
		again.respond(session, f.ID, obj{"outcome": obj{"outcome": "selected", "optionId": "yes"}})
		if r := s.turn(turn); r.End != bellcord.EndDone {
			t.Errorf("it ended %+v", r)
		}
		again.awaitText("yes")
	})
}

// respond answers a request of the server.
func (c *client) respond(session string, id json.RawMessage, result obj) {
	c.t.Helper()
	text, err := json.Marshal(obj{"jsonrpc": "2.0", "id": id, "result": result})
	if err != nil {
		c.t.Fatal(err)
	}
	if w, is := c.wire.(*httpWire); is {
		res, err := w.do(http.MethodPost, session, text)
		if err != nil || res.StatusCode != http.StatusAccepted {
			c.t.Fatalf("%+v, %v", res, err)
		}
		_ = res.Body.Close()
		return
	}
	if err := c.wire.send(text); err != nil {
		c.t.Fatal(err)
	}
}

func TestLaw34_ACPSessionThatChoseStop_IsStoppedWithoutViewers(t *testing.T) {
	t.Parallel()
	each(t, func(with *setup) { with.Patience = 50 * time.Millisecond }, func(t *testing.T, s *stage, kind string) {
		c := s.dial(kind, "anna")
		session, turn := c.newSession(obj{"bellcord/onDisconnect": "stop"}), string(bellcord.NewTurnID())
		c.send("session/prompt", prompt(session, "hang on", turn))
		c.awaitText("on")
		c.wire.cut()
		if r := s.turn(turn); r.Cause == nil || r.Cause.Kind != bellcord.CauseDisconnect {
			t.Errorf("it ended %+v", r)
		}
	})
}

func TestCancel_FromAnotherConnection_StopsTheTurn(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		one, two := s.dial(kind, "anna"), s.dial(kind, "anna")
		session := one.newSession(nil)
		running := one.send("session/prompt", prompt(session, "hang on", ""))
		one.awaitText("on")
		two.request("session/load", reopening(session, nil))
		two.notify("session/cancel", obj{"sessionId": session})
		if f := one.answer(running); f.Result["stopReason"] != "cancelled" {
			t.Errorf("answered %+v", f)
		}
	})
}

func TestPrompt_SentAgainWithItsTurn_IsTheSamePrompt(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		c := s.dial(kind, "anna")
		session, turn := c.newSession(nil), string(bellcord.NewTurnID())
		c.request("session/prompt", prompt(session, "say once", turn))
		again := s.dial(kind, "anna")
		again.request("session/resume", reopening(session, nil))
		if f := again.request("session/prompt", prompt(session, "say once", turn)); f.Result["stopReason"] != "end_turn" {
			t.Errorf("answered %+v", f)
		}
		if f := again.request("session/prompt", prompt(session, "say other", turn)); f.Error == nil || f.Error.Code != -32602 {
			t.Errorf("another prompt with the same turn: %+v", f)
		}
		if s.ran() != 1 {
			t.Errorf("the agent ran %d times", s.ran())
		}
	})
}

func TestResume_PositionPastTheEnd_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.dial("ws", "anna")
	session := c.newSession(nil)
	for _, after := range []any{1000, -1, "x", 1.5} {
		if f := c.request("session/resume", reopening(session, obj{"bellcord/after": after})); f.Error == nil || f.Error.Code != -32602 {
			t.Errorf("after %v: %+v", after, f)
		}
	}
}

func TestToken_Revoked_EndsItsConnections(t *testing.T) {
	t.Parallel()
	each(t, func(with *setup) { with.KeepAlive = 20 * time.Millisecond }, func(t *testing.T, s *stage, kind string) {
		c := s.dial(kind, "anna")
		c.newSession(nil)
		s.revoke("anna")
		if _, _, err := c.find(func(frame) bool { return false }); err == nil || err == errNever { //nolint:errorlint // as it is
			t.Errorf("the connection is still open: %v", err)
		}
	})
}

// A client that reads only the stream of a busy session loses the stream, too.
func TestToken_RevokedWhileAStreamIsBusy_EndsTheStream(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.KeepAlive = time.Second })
	session := s.dial("ws", "anna").newSession(nil)
	c := newClient(t)
	w := newHTTPWire(c, s.url, http.Header{"Authorization": {"Bearer " + s.tokens["anna"]}}, s.transport())
	post := func(session, method string, params obj) *http.Response {
		res, err := w.do(http.MethodPost, session, c.line(c.newID(method), method, params))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	w.connection = post("", "initialize", obj{"protocolVersion": 1}).Header.Get("Acp-Connection-Id")
	stream, err := w.do(http.MethodGet, session, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	time.AfterFunc(patient, func() { _ = stream.Body.Close() })
	lines := bufio.NewReader(stream.Body)
	await := func(text string) {
		for line := ""; !strings.Contains(line, text); {
			if line, err = lines.ReadString('\n'); err != nil {
				t.Fatalf("%s did not come: %v", text, err)
			}
		}
	}
	post(session, "session/resume", reopening(session, nil))
	await(`"result"`)
	post(session, "session/prompt", prompt(session, "work 1000000", ""))
	await("word5a")
	s.revoke("anna")
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Fatalf("the stream did not end: %v", err)
	}
}

func TestPermission_QuestionRequiresAdmin_OnlyAnAdminCanAllowIt(t *testing.T) {
	t.Parallel()
	each(t, nil, func(t *testing.T, s *stage, kind string) {
		isQuestion := func(f frame) bool { return f.Method == "session/request_permission" }
		c, admin := s.dial(kind, "anna"), s.dial(kind, "admin")
		session, turn := c.newSession(nil), string(bellcord.NewTurnID())
		admin.request("session/load", reopening(session, nil))
		c.send("session/prompt", prompt(session, "guard the door", turn))
		f := c.await("the question", isQuestion)
		options, _ := f.Params["options"].([]any)
		if len(options) != 1 || !strings.Contains(fmt.Sprint(options), "only a person with the scope admin") || !strings.Contains(fmt.Sprint(options), "reject_once") {
			t.Errorf("anna is offered %v", options)
		}
		c.respond(session, f.ID, obj{"outcome": obj{"outcome": "selected", "optionId": "yes"}})
		f = admin.await("the question", isQuestion)
		if options, _ := f.Params["options"].([]any); len(options) != 2 {
			t.Errorf("an admin is offered %v", options)
		}
		admin.respond(session, f.ID, obj{"outcome": obj{"outcome": "selected", "optionId": "yes"}})
		if r := s.turn(turn); r.End != bellcord.EndDone {
			t.Errorf("it ended %+v", r)
		}
		for _, ev := range s.log(session) {
			if b, is := ev.Body.(bellcord.QuestionAnswered); is && (b.Choice != "yes" || b.By == "anna") {
				t.Errorf("answered %+v", b)
			}
		}
	})
}
