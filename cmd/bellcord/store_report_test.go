package main

import (
	"bytes"
	"testing"

	"github.com/bellcord/bellcord/store/storecheck"
)

func TestPrintReport_Counts_HaveTheFormForTheirNumber(t *testing.T) {
	t.Parallel()
	for want, report := range map[string]storecheck.Report{
		"1 session, 1 turn, 1 event, 1 hash verified\nok\n":      {Sessions: 1, Turns: 1, Events: 1, Chained: 1},
		"2 sessions, 3 turns, 9 events, 9 hashes verified\nok\n": {Sessions: 2, Turns: 3, Events: 9, Chained: 9},
		"0 sessions, 0 turns, 0 events, 0 hashes verified\nok\n": {},
		"1 session, 2 turns, 14 events, 0 hashes verified\nok\n": {Sessions: 1, Turns: 2, Events: 14},
	} {
		var out bytes.Buffer
		if err := printReport(&out, &report, false); err != nil || out.String() != want {
			t.Errorf("%+v is printed as %q, error %v; want %q", report, out.String(), err, want)
		}
	}
}
