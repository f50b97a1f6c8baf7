package tour

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/plural"
)

// phase is a moment of the tour at which it waits for the user.
type phase int

// The phases, in order.
const (
	sendEdit phase = iota
	answerQuestion
	sendLong
	queuePrompt
	stopLong
	sendHeld
	sendStubborn
	stopStubborn
	showReceipt
	leave
)

var instructions = map[phase]chat.Guidance{
	sendEdit: {
		Text: "A tour with the fake model, which does what the brackets in a prompt say. Ctrl-C leaves at any moment.\n" +
			"1/4 Question. Bellcord asks you before an agent changes a file.",
		Do: "press enter to send this prompt", Prompt: `fix the typo [tool edit_file {"path":"hello.txt","old":"helo","new":"hello"}]`, Keys: []string{"enter"},
	},
	answerQuestion: {Do: "look at the diff, then press y and enter to allow it once", Keys: []string{"y", "enter"}},
	sendLong: {
		Text: "2/4 Queue. While a turn runs, enter queues the next prompt, and a stop holds the queue.",
		Do:   "press enter to start a long answer", Prompt: "count to 600 [slow 600]", Keys: []string{"enter"},
	},
	queuePrompt: {Do: "press enter to queue a second prompt while the first one runs", Prompt: "and then? [say I waited in the queue.]", Keys: []string{"enter"}},
	stopLong:    {Do: "press esc to stop, and look at the queue: the second prompt is held", Keys: []string{"esc"}},
	sendHeld:    {Do: "press tab, then s, to send the held prompt", Keys: []string{"tab", "s"}},
	sendStubborn: {
		Text: "3/4 Stop. The command ./stubborn ignores SIGTERM and starts three more processes, so it tries to outlive its turn.",
		Do:   "press enter to run it", Prompt: `run it [tool shell {"command":"./stubborn"}]`, Keys: []string{"enter"},
	},
	stopStubborn: {Do: "press esc, wait two seconds, and look at the number of processes and the proof", Keys: []string{"esc"}},
	showReceipt: {
		Text: "4/4 Receipt. Every turn leaves one: how it ended, each of its processes, and the proof that they are gone.",
		Do:   "press enter to read the receipt of the stop", Prompt: "/receipt", Keys: []string{"enter"},
	},
	leave: {
		Text: "That was the tour. In your shell, bellcord receipt prints the last receipt.",
		Do:   "press enter to leave", Prompt: "/quit", Keys: []string{"enter"},
	},
}

// guide implements chat.Guide. An unexpected end of a turn repeats a part of the
// tour.
type guide struct {
	at       phase
	answered bool               // the question was answered
	exists   func(pid int) bool // reports whether a process exists
}

// enter enters a phase and returns its instruction.
func (g *guide) enter(next phase) chat.Guidance {
	again := next < g.at
	g.at = next
	do := instructions[next]
	if again {
		do.Text = "This step is still open. Try it again:"
	}
	return do
}

// Start implements chat.Guide.
func (g *guide) Start() chat.Guidance { return g.enter(sendEdit) }

// Command implements chat.Guide.
func (g *guide) Command(name string) chat.Guidance {
	if g.at == showReceipt && name == "receipt" {
		return g.enter(leave)
	}
	return chat.Guidance{}
}

// Read implements chat.Guide.
func (g *guide) Read(ev bellcord.Event) chat.Guidance {
	switch b := ev.Body.(type) {
	case bellcord.QuestionOpened:
		if g.at == sendEdit {
			return g.enter(answerQuestion)
		}
	case bellcord.QuestionAnswered:
		g.answered = true
	case bellcord.TurnStarted:
		if g.at == sendLong {
			return g.enter(queuePrompt)
		}
	case bellcord.TurnAccepted:
		if g.at == queuePrompt {
			return g.enter(stopLong)
		}
	case bellcord.ToolOutputDelta:
		if g.at == sendStubborn && strings.Contains(b.Text, "started") {
			return g.enter(stopStubborn)
		}
	case bellcord.TurnEnded:
		return g.ended(b.Receipt)
	}
	return chat.Guidance{}
}

// ended returns the instruction after the end of a turn.
func (g *guide) ended(r bellcord.Receipt) chat.Guidance {
	switch g.at {
	case answerQuestion:
		if g.answered && r.End == bellcord.EndDone {
			return g.enter(sendLong)
		}
		return g.enter(sendEdit)
	case queuePrompt, stopLong:
		if len(r.HeldTurns) > 0 {
			return g.enter(sendHeld)
		}
		return g.enter(sendLong)
	case sendHeld:
		return g.enter(sendStubborn)
	case stopStubborn:
		if r.End != bellcord.EndStopped || len(r.Processes.Ended) == 0 {
			return g.enter(sendStubborn)
		}
		do := g.enter(showReceipt)
		do.Text = g.checked(r.Processes.Ended) + "\n" + do.Text
		return do
	case sendEdit, sendLong, sendStubborn: // a prompt of the user's own, or one that was stopped early
		do := instructions[g.at]
		do.Text = ""
		return do
	case showReceipt, leave:
	}
	return chat.Guidance{}
}

// checked looks for the processes of a turn and returns how many exist.
func (g *guide) checked(ended []bellcord.Process) string {
	found := 0
	for _, p := range ended {
		if g.exists(p.PID) {
			found++
		}
	}
	return fmt.Sprintf("Checked just now: %d of its %s exist.", found, plural.Count(len(ended), "process"))
}
