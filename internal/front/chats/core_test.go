package chats_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
)

func TestCore_Prompt_IsAnsweredWhileItIsWritten(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writes(anna, "slow", 2*time.Second)
		p.shows("word0 word1")
		before := p.shown()[0]
		p.pass(5 * time.Second)
		if now := p.shown()[0]; len(now) <= len(before) {
			t.Errorf("the preview was %q and is %q", before, now)
		}
		p.pass(10 * time.Second)
		if got := p.shown(); len(got) != 1 || !strings.HasSuffix(got[0], "word99") {
			t.Errorf("the answer is %q", got)
		}
		p.writes(anna, "hello", time.Second)
		p.shows("word0 ", "echo hello")
	})
}

func TestCore_Stop_ByButtonWordAndCommand(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(p *platform){
		"button":  func(p *platform) { p.presses("Stop") },
		"word":    func(p *platform) { p.writes(anna, "stop", time.Second) },
		"command": func(p *platform) { p.writes(anna, "/stop", time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onPlatform(t, func(p *platform) {
				p.writes(anna, "slow", 2*time.Second)
				stop(p)
				p.shows("word0 word1")
				if got := p.shown()[0]; !strings.Contains(got, "\n⏹ Stopped · ") {
					t.Errorf("the answer is %q", got)
				}
				p.writes(anna, "stop", time.Second)
				p.shows("word0 ", "Nothing is running.")
			})
		})
	}
}

func TestCore_Question_IsAnsweredByButton(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writes(anna, "ask", time.Second)
		if reply := p.presses("Once"); reply != "✓ Once" {
			t.Errorf("the reply to the press is %q", reply)
		}
		got := strings.Join(p.shown(), "\n")
		for _, want := range []string{"❓ Really?\n\n✓ Once — anna", "chosen: allow"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in %q", want, got)
			}
		}
	})
}

// A lone "y" is "yes, continue" to a model.
func TestCore_AnswerAsAMessageWhileAQuestionIsOpen_IsNotQueued(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writes(anna, "ask", time.Second)
		for _, text := range []string{"y", "Yes", "no.", "a"} {
			p.writes(anna, text, time.Second)
		}
		p.presses("Once")
		p.pass(10 * time.Second)
		got := strings.Join(p.shown(), "\n")
		if strings.Contains(got, "echo ") || strings.Contains(got, "Queued") || strings.Count(got, "Use its buttons to answer it.") != 4 {
			t.Errorf("the platform shows %q", got)
		}
		p.writes(anna, "y", 10*time.Second)
		if got := p.shown(); got[len(got)-1] != "echo y" {
			t.Errorf("without a question the platform shows %q", got)
		}
	})
}

func TestCore_AnswerCutAtTheOutputLimit_IsShownAsCut(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writes(anna, "cut", time.Second)
		p.shows("half an\n⚠ cut off at the output limit")
		p.presses("Continue")
		if got := p.shown(); !strings.HasPrefix(got[len(got)-1], "echo Continue") {
			t.Errorf("the platform shows %q", got)
		}
	})
}

func TestCore_QueuedPrompt_IsHeldByAStopAndSentByButton(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writes(anna, "slow", time.Second)
		p.writes(anna, "next", time.Second)
		p.shows("word0 ", "⏳ Queued.")
		p.writes(anna, "/stop", time.Second)
		if got := p.shown()[0]; !strings.Contains(got, "1 message held") {
			t.Errorf("the answer is %q", got)
		}
		p.presses("Send the held message")
		if got := p.shown(); got[len(got)-1] != "echo next" {
			t.Errorf("the platform shows %q", got)
		}
	})
}

func TestCore_ChangesRecordedWhileTheAnswerIsSent_AreAddedToIt(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.sending = func(text chats.Text) {
			if text.Markdown { // not a preview
				<-time.After(2 * time.Minute)
			}
		}
		p.writes(anna, "change", 5*time.Minute)
		p.shows("echo change\n📝 Files: 1 changed")
		if reply := p.presses("Undo (1 file)"); !strings.HasPrefix(reply, "✗ Undo is off") {
			t.Errorf("the reply to the press is %q", reply)
		}
	})
}
