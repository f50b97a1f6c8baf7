package hub

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestPrintable_ControlCharacters_EachRunBecomesOneReplacementCharacter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\r\n":            "plain\ttext\r\n",
		strings.Repeat("\x00", 5000): "\uFFFD",
		"a\x00\x01b\x00c":            "a\uFFFDb\uFFFDc",
		"\x1b[31mred\x1b[0m":         "\x1b[31mred\x1b[0m",
		"\x1b\x1b\x1b":               "\uFFFD",
		"größe\x07":                  "größe\uFFFD",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestBounds_LongOutput_KeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	n := bounds{output: 20}
	var recorded strings.Builder
	for _, piece := range []string{"0123456", "789abc", strings.Repeat("x", 100), "ABCDEFGHIJ"} {
		for _, b := range n.addOutput(bellcord.ToolOutputDelta{Call: "c", Text: piece}) {
			recorded.WriteString(b.(bellcord.ToolOutputDelta).Text)
		}
	}
	bodies, err := n.apply(bellcord.ToolCallEnded{Call: "c"})
	if err != nil || len(bodies) != 2 {
		t.Fatalf("%+v %v", bodies, err)
	}
	tail := bodies[0].(bellcord.ToolOutputDelta)
	if recorded.String() != "0123456789" || tail.Omitted != 103 || !strings.HasSuffix(tail.Text, "\nABCDEFGHIJ") || !strings.Contains(tail.Text, "103 bytes omitted") {
		t.Errorf("%q, then %+v", recorded.String(), tail)
	}
	if len(n.outputs) != 0 {
		t.Error("an ended call is remembered")
	}
}
