package tty

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestWithCursor_AnyPosition_ReversesTheCellThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		x    int
		want string
	}{
		{"\x1b[1m› \x1b[0mab", 4, "\x1b[1m› \x1b[0mab\x1b[7m \x1b[27m"},
		{"› ab", 6, "› ab  \x1b[7m \x1b[27m"},
		{"› ab", 2, "› \x1b[7ma\x1b[27mb"},
		{"› 世界", 2, "› \x1b[7m世\x1b[27m界"},
	} {
		got := withCursor(chat.Screen{Lines: []string{"status", c.line}, X: c.x, Y: 1})
		if got[0] != "status" || got[1] != c.want || ansi.StringWidth(got[1]) < c.x {
			t.Errorf("with the cursor at %d, %q is %q", c.x, c.line, got)
		}
	}
	if got := withCursor(chat.Screen{Lines: []string{"help"}, Y: 5}); got[0] != "help" {
		t.Errorf("without a cursor it is %q", got)
	}
}

// A frame must begin and end at the first column of the first live row, and must not erase from
// there to the end: tmux would move the live rows into its history.
func TestFrame_AnyLines_EndsWhereItBegan(t *testing.T) {
	t.Parallel()
	for _, finished := range [][]string{nil, {"one"}, {"one", "two", "three"}} {
		for _, rows := range [][]string{{"input"}, {"status", "input"}, {"a", "b", "c", "d"}} {
			got := (&inline{}).frame(finished, rows)
			if !strings.HasPrefix(got, "\r"+ansi.EraseEntireLine) || strings.HasPrefix(got, "\r"+ansi.EraseScreenBelow) {
				t.Errorf("it begins with %q", got)
			}
			down := strings.Count(got, "\n")
			up := 0
			if len(rows) > 1 {
				up = len(rows) - 1
				if !strings.HasSuffix(got, "\r"+ansi.CursorUp(up)) {
					t.Errorf("it ends with %q", got)
				}
			}
			if down-up != len(finished) {
				t.Errorf("%d finished lines move the first live row by %d: %q", len(finished), down-up, got)
			}
		}
	}
}

func TestDraw_SameScreen_WritesNothing(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := &inline{out: &out}
	s := chat.Screen{Lines: []string{"status", "› "}, X: 2, Y: 1}
	r.draw(nil, s)
	first := out.Len()
	r.draw(nil, s)
	if first == 0 || out.Len() != first {
		t.Errorf("%d bytes, then %d more", first, out.Len()-first)
	}
	r.draw([]string{"finished"}, s)
	if out.Len() == first {
		t.Error("a finished line was not written")
	}
}

// The library's own queries are dropped together with what it draws.
func TestInline_Begin_AsksForTheBackgroundOfTheTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	(&inline{out: &out, profile: colorprofile.ANSI}).begin()
	if !strings.Contains(out.String(), ansi.RequestBackgroundColor) {
		t.Errorf("sent %q", out.String())
	}
}
