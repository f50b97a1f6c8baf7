package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/internal/plural"
)

// Take applies events of the session's log, in order. It skips those of another
// session, which may still arrive after a switch.
func (m *Model) Take(events []bellcord.Event) {
	for _, ev := range events {
		if ev.Session != "" && ev.Session != m.session.ID {
			continue
		}
		if m.running != nil && ev.Turn == m.running.id {
			m.running.meter.read(ev.Body)
		}
		m.turns.Read(ev)
		m.readContext(ev.Body)
		m.life(ev)
		m.work(ev)
		m.notice(ev)
		if m.guide != nil {
			m.follow(m.guide.Read(ev))
		}
	}
}

// life applies the events of turns.
func (m *Model) life(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		stop := m.arrived(ev.Turn)
		m.queue.addPrompt(waiting{turn: ev.Turn, prompt: b.Prompt, stop: stop})
	case bellcord.PromptEdited:
		m.queue.edit(ev.Turn, b.Text)
	case bellcord.TurnStarted:
		m.startTurn(ev)
	case bellcord.StopRequested:
		if m.running != nil && m.running.id == ev.Turn && b.Cause.Mode != bellcord.StopAfterStep {
			if m.running.stop.IsZero() {
				m.running.stop = ev.Time
			}
			m.questions = nil // a stop withdraws them
		}
	case bellcord.TurnEnded:
		m.endTurn(ev, b.Receipt)
	case bellcord.SessionUpdated:
		m.configured(b)
	case bellcord.ConversationCleared:
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, "— new conversation —"})
	case bellcord.ConversationRewound:
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, "— " + b.Text() + " —"})
	case bellcord.ProcessConfirmed:
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, "confirmed later: " + b.Process.Name + " has ended"})
	case bellcord.ProcessesRecovered:
		m.processesRecovered(b)
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, b.Text()})
	case bellcord.ChangesRecorded:
		m.turnChanged(b.Turn, b.Changes)
		if parts := changedFiles(&b.Changes); parts != nil {
			m.story.settle(ev.Time)
			m.story.addBlock(&note{dim, strings.Join(parts, " · ")})
		}
	case bellcord.Undone:
		m.closeUndo("Files were restored meanwhile: use /undo again.")
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, b.Text()})
	}
}

// arrived removes a prompt from sent because it is in the log, and returns when
// its stop was requested, if at all.
func (m *Model) arrived(turn bellcord.TurnID) time.Time {
	for _, s := range m.sent {
		if s.turn == turn {
			m.unsend(turn)
			return s.stop
		}
	}
	return time.Time{}
}

func (m *Model) startTurn(ev bellcord.Event) {
	w := m.queue.removePrompt(ev.Turn)
	m.running = &running{id: ev.Turn, task: w.prompt.Task, text: w.prompt.Text, started: ev.Time, stop: w.stop}
	m.questions, m.answering = nil, ""
	m.closeUndo("A turn has started: /undo works when it has ended.")
	m.story.settle(ev.Time)
	m.story.turns = append(m.story.turns, len(m.story.blocks))
	switch w.prompt.Task {
	case bellcord.TaskCompact:
		m.story.addBlock(&note{dim, "≡ compacting…"})
	case bellcord.TaskImport:
		m.story.addBlock(&note{dim, "≡ the agent's earlier conversation"})
	case bellcord.TaskUnprompted:
		m.story.addBlock(&note{dim, "≡ " + w.prompt.Text})
	case bellcord.TaskAnswer, bellcord.TaskCommand:
		m.story.addBlock(&promptBlock{w.prompt.Text})
	}
}

