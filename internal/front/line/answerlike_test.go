package line_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/front/line"
)

func TestLooksLikeAnswer_LettersAndWords_AreFoundInAnyForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"y", "Y", " y ", "y\n", "\ty.", "yyy", "NNN", "yes", "YES!", "no", "No.", "always", "a", "n", "ok", "[y]", "allow  once", "Allow once", "reject"} {
		if !line.LooksLikeAnswer(text) {
			t.Errorf("%q is not found", text)
		}
	}
	for _, text := range []string{"", " ", "1", "…", "\xff", "\x00", "yes, but use tabs", "no tests, please", "why", "a b", "any", "continue", "/stop", "ya", "ÿ"} {
		if line.LooksLikeAnswer(text) {
			t.Errorf("%q is taken for an answer", text)
		}
	}
}
