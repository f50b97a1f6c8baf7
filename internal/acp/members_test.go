package acp_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord/internal/acp"
)

func TestMembers_OfAnObject_KeepUnknownMembers(t *testing.T) {
	t.Parallel()
	m := acp.MembersOf(json.RawMessage(`{"known":1,"unknown":{"a":[1,2]},"gone":true}`)).Without("gone")
	m.Set("known", "two")
	if got, want := string(m.JSON()), `{"known":"two","unknown":{"a":[1,2]}}`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func TestMembers_WithoutMembers_HaveNoJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `null`, `{}`, `[1]`, `"text"`, `{"a"`, `{"x":1}`} {
		m := acp.MembersOf(json.RawMessage(text)).Without("x")
		if got := m.JSON(); got != nil {
			t.Errorf("%q: %s", text, got)
		}
		m.Set("y", func() {}) // has no JSON form
		if len(m) != 0 {
			t.Errorf("%q: %v", text, m)
		}
		m.Set("y", 1)
		if got := string(m.JSON()); got != `{"y":1}` {
			t.Errorf("%q: %s", text, got)
		}
	}
}