func (m *Model) endTurn(ev bellcord.Event, r bellcord.Receipt) {
	m.queue.removePrompt(ev.Turn)
	m.queue.hold(r.HeldTurns)
	m.spent.add(r.Usage)
	m.receipt, m.recovered = &r, bellcord.NewRecoveredProcesses(r.Processes)
	m.ended = append(m.ended, endedTurn{id: ev.Turn, prompt: m.runningText(ev.Turn)})
	if r.Changes != nil {
		m.turnChanged(ev.Turn, *r.Changes)
	}
	if m.running == nil || m.running.id != ev.Turn {
		if r.End == bellcord.EndStopped {
			m.story.settle(ev.Time)
			m.story.addBlock(&note{dim, "– not run: " + clip.FirstWords(r.Prompt)})
		}
		return
	}
	m.story.endTurn(r, m.causeOf(r), ev.Time)
	m.running, m.questions, m.answering = nil, nil, ""
	m.keys = presses{}
	if !m.replaying {
		m.keys.ended = m.now
	}
}

func (m *Model) configured(b bellcord.SessionUpdated) {
	for _, of := range []struct {
		from string
		to   *string
	}{{b.Title, &m.session.Title}, {b.Model, &m.session.Model}, {b.Mode, &m.session.Mode}, {b.Dir, &m.session.Dir}} {
		if of.from != "" {
			*of.to = of.from
		}
	}
}

// work applies the events of an agent's work.
func (m *Model) work(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TextDelta:
		m.story.addText(b.Text, ev.Time)
	case bellcord.ThinkingDelta:
		m.story.think(b.Text, ev.Time)
	case bellcord.StepEnded:
		m.story.settle(ev.Time)
	case bellcord.ToolCallRequested:
		m.story.addToolCall(b, ev.Time)
		m.story.cards[b.Call].dir = m.session.Dir
		m.story.cards[b.Call].now = func() time.Time { return m.now }
		m.story.cards[b.Call].typed = m.running != nil && m.running.task == bellcord.TaskCommand
	case bellcord.ToolCallUpdated:
		if c := m.story.cards[b.Call]; c != nil {
			b.Apply(&c.call)
		}
	case bellcord.PlanUpdated:
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, "plan\n" + b.Markdown()})
	case bellcord.MessageImported:
		m.story.settle(ev.Time)
		m.story.addBlock(&promptBlock{b.Text})
	case bellcord.ToolCallStarted:
		if c := m.story.cards[b.Call]; c != nil {
			c.state, c.began = "runs", ev.Time
		}
	case bellcord.ToolOutputDelta:
		if c := m.story.cards[b.Call]; c != nil {
			c.print(b.Text)
		}
	case bellcord.ToolCallEnded:
		m.story.callEnded(b)
	case bellcord.QuestionOpened:
		m.questions = append(m.questions, b.Question)
		m.story.addQuestion(b.Question, m.session.Dir, ev.Time)
	case bellcord.QuestionAnswered:
		m.closeQuestion(b)
	case bellcord.ModelRetryScheduled:
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, fmt.Sprintf("… %s; retrying in %s", oneLine(b.Reason), b.RetryIn.Round(100*time.Millisecond))})
	case bellcord.FilesScanned:
		m.scanned(ev.Turn, b)
	case bellcord.ConversationCompacted:
		m.story.settle(ev.Time)
		m.story.addBlock(&note{dim, "≡ compacted: the conversation so far is now a summary of " + plural.Count(len(strings.Fields(b.Summary)), "word")})
	}
}

// scanned shows the scan that the running turn waits for in the status.
func (m *Model) scanned(turn bellcord.TurnID, b bellcord.FilesScanned) {
	if m.running == nil || m.running.id != turn {
		return
	}
	m.running.scan = b.Text()
	if b.Done {
		m.running.scan = ""
	}
}

func (m *Model) closeQuestion(b bellcord.QuestionAnswered) {
	for i, q := range m.questions {
		if q.ID == b.Question {
			m.questions = append(m.questions[:i:i], m.questions[i+1:]...)
			break
		}
	}
	words := "answered: " + b.Choice
	if b.By != "" {
		words += " (" + b.By + ")"
	}
	m.story.recordAnswer(b.Question, words)
}
