package main

import (
	"strings"
	"testing"
)

func TestPrintBoth_SeveralRuns_PrintsMediansAndRatio(t *testing.T) {
	t.Parallel()
	run := func(p50, rate string) string {
		return "events of 200 bytes\n  a stop   p50 " + p50 + "  n 10\n  hub " + rate + " events\nno figure\n"
	}
	renamed := func(word, figure string) string { return word + " " + figure + "\n" }
	var out strings.Builder
	printBoth(&out,
		[]string{run("1.5ms", "100") + renamed("kept", "1"), run("900µs", "300") + renamed("kept", "3"), run("2s", "200") + renamed("kept", "2")},
		[]string{run("3ms", "90") + renamed("held", "4"), run("1ms", "110") + renamed("held", "4"), run("4ms", "100") + renamed("held", "5") + "in one run 5\n"})
	want := `before events of 200 bytes
after  events of 200 bytes
before a stop p50 1.5ms n 10
after  a stop p50 3ms n 10   x2.00
before hub 200 events
after  hub 100 events   x0.50
only before kept 2
only after  held 4
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}
