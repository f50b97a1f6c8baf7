package telegram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

const self = "bellcord_bot"

func TestParse_Message_ReturnsVerbAndText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"stop":                    {"stop", ""},
		"STOP.":                   {"stop", ""},
		" Stop! ":                 {"stop", ""},
		"stop !!":                 {"stop", ""},
		"!stop":                   {"stop", ""},
		"/stop":                   {"stop", ""},
		"/STOP":                   {"stop", ""},
		"/stop now":               {"stop", "now"},
		"/stop@bellcord_bot":      {"stop", ""},
		"/stop@Bellcord_Bot":      {"stop", ""},
		"/stop@other_bot":         {"-", ""},
		"/stop@bellcord_bot2":     {"-", ""},
		"/stop all":               {"stop all", ""},
		"/stop  ALL ":             {"stop all", ""},
		"/stop\tall":              {"stop all", ""},
		"/stop\nall":              {"stop all", ""},
		"/stop@bellcord_bot all":  {"stop all", ""},
		"/clear":                  {"clear", ""},
		"/clear\nmore":            {"clear", "more"},
		"/file\na b":              {"file", "a b"},
		"/new":                    {"new", ""},
		"/agent pi":               {"agent", "pi"},
		"/model fake/two":         {"model", "fake/two"},
		"/nonsense please":        {"?", "/nonsense please"},
		"/":                       {"", "/"},
		"/etc/hosts is wrong":     {"", "/etc/hosts is wrong"},
		" /stop":                  {"", "/stop"},
		"/stopping":               {"?", "/stopping"},
		"!x":                      {"!", "x"},
		"! answer this\ninstead ": {"!", "answer this\ninstead"},
		"! ":                      {"", "!"},
		"!":                       {"", "!"},
		"...":                     {"", "..."},
		"//cmd with words":        {"", "/cmd with words"},
		"stop it please":          {"", "stop it please"},
		"don't stop":              {"", "don't stop"},
		"stop?":                   {"", "stop?"},
		"unstoppable":             {"", "unstoppable"},
		"hello /stop":             {"", "hello /stop"},
		"":                        {"", ""},
	} {
		if what, words := telegram.Parse(text, self); what != want[0] || words != want[1] {
			t.Errorf("%q asks for %q with %q, not %q", text, what, words, want)
		}
	}
}

func TestAddressed_GroupMessage_ReportsWhetherItIsForTheBot(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // "-" if it is not for the bot
		"@bellcord_bot hello":       "hello",
		"hello @bellcord_bot":       "hello",
		"hello, @Bellcord_Bot, you": "hello, , you",
		"@bellcord_bot":             "",
		"@bellcord_bot stop":        "stop",
		"(@bellcord_bot)":           "()",
		"ä@bellcord_bot":            "ä",
		"/stop@bellcord_bot":        "/stop@bellcord_bot",
		"/status":                   "/status",
		"mail@bellcord_bot":         "-",
		"@bellcord_bot2 hello":      "-",
		"@bellcord_botany":          "-",
		"@@bellcord_bot":            "@",
		"hello":                     "-",
		"stop":                      "-",
		"":                          "-",
	} {
		got, forUs := telegram.Addressed(&wire.Message{Text: text}, self)
		if !forUs {
			got = "-"
		}
		if got != want {
			t.Errorf("%q is %q to us, not %q", text, got, want)
		}
	}
	if _, forUs := telegram.Addressed(&wire.Message{Text: "go on", ReplyToSelf: true}, self); !forUs {
		t.Error("a reply to the bot is not for it")
	}
	if _, forUs := telegram.Addressed(&wire.Message{Text: "@ and more"}, ""); forUs {
		t.Error("a bot without a name is meant by every @")
	}
}

func TestDoubleSlash_Command_ReachesTheAgentAsText(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "//compact now")
		s.pass(3 * time.Second)
		s.sees(anna, "You said: /compact now")
	})
}

func TestGroup_ReplyToTheBot_IsAnswered(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendTextIn(group, anna, "@bellcord_bot say First.")
		s.pass(8 * time.Second)
		_, err := s.gram.Reply(group, ben, s.last(group).ID, "say Second.")
		s.must(err)
		s.pass(12 * time.Second)
		s.sees(group, "First.", "Second.")
	})
}

func TestGroup_CommandForAnotherBot_StopsNothing(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendTextIn(group, anna, "@bellcord_bot slow 60")
		s.pass(3 * time.Second)
		s.sendTextIn(group, ben, "/stop@other_bot")
		s.sendTextIn(group, ben, "/clear@other_bot")
		s.pass(15 * time.Second)
		if got := s.bot(group); len(got) != 1 || !strings.HasSuffix(got[0], "word59") {
			t.Errorf("the group sees %q", got)
		}
	})
}
