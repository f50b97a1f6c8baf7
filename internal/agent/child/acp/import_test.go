package acp_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// importing runs a turn that records the conversation of the agent's session
// "old", in which the agent replays the updates.
func (s *stage) importing(replay string) (bellcord.Receipt, []bellcord.Body) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.memory, "old"), []byte(replay), 0o600); err != nil {
		s.t.Fatal(err)
	}
	turn := s.prompt(bellcord.Prompt{Task: bellcord.TaskImport, Text: "old"})
	return s.settled(turn), s.events(turn.ID)
}

func TestImport_MessagesOfTheUser_KeepWhatTheAgentSent(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	r, got := s.importing(`[
		{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"one "}},
		{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"message"}},
		{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"},"_meta":{"at":1}},
		{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"with _meta"},"_meta":{"at":2}},
		{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"}},
		{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"image","mimeType":"image/png","data":"AA=="}},
		{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"text","text":"look"}}
	]`)
	if r.End != bellcord.EndDone {
		t.Fatalf("%s: %s", r.End, r.Error)
	}
	var messages [][]string
	for _, m := range only[bellcord.MessageImported](got) {
		all := []string{m.Text}
		for _, u := range m.Updates {
			all = append(all, string(u))
		}
		messages = append(messages, all)
	}
	want := [][]string{
		{"one message"},
		{"with _meta", `{"_meta":{"at":2},"content":{"text":"with _meta","type":"text"},"sessionUpdate":"user_message_chunk"}`},
		{
			"[image]look",
			`{"content":{"data":"AA==","mimeType":"image/png","type":"image"},"messageId":"m","sessionUpdate":"user_message_chunk"}`,
			`{"content":{"text":"look","type":"text"},"messageId":"m","sessionUpdate":"user_message_chunk"}`,
		},
	}
	if !reflect.DeepEqual(messages, want) {
		t.Errorf("imported\n%q\nwant\n%q", messages, want)
	}
	if texts := only[bellcord.TextDelta](got); len(texts) != 2 || string(texts[0].Meta) != `{"at":1}` {
		t.Errorf("answers %+v", texts)
	}
}

func TestImport_AgentFailsWithDetails_ErrorContainsThem(t *testing.T) {
	t.Parallel()
	s := onStage(t, "forgetful")
	r, _ := s.importing("")
	if want := "fake could not load its session: loading its session: no such session (-32002): it was deleted yesterday"; r.End != bellcord.EndFailed || !strings.Contains(r.Error, want) {
		t.Errorf("%s: %q, want %q", r.End, r.Error, want)
	}
}

func TestImport_ReplayAfterTheResponse_IsRecordedCompletely(t *testing.T) {
	t.Parallel()
	for _, manner := range []string{"", "late"} {
		t.Run(manner, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, manner)
			r, got := s.importing(threeAnswers)
			if r.End != bellcord.EndDone {
				t.Fatalf("%s: %s", r.End, r.Error)
			}
			text := ""
			for _, d := range only[bellcord.TextDelta](got) {
				text += d.Text
			}
			if text != "one two three" {
				t.Errorf("imported %q", text)
			}
		})
	}
}

func TestTurn_ReplayAfterTheResponse_IsNotPartOfTheTurn(t *testing.T) {
	t.Parallel()
	s := onStage(t, "late")
	if err := os.WriteFile(filepath.Join(s.memory, "old"), []byte(threeAnswers), 0o600); err != nil {
		t.Fatal(err)
	}
	turn := s.prompt(bellcord.Prompt{Task: bellcord.TaskImport, Text: "old"})
	s.settled(turn)
	if !s.agent.ReleaseProcess(s.session.ID) {
		t.Fatal("the session has no process")
	}
	turn = s.prompt(bellcord.Prompt{Text: "say new"})
	if r := s.settled(turn); r.End != bellcord.EndDone {
		t.Fatalf("%s: %s", r.End, r.Error)
	}
	if got := s.textOf(turn.ID); got != "new" {
		t.Errorf("the turn has the text %q", got)
	}
}

func TestImport_AgentThatAnswersNoUnknownRequest_IsImported(t *testing.T) {
	t.Parallel()
	s := onStage(t, "silent")
	if r, got := s.importing(threeAnswers); r.End != bellcord.EndDone || len(only[bellcord.TextDelta](got)) == 0 {
		t.Errorf("%s: %s, %d texts", r.End, r.Error, len(only[bellcord.TextDelta](got)))
	}
}

const threeAnswers = `[
	{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one "}},
	{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two "}},
	{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"three"}}
]`
