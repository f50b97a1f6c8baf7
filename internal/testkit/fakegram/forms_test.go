package fakegram_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// attempt makes a call that may fail. It is a POST without a body, because
// net/http retries a GET.
func (s *stage) attempt(ctx context.Context, call string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://fake/bot1:TEST/"+call, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := s.client.Do(req)
	if err == nil {
		err = resp.Body.Close()
	}
	return err
}

func TestRequest_JSONAndForms_AreEquivalent(t *testing.T) {
	t.Parallel()
	const keys = `{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}`
	bodies := map[string]func() (string, string){
		"JSON": func() (string, string) {
			return "application/json", `{"chat_id":1001,"text":"a b","reply_markup":` + keys + `,"message_thread_id":null}`
		},
		"JSON in a string": func() (string, string) {
			return "application/json; charset=utf-8", `{"chat_id":"1001","text":"a b","reply_markup":"` + strings.ReplaceAll(keys, `"`, `\"`) + `"}`
		},
		"form": func() (string, string) {
			return "application/x-www-form-urlencoded", url.Values{"chat_id": {"1001"}, "text": {"a b"}, "reply_markup": {keys}}.Encode()
		},
		"multipart": func() (string, string) {
			var b bytes.Buffer
			w := multipart.NewWriter(&b)
			for name, value := range map[string]string{"chat_id": "1001", "text": "a b", "reply_markup": keys} {
				_ = w.WriteField(name, value)
			}
			_ = w.Close()
			return w.FormDataContentType(), b.String()
		},
	}
	for name, make := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				kind, body := make()
				r, err := s.post("http://fake/bot1:TEST/sendMessage", kind, strings.NewReader(body))
				if err != nil {
					s.Fatal(err)
				}
				if m := r.message(); m.Text != "a b" || m.Markup.Rows[0][0].Data != "b" {
					s.Errorf("got %+v", m)
				}
				calls := s.CallsOf("sendMessage")
				if len(calls) != 1 || calls[0].Chat != anna || calls[0].Params["text"] != "a b" || calls[0].Status != 200 || calls[0].Answered.IsZero() {
					s.Errorf("calls %+v", calls)
				}
				s.clean()
			})
		})
	}
}

func TestRequest_MalformedBody_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for kind, body := range map[string]string{
			"application/json": `{"chat_id":`, "multipart/form-data; boundary=x": "nonsense", "application/x-www-form-urlencoded": "%zz",
		} {
			r, err := s.post("http://fake/bot1:TEST/sendMessage", kind, strings.NewReader(body))
			if err != nil {
				s.Fatal(err)
			}
			r.refused(400, "Bad Request: can't parse the request: …")
		}
	})
}

func TestRequest_WrongTokenOrMethod_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for _, token := range []string{"2:TEST", "1:test", "1:TEST0", ""} {
			r, err := s.post("http://fake/bot"+token+"/getMe", "application/json", strings.NewReader("{}"))
			if err != nil {
				s.Fatal(err)
			}
			r.refused(401, "Unauthorized")
		}
		s.clean()
		s.call("GETME", nil).fine()
		s.call("sendSong", nil).refused(404, "Not Found: method not found")
		s.broken("sendSong: no such method")
	})
}

func TestRequest_UnknownParameter_IsAViolation(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"sendMessage", "getUpdates", "getMe"} {
		onStage(t, func(s *stage) {
			s.call(method, fields{"chat_id": anna, "text": "x", "disable_web_page_preview": true}).fine()
			if got := strings.Join(s.Violations(), "\n"); !strings.Contains(got, method+`: parameter "disable_web_page_preview" is unknown`) {
				s.Errorf("violations %q", got)
			}
		})
	}
}

func TestSend_ChatBlockedOrNotStarted_IsForbidden(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.AddPerson(fakegram.User{ID: 1003, FirstName: "Cleo"})
		s.call("sendMessage", fields{"chat_id": 1003, "text": "x"}).refused(403, "Forbidden: bot can't initiate conversation with a user")
		s.Block(anna)
		for method, more := range map[string]fields{
			"sendMessage": {"text": "x"}, "sendChatAction": {"action": "typing"}, "sendMessageDraft": {"draft_id": 1, "text": "x"},
		} {
			more["chat_id"] = anna
			s.call(method, more).refused(403, "Forbidden: bot was blocked by the user")
		}
		if r := s.call("getUpdates", nil).fine(); !strings.Contains(string(r.Result), `"kicked"`) {
			s.Errorf("got %s", r.Result)
		}
		s.say(anna, anna, "back again")
		s.send(anna, "x")
		s.Promote(group, bot, "")
		s.call("sendMessage", fields{"chat_id": group, "text": "x"}).refused(403, "Forbidden: bot is not a member of the supergroup chat")
		s.clean()
	})
}

func TestGet_BotChatAndMember_ReturnTheirData(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		var me fakegram.User
		s.call("getMe", nil).fine().into(&me)
		if !me.IsBot || me.ID != bot || me.Username != "bellcord_bot" {
			s.Errorf("me %+v", me)
		}
		var info fakegram.ChatInfo
		s.call("getChat", fields{"chat_id": group}).fine().into(&info)
		if info.Title != "Ringers" || info.Type != "supergroup" {
			s.Errorf("chat %+v", info)
		}
		s.AddPerson(fakegram.User{ID: 1003, FirstName: "Cleo"})
		for user, status := range map[int64]string{anna: "creator", ben: "member", 1003: "left", bot: "member"} {
			var m struct{ Status string }
			s.call("getChatMember", fields{"chat_id": group, "user_id": user}).fine().into(&m)
			if m.Status != status {
				s.Errorf("%d is %s", user, m.Status)
			}
		}
		s.call("getChatMember", fields{"chat_id": group, "user_id": 5}).refused(400, "Bad Request: member not found")
		s.clean()
	})
}

func TestCommands_Scopes_AreSeparate(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		list := func(scope any) (all []fakegram.Command) {
			s.call("getMyCommands", fields{"scope": scope}).fine().into(&all)
			return all
		}
		s.call("setMyCommands", fields{"commands": []fields{{"command": "stop", "description": "Stop"}}}).fine()
		s.call("setMyCommands", fields{"commands": []fields{}, "scope": fields{"type": "all_group_chats"}}).fine()
		if got := list(nil); len(got) != 1 || got[0].Command != "stop" {
			s.Errorf("got %+v", got)
		}
		if got := list(fields{"type": "all_group_chats"}); len(got) != 0 {
			s.Errorf("got %+v", got)
		}
		for _, name := range []string{"", "Stop", "/stop", strings.Repeat("a", 33)} {
			s.call("setMyCommands", fields{"commands": []fields{{"command": name, "description": "x"}}}).refused(400, "Bad Request: BOT_COMMAND_INVALID")
		}
		s.call("setMyCommands", fields{"commands": []fields{{"command": "a", "description": ""}}}).refused(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID")
		s.clean()
	})
}
