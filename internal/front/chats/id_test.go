package chats_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord/internal/front/chats"
)

func TestID_JSON_AcceptsTextAndIntegersAndIsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]chats.ID{
		`"@anna:example.org"`: "@anna:example.org", `"C024BE91L"`: "C024BE91L", `"-1001"`: "-1001", `""`: "",
		`1001`: "1001", `-1002003004005`: "-1002003004005", `0`: "", `null`: "",
	} {
		got := chats.ID("before")
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is %q, %v", text, got, err)
		}
		if out, err := json.Marshal(got); err != nil || string(out) != `"`+string(want)+`"` {
			t.Errorf("%s is written as %s, %v", text, out, err)
		}
	}
	for _, text := range []string{`1.5`, `1e3`, `true`, `{}`, `["1001"]`, `99999999999999999999`} {
		if id := chats.ID(""); json.Unmarshal([]byte(text), &id) == nil {
			t.Errorf("%s is accepted as %q", text, id)
		}
	}
}
