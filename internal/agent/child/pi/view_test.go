package pi

import (
	"encoding/json"
	"testing"
)

func TestViewOf_ArgumentsOfFileTools_NamesFilesAndChanges(t *testing.T) {
	t.Setenv("HOME", "/home/anna")
	for _, c := range []struct{ name, args, want string }{
		{"read", `{"path":"a.txt","offset":7}`, `[{"path":"/w/a.txt","line":7}] null`},
		{"read", `{"path":"@/etc/hosts","offset":"7"}`, `[{"path":"/etc/hosts"}] null`},
		{"write", `{"path":"~/b.txt","content":"x"}`, `[{"path":"/home/anna/b.txt"}] null`},
		{"edit", `{"path":"a","oldText":"x","newText":"y"}`, `[{"path":"/w/a"}] [{"change":{"path":"/w/a","old":"x","new":"y"}}]`},
		{"edit", `{"path":"a","edits":"[{\"oldText\":\"x\",\"newText\":\"y\"}]"}`, `[{"path":"/w/a"}] [{"change":{"path":"/w/a","old":"x","new":"y"}}]`},
		{"edit", `{"path":"a","edits":[{"oldText":"x"},7]}`, `[{"path":"/w/a"}] null`},
		{"edit", `{"edits":[]}`, `null null`},
		{"bash", `{"path":"a"}`, `null null`},
		{"read", `[]`, `null null`},
	} {
		at, changes := viewOf(c.name, json.RawMessage(c.args), "/w")
		places, _ := json.Marshal(at)
		shown, _ := json.Marshal(changes)
		if got := string(places) + " " + string(shown); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.args, got, c.want)
		}
	}
}
