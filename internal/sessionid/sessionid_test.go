package sessionid_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sessionid"
)

var ids = []bellcord.SessionID{
	"01a1e14a-0001-7000-8000-00000a2507a5",
	"01a1e14a-0002-7000-8000-00000a25beef",
	"01a1e14b-0003-7000-8000-0000beef07a5",
}

func TestResolve_PrefixOrSuffix_FindsTheID(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bellcord.SessionID{
		string(ids[1]):  ids[1],
		"01a1e14b":      ids[2],
		"01A1E14A-0001": ids[0],
		"0a2507a5":      ids[0],
		"…ef07a5":       ids[2],
		"\t0a25beef\n":  ids[1],
	} {
		if got, err := sessionid.Resolve(word, ids); got != want || err != nil {
			t.Errorf("Resolve(%q) = %q, %v; want %q", word, got, err, want)
		}
	}
}

func TestResolve_NoOrSeveralMatches_IsAnError(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"ffff":   "no such session: no id begins or ends with ffff",
		"":       `no such session: no id begins or ends with ""`,
		"01a1e1": "01a1e1 is ambiguous: 3 ids begin or end with it",
		"07a5":   "07a5 is ambiguous: 2 ids begin or end with it",
	} {
		if got, err := sessionid.Resolve(word, ids); got != "" || err == nil || err.Error() != want {
			t.Errorf("Resolve(%q) = %q, %v; want %s", word, got, err, want)
		}
	}
	if _, err := sessionid.Resolve("ffff", ids); !errors.Is(err, bellcord.ErrNoSession) {
		t.Errorf("%v is no ErrNoSession", err)
	}
}

func TestShort_LongID_ReturnsItsEnd(t *testing.T) {
	t.Parallel()
	if got := sessionid.Short(ids[0]); got != "…0a2507a5" {
		t.Errorf("got %q", got)
	}
	if got := sessionid.Short("s"); got != "s" {
		t.Errorf("got %q", got)
	}
}
