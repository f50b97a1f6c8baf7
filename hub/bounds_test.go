package hub

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestPrintable_ControlCharacters_EachRunBecomesOneReplacementCharacter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\r\n":            "plain\ttext\r\n",
		strings.Repeat("\x00", 5000): "\uFFFD",
		"a\x00\x01b\x00c":            "a\uFFFDb\uFFFDc",
		"\x1b[31mred\x1b[0m":         "\x1b[31mred\x1b[0m",
		"\x1b\x1b\x1b":               "\uFFFD",
		"größe\x07":                  "größe\uFFFD",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestBounds_LongOutput_KeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	n := bounds{output: 20}
	var recorded strings.Builder
	for _, piece := range []string{"0123456", "789abc", strings.Repeat("x", 100), "ABCDEFGHIJ"} {
		for _, b := range n.addOutput(bellcord.ToolOutputDelta{Call: "c", Text: piece}) {
			recorded.WriteString(b.(bellcord.ToolOutputDelta).Text)
		}
	}
	bodies, err := n.apply(bellcord.ToolCallEnded{Call: "c"})
	if err != nil || len(bodies) != 2 {
		t.Fatalf("%+v %v", bodies, err)
	}
	tail := bodies[0].(bellcord.ToolOutputDelta)
	if recorded.String() != "0123456789" || tail.Omitted != 103 || !strings.HasSuffix(tail.Text, "\nABCDEFGHIJ") || !strings.Contains(tail.Text, "103 bytes omitted") {
		t.Errorf("%q, then %+v", recorded.String(), tail)
	}
	if len(n.outputs) != 0 {
		t.Error("an ended call is remembered")
	}
}

func TestBounds_AgentUpdates_BeyondTheLimitsAreDropped(t *testing.T) {
	t.Parallel()
	var n bounds
	update := func(size int) bellcord.AgentUpdate {
		return bellcord.AgentUpdate{Update: []byte(`"` + strings.Repeat("x", size-2) + `"`)}
	}
	if got, err := n.apply(update(bellcord.MaxAgentUpdate + 1)); len(got) != 0 || err != nil {
		t.Errorf("an update of more than 64 KiB is recorded: %v", err)
	}
	recorded := 0
	for range 20 {
		got, err := n.apply(update(bellcord.MaxAgentUpdate))
		if err != nil {
			t.Fatal(err)
		}
		recorded += len(got)
	}
	if recorded != 16 {
		t.Errorf("%d updates of 64 KiB are recorded, want 16: 1 MiB in a turn", recorded)
	}
}

func TestBounds_CallView_BeyondTheLimitIsReplacedByANote(t *testing.T) {
	t.Parallel()
	var n bounds
	long := bellcord.CallView{Content: []bellcord.CallContent{{Change: &bellcord.Change{Path: "/a", New: strings.Repeat("x", bellcord.MaxArguments)}}}}
	got, err := n.apply(bellcord.ToolCallRequested{Call: "c", CallView: long})
	if err != nil || len(got) != 1 {
		t.Fatalf("%d bodies, %v", len(got), err)
	}
	content := got[0].(bellcord.ToolCallRequested).Content
	if len(content) != 1 || !strings.Contains(string(content[0].Block), "bytes of content omitted") {
		t.Errorf("recorded as %+v", content)
	}
}

func TestBounds_ImportedMessage_KeepsItsTextWithoutUpdatesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	var n bounds
	update := func(size int) json.RawMessage { return []byte(`"` + strings.Repeat("x", size-2) + `"`) }
	for _, c := range []struct {
		name    string
		updates []json.RawMessage
		kept    int
	}{
		{"one fits", []json.RawMessage{update(bellcord.MaxAgentUpdate)}, 1},
		{"one is too long", []json.RawMessage{update(10), update(bellcord.MaxAgentUpdate + 1)}, 0},
		{"they are too many", slices.Repeat([]json.RawMessage{update(bellcord.MaxAgentUpdate)}, 16), 0},
		{"the rest fits", slices.Repeat([]json.RawMessage{update(bellcord.MaxAgentUpdate)}, 15), 15},
	} {
		got, err := n.apply(bellcord.MessageImported{Text: "hi", Updates: c.updates})
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %d bodies, %v", c.name, len(got), err)
		}
		if m := got[0].(bellcord.MessageImported); m.Text != "hi" || len(m.Updates) != c.kept {
			t.Errorf("%s: %d updates are recorded, want %d", c.name, len(m.Updates), c.kept)
		}
	}
}

func TestBounds_ImagesBeyondLimit_AreDroppedWithNote(t *testing.T) {
	t.Parallel()
	image := func(size int) bellcord.Image { return bellcord.Image{Type: "image/png", Data: make([]byte, size)} }
	var n bounds
	bodies, err := n.apply(bellcord.ToolCallEnded{Call: "c", Result: "three", Images: []bellcord.Image{image(5 << 20), image(5 << 20), image(1 << 20)}})
	if err != nil || len(bodies) != 1 {
		t.Fatal(bodies, err)
	}
	ended, _ := bodies[0].(bellcord.ToolCallEnded)
	if len(ended.Images) != 2 || len(ended.Images[1].Data) != 1<<20 || !strings.Contains(ended.Result, "three\n[1 of 3 images omitted: a result can have 8 MiB of images]") {
		t.Errorf("%d images, %q", len(ended.Images), ended.Result)
	}
}
