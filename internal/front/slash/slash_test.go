package slash_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/front/slash"
)

var commands = slash.Commands{"stop", "clear", "model", "mode", "help"}

func TestParse_Message_IsCommandTextOrUnknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		message, name, rest, text, unknown, nearest string
		hosted                                      bool
	}{
		{message: "/stop", name: "stop"},
		{message: "/STOP", name: "stop"},
		{message: "/model openai/x", name: "model", rest: "openai/x"},
		{message: "/mode\nfull", name: "mode", rest: "full"},
		{message: "/stop", name: "stop", hosted: true},
		{message: "hello", text: "hello"},
		{message: "", text: ""},
		{message: "/", text: "/"},
		{message: "/ stop", text: "/ stop"},
		{message: " /stop", text: " /stop"},
		{message: "//stop", text: "/stop"},
		{message: "// a comment", text: "/ a comment"},
		{message: "/* a comment */", text: "/* a comment */"},
		{message: "/etc/hosts is wrong", text: "/etc/hosts is wrong"},
		{message: "/etc/hosts\nis wrong", text: "/etc/hosts\nis wrong"},
		{message: "/sotp", unknown: "sotp", nearest: "stop"},
		{message: "/deploy now", unknown: "deploy"},
		{message: "/deploy now", text: "/deploy now", hosted: true},
	} {
		command, text, err := commands.Parse(c.message, c.hosted)
		var unknown *slash.UnknownError
		switch {
		case c.name != "":
			if command == nil || command.Name != c.name || command.Rest != c.rest || err != nil {
				t.Errorf("Parse(%q): got %+v, %v; want command %q with rest %q", c.message, command, err, c.name, c.rest)
			}
		case c.unknown != "":
			if !errors.As(err, &unknown) || unknown.Name != c.unknown || unknown.Nearest != c.nearest {
				t.Errorf("Parse(%q): got error %v, want unknown %q, nearest %q", c.message, err, c.unknown, c.nearest)
			}
		default:
			if command != nil || err != nil || text != c.text {
				t.Errorf("Parse(%q): got %+v, %q, %v; want the text %q", c.message, command, text, err, c.text)
			}
		}
	}
}

func TestUnknownError_Message_NamesTheNearestCommandAndTheEscape(t *testing.T) {
	t.Parallel()
	_, _, err := commands.Parse("/sotp it", false)
	if want := "unknown command /sotp (did you mean /stop?); to send it as text, write //sotp"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, _, err = commands.Parse("/deploy", false)
	if want := "unknown command /deploy (see /help); to send it as text, write //deploy"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestWords_Quotes_KeepSpaces(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string][]string{
		"": nil, "a  b\tc": {"a", "b", "c"}, `"my file.txt" 'it is' b"c d"e`: {"my file.txt", "it is", "bc de"}, `"open end`: {"open end"}, `""`: {""},
	} {
		if got := slash.Words(rest); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", rest, got, want)
		}
	}
}
