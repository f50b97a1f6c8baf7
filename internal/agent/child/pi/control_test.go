package pi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// viewer is a client that keeps the updates it receives.
type viewer struct {
	mu      sync.Mutex
	updates []string
}

func (*viewer) ID() string { return "client" }

func (v *viewer) Update(update json.RawMessage) {
	v.mu.Lock()
	v.updates = append(v.updates, string(update))
	v.mu.Unlock()
}

func (*viewer) Request(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("not expected")
}

func (*viewer) Notify(string, json.RawMessage) {}

func (v *viewer) all() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.updates)
}

// openSettings opens pi's session outside of a turn.
func (s *stage) openSettings(v *viewer) child.Settings {
	s.t.Helper()
	known, err := s.AgentSession(s.t.Context(), s.session.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	settings, err := s.agent.OpenSession(s.t.Context(), s.session, known, v)
	if err != nil {
		s.t.Fatal(err)
	}
	return settings
}

// ask sends a request of the second channel.
func (s *stage) ask(method string, params any) (string, error) {
	s.t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, done := context.WithTimeout(s.t.Context(), most)
	defer done()
	reply, err := s.agent.Request(ctx, s.session.ID, "", method, data)
	return string(reply), err
}

func (s *stage) set(option, value string) map[string]any {
	s.t.Helper()
	reply, err := s.ask(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{SessionID: "client", ConfigID: option, Value: value})
	if err != nil {
		s.t.Fatalf("%s = %s: %v", option, value, err)
	}
	return values(s.t, reply)
}

// values returns the current value of each option, and its possible values under
// the option's category.
func values(t *testing.T, reply string) map[string]any {
	t.Helper()
	var r struct {
		ConfigOptions []struct {
			ID, Category, CurrentValue string
			Options                    []struct{ Value, Name string }
		}
	}
	if err := json.Unmarshal([]byte(reply), &r); err != nil {
		t.Fatalf("%s: %v", reply, err)
	}
	found := map[string]any{}
	for _, o := range r.ConfigOptions {
		var possible []string
		for _, v := range o.Options {
			possible = append(possible, v.Value)
		}
		found[o.ID], found[o.Category+" values"] = o.CurrentValue, strings.Join(possible, " ")
	}
	return found
}

func TestInitialize_Pi_ReportsForkAndSteering(t *testing.T) {
	t.Parallel()
	for flavour, steers := range map[string]bool{"new": true, "old": false} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fakePi(t, flavour))
			reply, err := s.agent.Initialize(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var hello acp.InitializeResponse
			if err := json.Unmarshal(reply, &hello); err != nil || hello.ProtocolVersion != 1 || !hello.AgentCapabilities.PromptCapabilities.Image {
				t.Errorf("%v: %s", err, reply)
			}
			if !strings.Contains(string(reply), `"sessionCapabilities":{"fork":{}}`) || strings.Contains(string(reply), `"steering":{"supported":true}`) != steers {
				t.Errorf("%s", reply)
			}
		})
	}
}

func TestSettings_Pi_AreWhatPiReports(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		now := s.openSettings(&viewer{})
		want := map[string]any{"model": "fake/one", "model values": "fake/one fake/two", "thinking_level": "low", "thought_level values": "off low high"}
		if s.flavour == "old" { // it does not report its thinking levels
			delete(want, "thinking_level")
			delete(want, "thought_level values")
		}
		if got := values(t, string(now.Reply)); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		updates := fmt.Sprintf("%s", now.Updates)
		if updates != `[{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"hello","description":"a template"}]} {"sessionUpdate":"usage_update","used":0,"size":1000,"cost":{"amount":0.25,"currency":"USD"}}]` {
			t.Errorf("%s", updates)
		}
	})
}

func TestSetOption_ModelAndLevel_AreSetAndAppliedAfterARestart(t *testing.T) {
	t.Parallel()
	s := newStage(t, fakePi(t, "new"))
	seen := &viewer{}
	s.openSettings(seen)
	if got := s.set("thinking_level", "high"); got["thinking_level"] != "high" {
		t.Errorf("%v", got)
	}
	if got := s.set("model", "fake/two"); got["model"] != "fake/two" || got["thought_level values"] != "off" {
		t.Errorf("%v", got)
	}
	if updates := strings.Join(seen.all(), "\n"); !strings.Contains(updates, `"currentValue":"high"`) || !strings.Contains(updates, `"currentValue":"fake/two"`) {
		t.Errorf("the client was not notified: %s", updates)
	}
	if turn := s.prompt(bellcord.Prompt{Text: "hello"}); s.end(turn).UsageByModel[0].Model != "fake/two" {
		t.Errorf("%+v", turn.Receipt().UsageByModel)
	}
	s.run("crash")
	before := len(seen.all())
	s.done("hello")
	if updates := seen.all()[before:]; len(updates) == 0 || !strings.Contains(updates[len(updates)-1], `"currentValue":"fake/two"`) || strings.Contains(strings.Join(updates, ""), "null") {
		t.Errorf("after a restart the client saw %s", updates)
	}
	if got := values(t, string(s.openSettings(seen).Reply)); got["model"] != "fake/two" || got["thinking_level"] != "off" {
		t.Errorf("after a restart: %v", got)
	}
}

func TestSetOption_Invalid_IsRejected(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.openSettings(&viewer{})
		for option, value := range map[string]string{"model": "fake/three", "thinking_level": "endless", "mode": "plan"} {
			_, err := s.ask(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{ConfigID: option, Value: value})
			var failure *jsonrpc.Error
			if !errors.As(err, &failure) || failure.Code != jsonrpc.InvalidParams {
				t.Errorf("%s = %s: %v", option, value, err)
			}
		}
		_, err := s.ask(acp.MethodSetMode, acp.SetSessionModeRequest{ModeID: "plan"})
		var failure *jsonrpc.Error
		if !errors.As(err, &failure) || failure.Code != jsonrpc.MethodNotFound {
			t.Errorf("set_mode: %v", err)
		}
	})
}

func TestTurn_Answer_RecordsHowFullTheContextIs(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "hello"})
		s.end(turn)
		want := bellcord.ContextUse{UsedTokens: 10, SizeTokens: 1000, Cost: &bellcord.Money{Amount: 0.25, Currency: "USD"}}
		if got := of[bellcord.UsageReported](s.bodies(turn.ID)); len(got) != 1 || got[0].Context == nil || !reflect.DeepEqual(*got[0].Context, want) {
			t.Errorf("%+v", got)
		}
	})
}

func TestLaw02_StopWithSettingsInParallel_IsNotLost(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.openSettings(&viewer{})
		s.done("warm")
		ctx, done := context.WithCancel(t.Context())
		var busy sync.WaitGroup
		busy.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if _, err := s.ask(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{ConfigID: "model", Value: []string{"fake/one", "fake/two"}[i%2]}); err != nil {
					t.Errorf("request %d: %v", i, err)
					return
				}
			}
		})
		for i := range 20 {
			turn := s.prompt(bellcord.Prompt{Text: "slow"})
			if i%2 == 1 {
				s.await(turn, kind[bellcord.TextDelta])
			}
			s.stop(turn)
		}
		done()
		busy.Wait()
		if s.done("again"); len(s.hosted()) != 1 {
			t.Errorf("pi was started again: %v", s.hosted())
		}
	})
}
