package bellcord_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// ownEvent is an event type of another package.
type ownEvent struct{ bellcord.TextDelta }

func (ownEvent) Kind() string { return "my_progress" }

func TestUnmarshalEvent_UnknownKind_IsWrittenBackUnchanged(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"x":1}`, `{"b":"\u003cb\u003e","a":[1.0,1e400,"\ud800"],"a":null}`, `[]`, `null`, `"text"`} {
		text := `{"session":"s","seq":2,"turn":"t","time":"2026-01-01T00:00:00Z","kind":"brand_new","body":` + body + `}`
		var ev bellcord.Event
		if err := json.Unmarshal([]byte(text), &ev); err != nil {
			t.Fatal(err)
		}
		if u, is := ev.Body.(bellcord.UnknownEvent); !is || u.Kind() != "brand_new" || string(u.Data) != body {
			t.Errorf("read as %T %v", ev.Body, ev.Body)
		}
		if again, err := json.Marshal(ev); err != nil || string(again) != text {
			t.Errorf("written as %s, %v; was %s", again, err, text)
		}
	}
}

func TestDecodeBody_NeitherKindNorJSON_Fails(t *testing.T) {
	t.Parallel()
	for kind, data := range map[string]string{"": "{}", "brand_new": "{", "newer": ""} {
		if body, err := bellcord.DecodeBody(kind, []byte(data)); err == nil {
			t.Errorf("%q %q: decoded as %v", kind, data, body)
		}
	}
}

func TestCheckBody_OnlyEventTypesOfThePackage_AreAllowed(t *testing.T) {
	t.Parallel()
	for _, b := range bellcord.Bodies() {
		if b.Kind() == (bellcord.CustomEvent{}).Kind() {
			continue // it needs a name
		}
		if err := bellcord.CheckBody(b); err != nil {
			t.Error(err)
		}
	}
	for _, data := range []string{"", "{}", "null", `"\u0000"`} {
		if err := bellcord.CheckBody(bellcord.CustomEvent{Name: "x", Data: json.RawMessage(data)}); err != nil {
			t.Error(err)
		}
	}
	long := strings.Repeat("x", 10_000)
	for _, b := range []bellcord.CustomEvent{
		{Data: json.RawMessage("{}")},
		{Name: long},
		{Name: "a\x00"},
		{Name: "a\xff"},
		{Name: "x", Data: json.RawMessage("{")},
		{Name: "x", Data: json.RawMessage("\x00")},
		{Name: "x", Data: json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)},
	} {
		if err := bellcord.CheckBody(b); err == nil {
			t.Errorf("the event %.20q %.20q is allowed", b.Name, b.Data)
		}
	}
	for _, b := range []bellcord.Body{nil, ownEvent{}, &ownEvent{}, (*ownEvent)(nil), &bellcord.TextDelta{}, (*bellcord.TextDelta)(nil), bellcord.UnknownEvent{Name: "text_delta"}} {
		if err := bellcord.CheckBody(b); err == nil {
			t.Errorf("%T is allowed", b)
		}
	}
}
