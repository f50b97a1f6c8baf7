package acp_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// messageIDs returns the texts of the agent's messages, by id, and the ids in
// the order of the first chunks.
func messageIDs(frames []frame) (texts map[string]string, order []string) {
	texts = map[string]string{}
	for _, f := range frames {
		if kind := kindOf(f); kind != "agent_message_chunk" && kind != "agent_thought_chunk" {
			continue
		}
		update := f.Params["update"].(obj)
		id, _ := update["messageId"].(string)
		texts[id] += update["content"].(obj)["text"].(string)
		if !slices.Contains(order, id) {
			order = append(order, id)
		}
	}
	return texts, order
}

func TestMessageIDs_BuiltInAgent_AreOfEachStepAndTheSameInAReplay(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w,
			bellcord.StepStarted{Model: "fake/one"},
			bellcord.ThinkingDelta{Text: "hm, "}, bellcord.ThinkingDelta{Text: "so"},
			bellcord.TextDelta{Text: "first "}, bellcord.TextDelta{Text: "answer"},
			bellcord.StepEnded{Finish: bellcord.FinishToolCalls},
			bellcord.StepStarted{Model: "fake/one"},
			bellcord.TextDelta{Text: "second"},
			bellcord.StepEnded{Finish: bellcord.FinishStop})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("go"), "end_turn")
		live, order := messageIDs(e.all())
		if len(order) != 3 || live[order[0]] != "hm, so" || live[order[1]] != "first answer" || live[order[2]] != "second" || live[""] != "" {
			t.Errorf("the messages are %q", live)
		}
		from := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}})
		synctest.Wait()
		if again, _ := messageIDs(e.all()[from:]); !reflect.DeepEqual(again, live) {
			t.Errorf("replayed %q, want %q", again, live)
		}
	})
}

func TestNotices_ClientWithTheCapabilities_GetsNoticesAndCompactions(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w,
			bellcord.ModelRetryScheduled{Attempt: 1, RetryIn: 5 * time.Second, Reason: "the model is overloaded"},
			bellcord.FilesScanned{}, bellcord.FilesScanned{Files: 12000}, bellcord.FilesScanned{Done: true},
			bellcord.ConversationCompacted{Summary: "so far"})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.request("initialize", obj{"protocolVersion": 1, "clientCapabilities": obj{"session": obj{"notices": obj{}, "compaction": obj{}}}})
		e.session = e.request("session/new", obj{"cwd": e.dir, "mcpServers": []any{}}).Result["sessionId"].(string)
		synctest.Wait()
		from := e.count()
		e.ends(e.prompt("go"), "end_turn")
		var notice, compaction bool
		scans := 0
		for _, u := range updatesOf(e.all()[from:]) {
			notice = notice || strings.Contains(u, `"sessionUpdate":"notice"`) && strings.Contains(u, `"title":"The model is overloaded"`)
			compaction = compaction || strings.Contains(u, `"sessionUpdate":"compaction_update"`) && strings.Contains(u, `"text":"so far"`)
			if strings.Contains(u, `"title":"Scanning files for undo`) {
				scans++
			}
			if strings.Contains(u, "agent_thought_chunk") || strings.Contains(u, "agent_message_chunk") {
				t.Errorf("it is also shown as text: %s", u)
			}
		}
		if !notice || !compaction || scans != 1 {
			t.Errorf("notice %v, compaction %v, %d notices of a scan: %s", notice, compaction, scans, updatesOf(e.all()[from:]))
		}
	})
}
