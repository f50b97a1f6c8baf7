package pi_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

var breaths = flag.Int("n", 10, "stops in the same breath as the prompt, for each version of pi")

// real is a stage with an installed pi and a fake model.
type real struct {
	*stage
	model *fakemodel.Server
}

// eachPi runs a test with every version of pi that peers/agents/install
// installs.
func eachPi(t *testing.T, play func(t *testing.T, s *real)) {
	t.Helper()
	agents := os.Getenv("BELLCORD_AGENTS")
	if agents == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("BELLCORD_AGENTS is not set: CI has to run the real pi")
		}
		t.Skip("BELLCORD_AGENTS is not set: peers/agents/install pi-1.5.0 pi-0.74.2 prints what to set it to")
	}
	for _, version := range []string{"pi-1.5.0", "pi-0.74.2"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := &real{model: fakemodel.New(fakemodel.WithLenience())}
			running, url, err := s.model.Listen("")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = running.Close() })
			s.stage = newStage(t, definition(t, filepath.Join(agents, "bin", version), url))
			s.flavour = map[string]string{"pi-1.5.0": "new", "pi-0.74.2": "old"}[version]
			play(t, s)
		})
	}
}

func definition(t *testing.T, command, url string) child.Definition {
	t.Helper()
	dir := t.TempDir()
	models := fmt.Sprintf(`{"providers":{"fake":{"baseUrl":%q,"api":"openai-completions","apiKey":"none",
		"compat":{"supportsDeveloperRole":false,"supportsReasoningEffort":false},
		"models":[{"id":"one","name":"One","reasoning":false,"input":["text","image"],"contextWindow":128000,"maxTokens":4096,
		"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}},
		{"id":"two","name":"Two","reasoning":true,"input":["text"],"contextWindow":50000,"maxTokens":4096,
		"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}}]}}}`, url)
	write(t, filepath.Join(dir, "agent", "models.json"), models)
	write(t, filepath.Join(dir, "agent", "settings.json"), `{"images":{"autoResize":false}}`) // 1.5.0 would need another package to resize images
	write(t, filepath.Join(dir, "agent", "prompts", "hello.md"), "EXPANDED TEMPLATE $@")
	return child.Definition{
		Name: "pi",
		Command: []string{
			command, "--mode", "rpc", "--provider", "fake", "--model", "one", "--session-dir", filepath.Join(dir, "sessions"),
			"--no-extensions", "--no-skills", "--no-themes", "--no-context-files",
		},
		Env: []string{"HOME=" + dir, "PI_CODING_AGENT_DIR=" + filepath.Join(dir, "agent"), "PI_OFFLINE=1", "PI_TELEMETRY=0", "PI_SKIP_VERSION_CHECK=1"},
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lastRequest returns the body of the last model request.
func (s *real) lastRequest() string {
	s.t.Helper()
	all := s.model.Requests()
	if len(all) == 0 {
		s.t.Fatal("the model was not asked")
	}
	return string(all[len(all)-1].Raw)
}

// left waits until no model request is open.
func (s *real) left() {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), most)
	defer done()
	err := s.model.Wait(ctx, func(all []fakemodel.Request) bool {
		for _, r := range all {
			if r.Finished.IsZero() && r.Aborted.IsZero() && r.Rejected == "" {
				return false
			}
		}
		return true
	})
	if err != nil {
		s.t.Errorf("a request survives: %v", err)
	}
}

// living returns the processes with a word in their command line.
func living(t *testing.T, word string) (found []string) {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("no process table to look into")
	}
	for _, d := range dirs {
		line, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline")
		if bytes.Contains(line, []byte(word)) {
			found = append(found, d.Name()+" "+string(line))
		}
	}
	return found
}

func TestRealPi_Answer_ReportsTextAndUsage(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		turn := s.prompt(bellcord.Prompt{Text: "[think 3] [say Hello there.] [usage 100 10]"})
		r := s.end(turn)
		if text := textOf(s.bodies(turn.ID)); r.End != bellcord.EndDone || text != "Hello there." {
			t.Errorf("%s %s: %q", r.End, r.Error, text)
		}
		// Pi may report the usage several times, and send the text in several parts.
		kinds := strings.ReplaceAll(s.kinds(turn.ID), "usage_reported ", "")
		for strings.Contains(kinds, "text_delta text_delta") {
			kinds = strings.ReplaceAll(kinds, "text_delta text_delta", "text_delta")
		}
		if !strings.HasPrefix(kinds, "turn_accepted turn_started agent_session_opened step_started") || !strings.Contains(kinds, "thinking_delta text_delta step_ended turn_ended") {
			t.Errorf("%s", s.kinds(turn.ID))
		}
		if want := (bellcord.Usage{InputTokens: 100, OutputTokens: 10, CostNanoUSD: 120_000, Exact: true}); r.Usage != want || r.UsageByModel[0].Model != "fake/one" {
			t.Errorf("%+v, %+v", r.Usage, r.UsageByModel)
		}
	})
}

func TestRealPi_SecondTurn_KeepsProcessAndConversation(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.done("the first words")
		s.done("the second words")
		if raw := s.lastRequest(); !strings.Contains(raw, "the first words") || len(s.hosted()) != 1 {
			t.Errorf("%v: %s", s.hosted(), raw)
		}
	})
}

func TestLaw02_RealPiStoppedRightAfterPrompt_LosesNoStop(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.done("warm")
		for i := range *breaths {
			turn := s.prompt(bellcord.Prompt{Text: fmt.Sprintf("[slow 1000 20ms] %d", i)})
			if i%2 == 1 { // after the turn has started, instead of right after the prompt
				s.await(turn, kind[bellcord.TurnStarted])
			}
			s.stop(turn)
		}
		s.left()
		s.done("again")
		if len(s.hosted()) != 1 {
			t.Errorf("pi was started again: %v", s.hosted())
		}
	})
}

