//go:build unix

package probe_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/probe"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// agentV2 is a scripted agent that speaks version 2, with one defect. A prompt
// with [slow] runs until it is cancelled or three seconds have passed; every
// other prompt gets one word.
type agentV2 struct {
	defect string
	mu     sync.Mutex
	cancel chan struct{}
}

func serveV2(defect string) {
	a := &agentV2{defect: defect}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var in incoming
		if json.Unmarshal(lines.Bytes(), &in) != nil {
			continue
		}
		switch in.Method {
		case "initialize":
			version := min(in.Params.Version, 2)
			if defect == "selects-v3" {
				version = 3
			}
			a.send(map[string]any{"id": in.ID, "result": map[string]any{"protocolVersion": version, "info": map[string]any{"name": "two", "version": "2"}, "capabilities": map[string]any{"session": map[string]any{}}}})
		case "session/new":
			a.send(map[string]any{"id": in.ID, "result": map[string]any{"sessionId": "s"}})
		case "session/prompt":
			a.cancel = make(chan struct{})
			go a.turn(in, a.cancel)
		case "session/cancel":
			close(a.cancel)
		}
	}
}

func (a *agentV2) turn(in incoming, cancel chan struct{}) {
	inserted := map[string]any{"id": in.ID, "result": map[string]any{"messageId": "u1"}}
	if a.defect != "answers-at-the-end" {
		a.send(inserted)
	}
	a.update(map[string]any{"sessionUpdate": "state_update", "state": "running"})
	word := map[string]any{"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": map[string]any{"type": "text", "text": "word"}}
	a.update(word)
	reason := "end_turn"
	if strings.Contains(in.Params.Prompt[0].Text, "[slow") {
		select {
		case <-cancel:
			if a.defect != "end-turn-after-cancel" {
				reason = "cancelled"
			}
		case <-time.After(3 * time.Second):
		}
	}
	if a.defect != "never-idle" {
		a.update(map[string]any{"sessionUpdate": "state_update", "state": "idle", "stopReason": reason})
	}
	if a.defect == "answers-at-the-end" {
		a.send(inserted)
	}
	if a.defect == "works-after-idle" {
		a.update(word)
	}
}

func (a *agentV2) update(update map[string]any) {
	a.send(map[string]any{"method": "session/update", "params": map[string]any{"sessionId": "s", "update": update}})
}

func (a *agentV2) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	line, _ := json.Marshal(m)
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Printf("%s\n", line)
}

func TestRun_AgentOfVersion2_IsGradedByItsBasics(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for defect, found := range map[string]string{
		"":                      "",
		"selects-v3":            "v2-negotiation",
		"answers-at-the-end":    "v2-turn v2-cancel",
		"never-idle":            "v2-turn v2-cancel",
		"end-turn-after-cancel": "v2-cancel",
		"works-after-idle":      "v2-turn v2-cancel",
	} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			target := faultyAgent(t, probe.ACP, defect)
			target.Env = append(target.Env, "PROBE_TEST_AGENT=acp v2")
			opts := quick
			opts.Only = []string{"v2-negotiation", "v2-turn", "v2-cancel"}
			for check, grade := range grades(t, target, opts) {
				want := probe.Pass
				switch {
				case strings.Contains(found, check):
					want = probe.Fail
				case defect == "selects-v3":
					want = probe.Skip
				}
				if grade != want {
					t.Errorf("%s: %s, want %s", check, grade, want)
				}
			}
		})
	}
}
