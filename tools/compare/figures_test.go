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
	var out strings.Builder
	printBoth(&out,
		[]string{run("1.5ms", "100"), run("900µs", "300"), run("2s", "200")},
		[]string{run("3ms", "90"), run("1ms", "110"), run("4ms", "100"), "only here 5\n"}[:3])
	want := `before events of 200 bytes
after  events of 200 bytes
before   a stop   p50 1.5ms  n 10
after    a stop   p50 3ms  n 10   x2.00
before   hub 200 events
after    hub 100 events   x0.50
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}
