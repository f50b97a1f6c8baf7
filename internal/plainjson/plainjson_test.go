package plainjson_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord/internal/plainjson"
)

func TestText_EscapedForHTML_IsPlainAndEquivalent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ raw, want string }{
		{`{"command":"make \u0026\u0026 ls \u003e out \u003c in"}`, `{"command":"make && ls > out < in"}`},
		{`"\u003C\u003E"`, `"<>"`},
		{`"a \\u0026 b"`, `"a \\u0026 b"`},
		{`"\\\u0026"`, `"\\&"`},
		{`"\u0022\n\u00e9"`, `"\u0022\n\u00e9"`},
		{`{"a":1}`, `{"a":1}`},
		{``, ``},
	} {
		got := plainjson.Text([]byte(test.raw))
		if got != test.want {
			t.Errorf("%s is shown as %s, want %s", test.raw, got, test.want)
		}
		if test.raw == "" {
			continue
		}
		var before, after any
		if err := json.Unmarshal([]byte(test.raw), &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(got), &after); err != nil {
			t.Errorf("%s: %v", got, err)
		}
		if was, is := marshal(t, before), marshal(t, after); was != is {
			t.Errorf("%s means %s, before %s", got, is, was)
		}
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
