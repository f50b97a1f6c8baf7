package acp_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestRetry_Scheduled_IsShownLiveButNotReplayed(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w,
			bellcord.ModelRetryScheduled{Attempt: 1, RetryIn: 5 * time.Second, Reason: "the model is overloaded (busy,\nreally)"},
			bellcord.ModelRetryScheduled{Attempt: 2, RetryIn: 1234 * time.Millisecond})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("go"), "end_turn")
		e.shown(`agent_thought_chunk "The model is overloaded (busy, really); retrying in 5 s.\n"`)
		e.shown(`agent_thought_chunk "The model request failed; retrying in 1.2 s.\n"`)
		from := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
		synctest.Wait()
		if got := strings.Join(e.since(from), "\n"); strings.Contains(got, "retrying") {
			t.Errorf("a pause that is over is shown:\n%s", got)
		}
	})
}

func TestScan_TakesLong_IsShownLiveButNotReplayed(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w, bellcord.FilesScanned{}, bellcord.FilesScanned{Files: 12000, Bytes: 340 << 20}, bellcord.FilesScanned{Files: 12001, Done: true})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("go"), "end_turn")
		e.shown(`agent_thought_chunk "Scanning files for undo.\n"`)
		e.shown(`agent_thought_chunk "Scanning files for undo (12000, 340 MB so far).\n"`)
		from := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
		synctest.Wait()
		if got := strings.Join(e.since(from), "\n"); strings.Contains(got, "Scanning") {
			t.Errorf("a scan that is over is shown:\n%s", got)
		}
	})
}

func TestEncoder_InternalEvents_AreNotShown(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w,
			bellcord.AttachmentLoaded{Link: bellcord.Link{URI: "file:///a"}, Text: "a"},
			bellcord.StepStarted{Model: "fake/one"}, bellcord.UsageReported{Usage: bellcord.Usage{InputTokens: 1}}, bellcord.ThinkingSigned{Signature: []byte(`"s"`)},
			bellcord.SideRequestStarted{Purpose: "title"}, bellcord.SideRequestEnded{Purpose: "title", Usage: bellcord.Usage{InputTokens: 1, Exact: true}})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("go"), "end_turn")
		if got := e.since(0); !reflect.DeepEqual(got, []string{"available_commands_update", "session_info_update go"}) {
			t.Errorf("shown %q", got)
		}
	})
}
