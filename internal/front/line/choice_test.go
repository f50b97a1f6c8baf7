package line_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

func TestChoose_Reply_SelectsTheMatchingChoiceOrRejects(t *testing.T) {
	t.Parallel()
	choice := func(id, kind string) bellcord.Choice { return bellcord.Choice{ID: id, Kind: kind} }
	own := []bellcord.Choice{choice("allow", "allow_once"), choice("allow_session", "allow_always"), choice("allow_always", "allow_always"), choice("reject", "reject_once")}
	other := []bellcord.Choice{choice("1", "allow_always"), choice("2", "allow_once"), choice("3", "reject_always"), choice("4", "reject_once")}
	tests := []struct {
		name            string
		choices         []bellcord.Choice
		yes, always, no string
	}{
		{"our own agent's, by name", own, "allow", "allow_always", "reject"},
		{"another agent's, by sort", other, "2", "1", "4"},
		{"nothing to choose from", nil, "allow", "allow_always", "reject"},
		{"only for ever: a yes is not that", other[:1], "reject", "1", "reject"},
		{"only once: always is at least that", other[1:2], "2", "2", "reject"},
		{"several of a sort: a letter does not say which", []bellcord.Choice{choice("a", "allow_once"), choice("b", "allow_once"), choice("c", "reject_once")}, "reject", "reject", "c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := bellcord.Question{Choices: test.choices}
			for reply, want := range map[line.Reply]string{line.Yes: test.yes, line.Always: test.always, line.No: test.no} {
				if got := line.Choose(q, reply); got != want {
					t.Errorf("%c is %q, want %q", reply, got, want)
				}
			}
		})
	}
}

func TestChoose_ForSession_PrefersSessionToAlways(t *testing.T) {
	t.Parallel()
	own := []bellcord.Choice{{ID: "allow", Kind: "allow_once"}, {ID: "allow_session", Kind: "allow_always"}, {ID: "allow_always", Kind: "allow_always"}}
	if got := line.Choose(bellcord.Question{Choices: own}, line.ForSession); got != "allow_session" {
		t.Errorf("it is %q", got)
	}
	if got := line.Choose(bellcord.Question{Choices: own[:1]}, line.ForSession); got != "allow" {
		t.Errorf("where there is only once it is %q", got)
	}
}

func TestOffer_ChoiceOfAnotherAgent_IsDescribedInThatAgentsWords(t *testing.T) {
	t.Parallel()
	own := []bellcord.Choice{{ID: "allow", Kind: "allow_once"}, {ID: "allow_session", Text: "x", Kind: "allow_always"}, {ID: "allow_always", Text: "x", Kind: "allow_always"}, {ID: "reject", Kind: "reject_once"}}
	once, always, no := bellcord.Choice{ID: "1", Text: "Yes", Kind: "allow_once"}, bellcord.Choice{ID: "2", Text: "Always\x1b[2K  allow", Kind: "allow_always"}, bellcord.Choice{ID: "3", Kind: "reject_once"}
	long := always
	long.Text = strings.Repeat("é", 100)
	for _, test := range []struct {
		name    string
		choices []bellcord.Choice
		session string
	}{
		{"the built-in agent", own, "own"},
		{"no choices", nil, "own"},
		{"another agent", []bellcord.Choice{once, always, no}, "“Always␛[2K allow”"},
		{"without words", []bellcord.Choice{once, {ID: "2", Kind: "allow_always"}, no}, "always, as the agent defines it"},
		{"with many words", []bellcord.Choice{once, long, no}, "“" + strings.Repeat("é", 60) + "…”"},
		{"only once", []bellcord.Choice{once, no}, ""},
		{"several that allow always", []bellcord.Choice{once, always, long, no}, ""},
	} {
		q := bellcord.Question{Choices: test.choices}
		if got := line.Offer(q, line.ForSession, "own"); got != test.session {
			t.Errorf("%s: %q, want %q", test.name, got, test.session)
		}
		if yes, no := line.Offer(q, line.Yes, "once"), line.Offer(q, line.No, "reject"); yes != "once" || no != "reject" {
			t.Errorf("%s: yes is %q, no is %q", test.name, yes, no)
		}
	}
}

func TestParseReply_UnrecognizedWord_MeansNo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]line.Reply{"y\n": line.Yes, "YES \t": line.Yes, "a": line.Always, "always\r\n": line.Always, "n": line.No, "": line.No, "yep": line.No} {
		if got := line.ParseReply(text); got != want {
			t.Errorf("%q is %c", text, got)
		}
	}
}

func TestVisible_ControlCharacters_AreReplaced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rm -rf x\n\ty":       "rm -rf x\n\ty",
		"a\x1b[2Kb\rc\x00":    "a␛[2Kb␍c␀",
		"\u009b2J\x7f":        "\ufffd2J\ufffd",
		"safe\u202etxt.exe é": "safe\ufffdtxt.exe é",
	} {
		if got := line.Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
