package visible_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/visible"
)

func TestText_DeceptiveCharacters_AreVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rm -rf build\n\tgo":        "rm -rf build\n\tgo",
		"\x1b[8mhidden\x1b[0m\x00":  "␛[8mhidden␛[0m␀",
		"echo \u202e}fr- mr{\u202c": "echo \ufffd}fr- mr{\ufffd",
		"rm\u200b a\u00ad\ufeff":    "rm\ufffd a\ufffd\ufffd",
		"rm\u3164a\uffa0\u115f":     "rm\ufffda\ufffd\ufffd",
		"tag\U000e0041":             "tag\ufffd",
		"line\u2028next\u009b":      "line\ufffdnext\ufffd",
		"r\u200dm":                  "r\ufffdm",
		"é\u200dm":                  "é\ufffdm",
		"é\u200d\u200dé":            "é\ufffd\ufffdé",
		"👩\u200d👩\u200d👧 می\u200cخواهم": "👩\u200d👩\u200d👧 می\u200cخواهم",
		"not \xff valid": "not \xff valid",
		"한국어 été 日本":     "한국어 été 日本",
		"👩\u200d":        "👩\u200d",
	} {
		if got := visible.Text(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
