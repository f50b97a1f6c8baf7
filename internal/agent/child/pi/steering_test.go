package pi_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

func steeringParams(text string) acp.PromptRequest {
	return acp.PromptRequest{SessionID: "client", Prompt: []acp.ContentBlock{acp.Text(text)}}
}

func TestSteering_DuringARun_ReachesIt(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"receives it": "waitingsteered: to the left",
		"misses it":   "waitingyou said: to the left",
	} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fakePi(t, "new"))
			turn := s.prompt(bellcord.Prompt{Text: prompt})
			s.await(turn, kind[bellcord.TextDelta])
			if reply, err := s.ask(acp.UnstableSteering, steeringParams("to the left")); err != nil || reply != `{"outcome":"injected"}` {
				t.Errorf("%s, %v", reply, err)
			}
			if r := s.end(turn); r.End != bellcord.EndDone || textOf(s.bodies(turn.ID)) != want {
				t.Errorf("%s %s %q", r.End, r.Error, textOf(s.bodies(turn.ID)))
			}
			if text := s.done("next"); text != "you said: next" {
				t.Errorf("the message was kept for the next prompt: %q", text)
			}
		})
	}
}

func TestSteering_WithoutARun_RequiresAPrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t, fakePi(t, "new"))
	s.done("warm")
	if reply, err := s.ask(acp.UnstableSteering, steeringParams("to the left")); err != nil || reply != `{"outcome":"promptRequired","reason":"noRunningTurn"}` {
		t.Errorf("%s, %v", reply, err)
	}
	if text := s.done("next"); text != "you said: next" {
		t.Errorf("%q", text)
	}
}

func TestLaw19_StopAfterSteering_DropsTheMessage(t *testing.T) {
	t.Parallel()
	s := newStage(t, fakePi(t, "new"))
	for i := range 10 {
		turn := s.prompt(bellcord.Prompt{Text: "slow"})
		if i%2 == 0 {
			s.await(turn, kind[bellcord.TextDelta])
		}
		var requests sync.WaitGroup
		requests.Go(func() {
			if reply, err := s.ask(acp.UnstableSteering, steeringParams("to the left")); i > 0 && (err != nil || !strings.Contains(reply, "outcome")) {
				t.Errorf("%s, %v", reply, err)
			}
		})
		if i%4 < 2 {
			<-time.After(time.Duration(i) * time.Millisecond)
		}
		s.stop(turn)
		requests.Wait()
	}
	if text := s.done("next"); strings.Contains(text, "to the left") || len(s.hosted()) != 1 {
		t.Errorf("%q in %v", text, s.hosted())
	}
}

func TestSteering_OldVersion_IsNotOffered(t *testing.T) {
	t.Parallel()
	s := newStage(t, fakePi(t, "old"))
	s.done("warm")
	var failure *jsonrpc.Error
	if _, err := s.ask(acp.UnstableSteering, steeringParams("to the left")); !errors.As(err, &failure) || failure.Code != jsonrpc.MethodNotFound {
		t.Errorf("%v", err)
	}
}

func TestSteering_OtherBlocks_AreComposedAsInAPrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t, fakePi(t, "new"))
	turn := s.prompt(bellcord.Prompt{Text: "receives it"})
	s.await(turn, kind[bellcord.TextDelta])
	params := steeringParams("look")
	params.Prompt = append(params.Prompt, acp.Image("image/png", "AQ=="), acp.Link("b.go", "file:///b.go"))
	if reply, err := s.ask(acp.UnstableSteering, params); err != nil || reply != `{"outcome":"injected"}` {
		t.Errorf("%s, %v", reply, err)
	}
	if r := s.end(turn); r.End != bellcord.EndDone || textOf(s.bodies(turn.ID)) != "waitingsteered: look\n[image 1]\n[b.go](file:///b.go)" {
		t.Errorf("%s %s %q", r.End, r.Error, textOf(s.bodies(turn.ID)))
	}
	params.Prompt = []acp.ContentBlock{{Type: "audio", MimeType: "audio/wav"}}
	if _, err := s.ask(acp.UnstableSteering, params); err == nil || !strings.Contains(err.Error(), `unsupported content type "audio"`) {
		t.Errorf("audio: %v", err)
	}
}
