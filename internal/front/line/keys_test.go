package line_test

import (
	"slices"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/line"
)

// typed is input from a terminal, some time after the previous input. If it is
// empty, only time passes.
type typed struct {
	after time.Duration
	bytes string
}

func TestKeys_Bytes_BecomePresses(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	running := line.Situation{Running: true}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	withQuestion := line.Situation{Running: true, Question: "q", Shown: begin}
	idle := line.Situation{}
	const stop, force, leave = line.PressStop, line.PressForce, line.PressLeave
	tests := []struct {
		name  string
		in    line.Situation
		typed []typed
		want  []line.Press
	}{
		{"Esc stops once it is sure that it was Esc", running, []typed{{0, "\x1b"}, {50 * ms, ""}}, []line.Press{stop}},
		{"Esc is not sure yet", running, []typed{{0, "\x1b"}, {49 * ms, ""}}, nil},
		{"Esc and later another key", running, []typed{{0, "\x1b"}, {60 * ms, "x"}}, []line.Press{stop}},
		{"Esc twice", running, []typed{{0, "\x1b"}, {100 * ms, "\x1b"}, {50 * ms, ""}}, []line.Press{stop, stop}},
		{"Esc twice at once", running, []typed{{0, "\x1b\x1b"}, {50 * ms, ""}}, []line.Press{stop, stop}},
		{"Esc when nothing runs", idle, []typed{{0, "\x1b"}, {50 * ms, ""}}, nil},
		{"an arrow", running, []typed{{0, "\x1b[A"}, {time.Second, ""}}, nil},
		{"an arrow in pieces", running, []typed{{0, "\x1b"}, {20 * ms, "["}, {40 * ms, "A"}, {time.Second, ""}}, nil},
		{"an arrow of another sort", running, []typed{{0, "\x1bOA"}, {time.Second, ""}}, nil},
		{"a long sequence with letters we know behind it", running, []typed{{0, "\x1b[1;5Aq"}}, []line.Press{leave}},
		{"a letter that ends a sequence", running, []typed{{0, "\x1b[15~\x1b[q"}}, nil},
		{"a sequence that was cut off is no Esc", running, []typed{{0, "\x1b["}, {time.Second, "q"}}, []line.Press{leave}},
		{"Esc and text at once", running, []typed{{0, "\x1bno, wait"}, {time.Second, ""}}, []line.Press{stop}},
		{"Esc and text that begins like another key", running, []typed{{0, "\x1bOh no"}, {time.Second, ""}}, []line.Press{stop}},
		{"Esc and one letter that begins another key", running, []typed{{0, "\x1bO"}, {time.Second, ""}}, []line.Press{stop}},
		{"Esc and q at once", running, []typed{{0, "\x1bq"}, {time.Second, ""}}, []line.Press{stop, leave}},
		{"Esc and text at once when nothing runs", idle, []typed{{0, "\x1bno"}, {time.Second, ""}}, nil},
		{"Ctrl-C stops", running, []typed{{0, "\x03"}}, []line.Press{stop}},
		{"Ctrl-C within two seconds forces, a third leaves", running, []typed{{0, "\x03"}, {2 * time.Second, "\x03"}, {2 * time.Second, "\x03"}}, []line.Press{stop, force, leave}},
		{"Ctrl-C three times at once", running, []typed{{0, "\x03\x03\x03"}}, []line.Press{stop, force, leave}},
		{"Ctrl-C after more than two seconds is a first one", running, []typed{{0, "\x03"}, {2001 * ms, "\x03"}, {ms, "\x03"}}, []line.Press{stop, stop, force}},
		{"Ctrl-C right behind Esc", running, []typed{{0, "\x1b\x03"}}, []line.Press{stop}},
		{"Ctrl-C when nothing runs leaves", idle, []typed{{0, "\x03"}}, []line.Press{leave}},
		{"q leaves", running, []typed{{0, "q"}}, []line.Press{leave}},
		{"Ctrl-D leaves", idle, []typed{{0, "\x04"}}, []line.Press{leave}},
		{"y, then Enter", withQuestion, []typed{{700 * ms, "y"}, {ms, "\r"}}, []line.Press{line.MarkYes, line.PressYes}},
		{"a, then Enter", withQuestion, []typed{{700 * ms, "A"}, {time.Second, "\n"}}, []line.Press{line.MarkAlways, line.PressAlways}},
		{"n, then Enter", withQuestion, []typed{{700 * ms, "n"}, {ms, "\r"}}, []line.Press{line.MarkNo, line.PressNo}},
		{"y as the question appears", withQuestion, []typed{{0, "y"}, {500 * ms, "\r"}}, nil},
		{"a at 20 ms, a pause, Enter", withQuestion, []typed{{20 * ms, "a"}, {500 * ms, "\r"}}, nil},
		{"y too soon behind another key", withQuestion, []typed{{500 * ms, "x"}, {600 * ms, "y"}, {ms, "\r"}}, nil},
		{"y and Enter at once", withQuestion, []typed{{time.Second, "y\r"}}, nil},
		{"y held down", withQuestion, []typed{{time.Second, "y"}, {30 * ms, "y"}, {30 * ms, "\r"}}, []line.Press{line.MarkYes, line.Unmark}},
		{"y, then another key", withQuestion, []typed{{time.Second, "y"}, {time.Second, "e"}, {time.Second, "\r"}}, []line.Press{line.MarkYes, line.Unmark}},
		{"Enter alone", withQuestion, []typed{{time.Second, "\r"}}, nil},
		{"answers to nothing", running, []typed{{0, "yan"}}, nil},
		{"letters that mean nothing", withQuestion, []typed{{0, "xé1\r\n "}}, nil},
		{"Ctrl-C while it is asked stops", withQuestion, []typed{{0, "\x03"}}, []line.Press{stop}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var keys line.Keys
			var got []line.Press
			at := begin
			for _, typed := range test.typed {
				at = at.Add(typed.after)
				if typed.bytes == "" {
					got = append(got, keys.Lapse(at, test.in)...)
				} else {
					got = append(got, keys.Type([]byte(typed.bytes), at, test.in)...)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestKeys_CtrlCAfterTheTurnEnded_CountsAsTheFirst(t *testing.T) {
	t.Parallel()
	var keys line.Keys
	running, at := line.Situation{Running: true}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := keys.Type([]byte{3}, at, running)
	keys.TurnEnded()
	second := keys.Type([]byte{3}, at.Add(time.Second), running)
	if first[0] != line.PressStop || second[0] != line.PressStop {
		t.Errorf("%v, then %v", first, second)
	}
}

func TestKeys_UnfinishedSequence_IsPending(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[string]bool{"": false, "x": false, "\x1b": true, "\x1b[": true, "\x1b[A": false, "\x1b[1;": true, "\x1bO": true, "\x03": false} {
		var keys line.Keys
		keys.Type([]byte(bytes), time.Now(), line.Situation{Running: true})
		if keys.Pending() != want {
			t.Errorf("%q: %v", bytes, keys.Pending())
		}
	}
}
