package chat_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestFinished_NewSession_BeginsWithTheHeader(t *testing.T) {
	t.Parallel()
	options := chat.Options{Version: "0.2", Session: bellcord.Session{Model: "fake/fake", Mode: "ask", Dir: "/work/here"}, Now: noon, Place: func(string) string { return "~/shop (main)" }}
	m := chat.New(options)
	want := "Bellcord 0.2 · fake/fake (no AI, repeats you) · ask · ~/shop (main)\nAsk something: \"explain this repository\". @ adds a file, / commands, ? help."
	if got := ansi.Strip(strings.Join(m.Finished(100), "\n")); got != want {
		t.Errorf("it is %q", got)
	}
	options.Session.ID = "s"
	m = chat.New(options)
	m.CaughtUp()
	if got := ansi.Strip(strings.Join(m.Finished(100), "\n")); strings.Contains(got, "Ask something") || !strings.Contains(got, "Bellcord 0.2") {
		t.Errorf("of a session that is continued it is %q", got)
	}
}

func TestFooter_ByState_ShowsKeysOrSettings(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Window: func(string) int64 { return 1000 }})
	s.has("  enter send · alt+enter new line · ctrl+p sessions" + strings.Repeat(" ", 34) + "ctx 0% · $0.00\n")
	s.runs("go").happens(bellcord.StepStarted{Model: "openai/fake", EstimatedInput: 310, Price: &bellcord.Price{Input: 1e6}})
	s.has("  enter queues" + strings.Repeat(" ", 78) + "ctx 31%\n")
	s.happens(bellcord.StepEnded{Usage: &bellcord.Usage{InputTokens: 40, Exact: true}})
	s.ends(bellcord.Receipt{End: bellcord.EndDone, Usage: bellcord.Usage{InputTokens: 40, CostNanoUSD: 80_000_000, Exact: true}})
	s.has("  openai/fake · ask · /work/here", "ctx 4% · $0.08\n")
	s.types("/").hasNot("openai/fake · ask")
	s.press("esc")
	s.has("  openai/fake · ask")
	s.press("ctrl+r")
	s.hasNot("openai/fake · ask")
}

func TestFooter_NarrowWindow_ShortensThePathAndThenDisappears(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Place: func(string) string { return "~/a/very/long/path/to/the/shop (main)" }}).runs("go").ends(bellcord.Receipt{End: bellcord.EndDone})
	if got := s.screen(44, 20); !strings.Contains(got, "  openai/fake · ask · …h/to/the/shop (main)\n") {
		t.Errorf("it is\n%s", got)
	}
	if got := s.screen(39, 20); strings.Contains(got, "openai/fake") {
		t.Errorf("it is\n%s", got)
	}
}

func TestFooter_Cost_IsTheSumOfAllTurns(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").ends(bellcord.Receipt{End: bellcord.EndDone, Usage: bellcord.Usage{CostNanoUSD: 20_000_000, Exact: true}})
	s.has(" $0.02\n")
	s.of("t2").runs("more").ends(bellcord.Receipt{End: bellcord.EndDone, Usage: bellcord.Usage{CostNanoUSD: 30_000_000, Exact: true}})
	s.has(" $0.05\n")
	s.of("t3").runs("more").ends(bellcord.Receipt{End: bellcord.EndStopped, Usage: bellcord.Usage{CostNanoUSD: 10_000_000}})
	s.has(" ~$0.06\n")
}

func TestSubmit_Receipt_ShowsTheLastOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	expectActions(t, s.enters("/receipt"))
	s.has("No turn has ended yet.")
	s.runs("go").ends(bellcord.Receipt{End: bellcord.EndDone})
	expectActions(t, s.enters("/receipt"))
	s.has("turn        t1", "end         done")
}

func TestSubmit_Continue_SendsAPrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").ends(bellcord.Receipt{End: bellcord.EndStopped})
	prompt, is := s.enters("/continue")[0].(chat.Prompt)
	if !is || prompt.Text != "Continue." || prompt.Task != bellcord.TaskAnswer {
		t.Errorf("sent %+v", prompt)
	}
}

func TestStatus_ScanTakesLong_IsShownUntilItEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(bellcord.FilesScanned{Files: 12000, Bytes: 340 << 20})
	s.has("● running 0:00 · scanning files for undo (12000, 340 MB so far) ")
	if got := s.finished(); strings.Contains(got, "scanning") {
		t.Errorf("the scan is part of the conversation: %q", got)
	}
	s.happens(bellcord.FilesScanned{Files: 12001, Done: true}).has("● running 0:00      ")
	s.happens(bellcord.FilesScanned{Files: 1}).ends(bellcord.Receipt{End: bellcord.EndStopped})
	s.hasNot("scanning")
}

func TestFooter_LongPaste_NamesItsLinesAndTheEditor(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.Paste(strings.Repeat("line\n", 5) + "last")
	s.hasNot("ctrl+g edits")
	s.m.Paste(strings.Repeat("\nmore", 208))
	s.has("  214 lines · ctrl+g edits ", "more\n")
	s.runs("go").has("  214 lines · ctrl+g edits · enter queues\n")
	expectActions(t, s.press("ctrl+g"), chat.EditInput{Text: strings.Repeat("line\n", 5) + "last" + strings.Repeat("\nmore", 208)})
}

func TestFooter_AfterAStop_NamesTheCommandsThatFollow(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").ends(bellcord.Receipt{End: bellcord.EndStopped})
	s.has("  /continue · /receipt")
	s.types("x").hasNot("/continue").has("openai/fake · ask")
	s.press("backspace")
	s.of("t2").runs("more").ends(bellcord.Receipt{End: bellcord.EndDone})
	s.hasNot("/continue")
}

func TestQuestion_OneOfTwo_HasItsNumberAtTheRight(t *testing.T) {
	t.Parallel()
	choices := []bellcord.Choice{{ID: "allow", Kind: "allow_once"}, {ID: "reject", Kind: "reject_once"}}
	s := newStage(t).runs("go")
	s.happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "a", Text: "Run this command?\n", Choices: choices}})
	s.hasNot("question 1")
	s.happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "b", Text: "Edit this file?", Choices: choices}})
	s.has("? Run this command?" + strings.Repeat(" ", 65) + "question 1 of 2\n")
	if got := s.screen(30, 20); !strings.Contains(got, "? Run this command?\n  question 1 of 2\n") {
		t.Errorf("in a narrow window it is\n%s", got)
	}
}
