package drive

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func TestLost_FindingsBothWays_ReportsWhatIsMissing(t *testing.T) {
	t.Parallel()
	two := Finding{State: Present, Items: []string{"a", "b"}}
	for _, test := range []struct {
		name         string
		Bare, Behind Finding
		what         string
		missing      []string
	}{
		{"absent both ways", no("no"), no("no"), "", nil},
		{"gained", none("not offered"), yes("seen"), "", nil},
		{"kept", yes("seen"), yes("seen otherwise"), "", nil},
		{"gone", yes("seen"), no("nothing"), "absent: nothing", nil},
		{"gone with its parts", two, none("not offered"), "not offered: not offered", []string{"a", "b"}},
		{"a part is gone", two, Finding{State: Present, Items: []string{"c", "a"}}, "1 of 2 missing: b", []string{"b"}},
		{"more parts", two, Finding{State: Present, Items: []string{"a", "b", "c"}}, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			what, missing := Lost(test.Bare, test.Behind)
			if what != test.what || !slices.Equal(missing, test.missing) {
				t.Errorf("lost is %q, %q; want %q, %q", what, missing, test.what, test.missing)
			}
		})
	}
}

func TestExcused_PartsOfAnException_ExcuseOnlyThem(t *testing.T) {
	t.Parallel()
	if Excused("rawOutput", "kimi", []string{"shell"}) == "" {
		t.Error("the listed part is not excused")
	}
	for _, missing := range [][]string{{"shell", "read"}, nil} {
		if Excused("rawOutput", "kimi", missing) != "" {
			t.Errorf("%q is excused", missing)
		}
	}
	if Excused("_meta of updates", "qwen", []string{"tool_call._meta.timestamp"}) == "" || Excused("_meta of updates", "qwen", []string{"tool_call._meta.toolName"}) != "" {
		t.Error("a second exception for a feature does not count, or excuses too much")
	}
	if Excused("rawOutput", "claude", []string{"shell"}) != "" {
		t.Error("another agent is excused")
	}
	if Excused("terminals of the editor", "claude", nil) == "" {
		t.Error("an exception for every agent does not count")
	}
}

func TestExceptions_EachFeature_IsARowOfTheTable(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, p := range probes() {
		if rows[p.name] {
			t.Errorf("two rows %q", p.name)
		}
		rows[p.name] = true
	}
	for _, e := range Exceptions {
		if !rows[e.Feature] || e.Reason == "" {
			t.Errorf("exception %q has no row or no reason", e.Feature)
		}
	}
}

func received(t *testing.T, line string) frame {
	t.Helper()
	f := frame{raw: []byte(line)}
	if err := json.Unmarshal(f.raw, &f.body); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOpenCalls_StatusesOfATurn_ReturnsThoseThatAreNotFinal(t *testing.T) {
	t.Parallel()
	update := func(body string) frame {
		return received(t, `{"method":"session/update","params":{"update":`+body+`}}`)
	}
	open := openCalls([]frame{
		update(`{"sessionUpdate":"tool_call","toolCallId":"a","status":"pending"}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"b"}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"c","status":"in_progress"}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"a","title":"later"}`),
		update(`{"sessionUpdate":"agent_message_chunk"}`),
	})
	slices.Sort(open)
	if !slices.Equal(open, []string{"b ", "c in_progress"}) {
		t.Errorf("open calls: %q", open)
	}
}

func TestCommandOutput_OutputInSeveralUpdates_IsFound(t *testing.T) {
	t.Parallel()
	look := func(lines ...string) State {
		s := &stage{name: "shell"}
		for _, line := range lines {
			s.frames = append(s.frames, received(t, `{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update",`+line+`}}}`))
		}
		return commandOutput(&Visit{stages: map[string]*stage{"shell": s}}).State
	}
	if look(`"_meta":{"terminal_output":{"data":"OUTPUT-OF-THE-COMMAND\n"}}`, `"_meta":{"terminal_output":{"data":"second line\n"}}`) != Present {
		t.Error("output in two updates is not found")
	}
	if look(`"content":[{"type":"content","content":{"type":"text","text":"echo OUTPUT-OF-THE-COMMAND | tee ran; echo second line"}}]`) != Absent {
		t.Error("the command counts as its output")
	}
}

func TestMetaMembers_NestedObjects_ReturnsPathsOfAllMeta(t *testing.T) {
	t.Parallel()
	var v any
	if err := json.Unmarshal([]byte(`{"_meta":{"a":1},"list":[{"_meta":{"b":{"_meta":{"c":1}}}}]}`), &v); err != nil {
		t.Fatal(err)
	}
	if got := metaMembers(v, "x"); !slices.Equal(got, []string{"x._meta.a", "x.list._meta.b"}) {
		t.Errorf("members: %q", got)
	}
}

func TestUntilNextMinute_TimesOfALoad_ReturnsTheRestOfTheMinute(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 17, 8, 4, 15, 0, time.UTC)
	for now, want := range map[time.Time]time.Duration{
		made.Add(5 * time.Second):  40 * time.Second,
		made.Add(45 * time.Second): 0,
		made.Add(time.Hour):        0,
	} {
		if got := untilNextMinute(made, now); got != want {
			t.Errorf("at %s: %s, want %s", now, got, want)
		}
	}
}