func TestLaw23_RealPiStoppedDuringText_KeepsTextSoFar(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		turn := s.prompt(bellcord.Prompt{Text: "[slow 1000 10ms]"})
		s.await(turn, kind[bellcord.TextDelta])
		r := s.stop(turn)
		text := textOf(s.bodies(turn.ID))
		if text == "" || r.Usage.Exact || r.Usage.InputTokens == 0 || r.Usage.OutputTokens == 0 {
			t.Errorf("%q, %+v", text, r.Usage)
		}
		s.left()
		s.done("go on")
		if raw := s.lastRequest(); !strings.Contains(raw, strings.Fields(text)[0]) || !strings.Contains(raw, "Your answer so far") {
			t.Errorf("pi was not told what it had said: %s", raw)
		}
	})
}

func TestLaw15_RealPiStoppedDuringTool_LeavesNoProcess(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		token := fmt.Sprintf("98764.%d", time.Now().UnixNano())
		turn := s.prompt(bellcord.Prompt{Text: `[tool bash {"command":"echo begun; (setsid sleep ` + token + ` &); sleep ` + token + `"}]`})
		s.await(turn, kind[bellcord.ToolOutputDelta])
		r := s.stop(turn)
		if found := living(t, token); len(found) > 0 || len(r.Calls.Stopped) != 1 {
			t.Errorf("%q; %+v", found, r.Calls)
		}
		ends := of[bellcord.ToolCallEnded](s.bodies(turn.ID))
		if len(ends) != 1 || ends[0].Outcome != bellcord.CallStopped || !strings.Contains(ends[0].Result, "begun") {
			t.Errorf("%+v", ends)
		}
		s.done("after it")
		if len(s.hosted()) != 1 {
			t.Errorf("pi was started again: %v", s.hosted())
		}
	})
}

func TestLaw11_RealPiStoppedBeforeRetry_IsNotAFailure(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		turn := s.prompt(bellcord.Prompt{Text: "[status 503]"})
		s.await(turn, kind[bellcord.ModelRetryScheduled])
		before := len(s.model.Requests())
		if r := s.stop(turn); len(r.Processes.Ended) > 0 { // after a response that took too long
			t.Errorf("pi was ended: %+v", r.Processes)
		}
		s.done("still there") // a stop that had waited for the retry would have one request more
		if n := len(s.model.Requests()); n != before+1 || len(s.hosted()) != 1 {
			t.Errorf("%d requests after %d; %v", n, before, s.hosted())
		}
	})
}

func TestRealPi_RetrySucceeds_Answers(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		turn := s.prompt(bellcord.Prompt{Text: "[status 503 times 1] [say Here I am.]"})
		r := s.end(turn)
		if text := textOf(s.bodies(turn.ID)); r.End != bellcord.EndDone || text != "Here I am." {
			t.Errorf("%s %s: %q; %s", r.End, r.Error, text, s.kinds(turn.ID))
		}
	})
}

func TestRealPi_RequestFails_ReportsReason(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		if r := s.run("[status 400]"); r.End != bellcord.EndFailed || !strings.Contains(r.Error, "400") {
			t.Errorf("%s: %q", r.End, r.Error)
		}
		s.done("fine again")
	})
}

func TestRealPi_PromptWithSlash_IsACommandOfPiOrText(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.done("/hello world")
		if raw := s.lastRequest(); !strings.Contains(raw, "EXPANDED TEMPLATE world") {
			t.Errorf("%s", raw)
		}
		s.done("/etc/hosts is a file")
		if raw := s.lastRequest(); !strings.Contains(raw, `"/etc/hosts is a file"`) {
			t.Errorf("%s", raw)
		}
	})
}

func TestRealPi_CommandAfterStop_IsACommand(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		turn := s.prompt(bellcord.Prompt{Text: "[slow 1000 10ms]"})
		s.await(turn, kind[bellcord.TextDelta])
		s.stop(turn)
		s.done("/hello again")
		if raw := s.lastRequest(); !strings.Contains(raw, `"EXPANDED TEMPLATE again"`) {
			t.Errorf("%s", raw)
		}
	})
}

func TestRealPi_PromptWithImage_SendsItToTheModel(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.end(s.prompt(bellcord.Prompt{Text: "look", Images: []bellcord.Image{{Type: "image/png", Data: onePixel(t)}}}))
		if raw := s.lastRequest(); !strings.Contains(raw, "data:image/png;base64,iVBOR") {
			t.Errorf("%s", raw)
		}
	})
}

// onePixel returns a valid picture.
func onePixel(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRealPi_NewProcess_ResumesSession(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.done("remember the heron")
		s.agent.End(s.session.ID)
		s.done("what was it")
		if raw := s.lastRequest(); !strings.Contains(raw, "heron") || len(s.hosted()) != 1 {
			t.Errorf("%v: %s", s.hosted(), raw)
		}
	})
}

func TestRealPi_AfterClear_StartsNewSession(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.done("remember the heron")
		turn := s.prompt(bellcord.Prompt{Text: "[slow 1000 10ms]"})
		s.await(turn, kind[bellcord.TextDelta])
		if _, err := s.Clear(s.session.ID, bellcord.Cause{Kind: bellcord.CausePerson}); err != nil {
			t.Fatal(err)
		}
		if r := s.end(turn); r.End != bellcord.EndStopped {
			t.Errorf("%s", r.End)
		}
		s.done("what was it")
		if raw := s.lastRequest(); strings.Contains(raw, "heron") || len(s.hosted()) != 2 {
			t.Errorf("%v: %s", s.hosted(), raw)
		}
		s.left()
	})
}
