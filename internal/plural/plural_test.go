package plural_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/plural"
)

func TestCount_NumberAndNoun_HasTheFormForTheNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "session", "0 sessions"},
		{1, "session", "1 session"},
		{2, "session", "2 sessions"},
		{1, "process", "1 process"},
		{3, "process", "3 processes"},
		{1, "hash", "1 hash"},
		{7, "hash", "7 hashes"},
		{2, "match", "2 matches"},
	} {
		if got := plural.Count(test.n, test.noun); got != test.want {
			t.Errorf("Count(%d, %q) is %q, want %q", test.n, test.noun, got, test.want)
		}
	}
}
