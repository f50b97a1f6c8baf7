package bellcord_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
)

func TestNewTurnID_IsAUUIDOfVersion7(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 1000 {
		before := time.Now().UnixMilli()
		for _, id := range []string{string(bellcord.NewTurnID()), string(bellcord.NewSessionID())} {
			if !form.MatchString(id) || seen[id] {
				t.Fatalf("made %s", id)
			}
			seen[id] = true
			ms, err := strconv.ParseInt(strings.ReplaceAll(id, "-", "")[:12], 16, 64)
			if err != nil || ms < before || ms > time.Now().UnixMilli() {
				t.Errorf("%s is of %d, made at %d", id, ms, before)
			}
		}
	}
}

func TestNewTurnID_LaterIDs_SortLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ids []bellcord.TurnID
		for range 100 {
			ids = append(ids, bellcord.NewTurnID())
			<-time.After(time.Millisecond)
		}
		if !slices.IsSorted(ids) {
			t.Errorf("made in this order: %v", ids)
		}
	})
}

func TestParseTurnID_AnyUUID_IsAcceptedInOneSpelling(t *testing.T) {
	t.Parallel()
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	tests := []struct{ name, in, want string }{
		{"ours", id, id},
		{"in capitals", strings.ToUpper(id), id},
		{"of another version", "F47AC10B-58cc-4372-a567-0e02b2c3d479", "f47ac10b-58cc-4372-a567-0e02b2c3d479"},
		{"nil", "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"},
		{"empty", "", ""},
		{"without its dashes", strings.ReplaceAll(id, "-", ""), ""},
		{"in braces", "{" + id + "}", ""},
		{"as a URN", "urn:uuid:" + id, ""},
		{"with space around it", " " + id, ""},
		{"with a dash too early", "01890a5-dac96-774b-bcce-b302099a8057", ""},
		{"with a letter that is no digit", "g1890a5d-ac96-774b-bcce-b302099a8057", ""},
		{"with a letter that only looks small in capitals", "\u212a1890a5d-ac96-774b-bcce-b302099a805", ""},
		{"too long", id + "0", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := bellcord.ParseTurnID(test.in)
			if string(got) != test.want || (test.want == "") != errors.Is(err, bellcord.ErrBadID) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestParseTurnID_GeneratedID_IsAccepted(t *testing.T) {
	t.Parallel()
	id := bellcord.NewTurnID()
	if got, err := bellcord.ParseTurnID(string(id)); err != nil || got != id {
		t.Errorf("%s became %s, %v", id, got, err)
	}
}

func TestEvent_JSON_IsOneFlatObject(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	tests := []struct {
		turn bellcord.TurnID
		body bellcord.Body
		want string
	}{
		{"t", bellcord.TextDelta{Text: "a\nb"}, `{"session":"s","seq":7,"turn":"t","time":"2026-01-02T03:04:05.000006Z","kind":"text_delta","body":{"text":"a\nb"}}`},
		{"", bellcord.SessionUpdated{Mode: "full"}, `{"session":"s","seq":7,"time":"2026-01-02T03:04:05.000006Z","kind":"session_updated","body":{"mode":"full"}}`},
		{"t", bellcord.TurnStarted{}, `{"session":"s","seq":7,"turn":"t","time":"2026-01-02T03:04:05.000006Z","kind":"turn_started","body":{}}`},
		{"t", bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "hi"}}, `{"session":"s","seq":7,"turn":"t","time":"2026-01-02T03:04:05.000006Z","kind":"turn_accepted","body":{"text":"hi"}}`},
		{"t", bellcord.ToolCallRequested{Call: "c", Name: "shell", Arguments: json.RawMessage(`{}`)}, `{"session":"s","seq":7,"turn":"t","time":"2026-01-02T03:04:05.000006Z","kind":"tool_call_requested","body":{"call":"c","name":"shell","arguments":{}}}`},
	}
	for _, test := range tests {
		got, err := json.Marshal(bellcord.Event{Session: "s", Seq: 7, Turn: test.turn, Time: at, Body: test.body})
		if err != nil || string(got) != test.want {
			t.Errorf("%s, %v; want %s", got, err, test.want)
		}
		var parts struct {
			Kind string
			Body json.RawMessage
		}
		if err := json.Unmarshal(got, &parts); err != nil {
			t.Fatal(err)
		}
		if back, err := bellcord.DecodeBody(parts.Kind, parts.Body); err != nil || !reflect.DeepEqual(back, test.body) {
			t.Errorf("came back as %+v, %v", back, err)
		}
	}
}

// Stored ids were made this way: the result must not change.
func TestTurnIDFromText_SameText_GivesTheSameIDForever(t *testing.T) {
	t.Parallel()
	id := bellcord.NamedID("telegram 1 42")
	if id != "79e429d2-154b-8f71-bad9-1ecafd21ade4" || id == bellcord.NamedID("telegram 1 43") {
		t.Errorf("it is %s", id)
	}
	if _, err := bellcord.ParseTurnID(id); err != nil {
		t.Error(err)
	}
}
