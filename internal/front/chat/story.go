package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/internal/plural"
)

// story is what the log says.
type story struct {
	*state
	turns        *turns
	blocks       *blocks
	lead         []string // texts that Finished returns before the blocks
	ended        []endedTurn
	conversation history.Turns
	context      contextUse
	spent        spending
	receipt      *bellcord.Receipt // of the last turn that has ended
	// recovered are the processes of the receipt, with those found later.
	recovered *bellcord.RecoveredProcesses
}

// Take applies events of the session's log, in order. It skips those of another
// session, which may still arrive after a switch.
func (m *Model) Take(events []bellcord.Event) {
	for _, ev := range events {
		if ev.Session != "" && ev.Session != m.session.ID {
			continue
		}
		if _, ends := ev.Body.(bellcord.TurnEnded); ends && m.turns.isRunning(ev.Turn) {
			m.input.turnEnded()
		}
		m.questions.read(ev)
		m.story.read(ev)
		m.notice(ev)
		if m.guide != nil {
			m.follow(m.guide.Read(ev))
		}
	}
}

// read applies an event to the story.
func (s *story) read(ev bellcord.Event) {
	if s.turns.isRunning(ev.Turn) {
		s.turns.running.meter.read(ev.Body)
	}
	s.conversation.Read(ev)
	s.readContext(ev.Body)
	s.life(ev)
	s.work(ev)
}

// life applies the events of turns.
func (s *story) life(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		stop := s.turns.unsend(ev.Turn)
		s.turns.queue.addPrompt(waiting{turn: ev.Turn, prompt: b.Prompt, stop: stop})
	case bellcord.PromptEdited:
		s.turns.queue.edit(ev.Turn, b.Text)
	case bellcord.TurnStarted:
		s.startTurn(ev)
	case bellcord.StopRequested:
		if r := s.turns.running; s.turns.isRunning(ev.Turn) && r.stop.IsZero() && b.Cause.Mode != bellcord.StopAfterStep {
			r.stop = ev.Time
		}
	case bellcord.TurnEnded:
		s.endTurn(ev, b.Receipt)
	case bellcord.SessionUpdated:
		s.configured(b)
	case bellcord.ConversationCleared:
		s.blocks.addNote("— new conversation —", ev.Time)
	case bellcord.ConversationRewound:
		s.blocks.addNote("— "+b.Text()+" —", ev.Time)
	case bellcord.ProcessConfirmed:
		s.blocks.addNote("confirmed later: "+b.Process.Name+" has ended", ev.Time)
	case bellcord.ProcessesRecovered:
		s.processesRecovered(b)
		s.blocks.addNote(b.Text(), ev.Time)
	case bellcord.ChangesRecorded:
		s.turnChanged(b.Turn, b.Changes)
		if parts := changedFiles(&b.Changes); parts != nil {
			s.blocks.addNote(strings.Join(parts, " · "), ev.Time)
		}
	case bellcord.Undone:
		s.blocks.addNote(b.Text(), ev.Time)
	}
}

func (s *story) startTurn(ev bellcord.Event) {
	w := s.turns.queue.removePrompt(ev.Turn)
	s.turns.running = &running{id: ev.Turn, task: w.prompt.Task, text: w.prompt.Text, started: ev.Time, stop: w.stop}
	s.blocks.turns = append(s.blocks.turns, len(s.blocks.all))
	switch w.prompt.Task {
	case bellcord.TaskCompact:
		s.blocks.addNote("≡ compacting…", ev.Time)
	case bellcord.TaskImport:
		s.blocks.addNote("≡ the agent's earlier conversation", ev.Time)
	case bellcord.TaskUnprompted:
		s.blocks.addNote("≡ "+w.prompt.Text, ev.Time)
	case bellcord.TaskAnswer, bellcord.TaskCommand:
		s.blocks.addBlock(&promptBlock{w.prompt.Text}, ev.Time)
	}
}

func (s *story) endTurn(ev bellcord.Event, r bellcord.Receipt) {
	s.turns.queue.removePrompt(ev.Turn)
	s.turns.queue.hold(r.HeldTurns)
	s.spent.add(r.Usage)
	s.receipt, s.recovered = &r, bellcord.NewRecoveredProcesses(r.Processes)
	prompt := ""
	if s.turns.isRunning(ev.Turn) {
		prompt = s.turns.running.text
	}
	s.ended = append(s.ended, endedTurn{id: ev.Turn, prompt: prompt})
	if r.Changes != nil {
		s.turnChanged(ev.Turn, *r.Changes)
	}
	if !s.turns.isRunning(ev.Turn) {
		if r.End == bellcord.EndStopped {
			s.blocks.addNote("– not run: "+clip.FirstWords(r.Prompt), ev.Time)
		}
		return
	}
	s.blocks.endTurn(r, s.turns.causeOf(r), ev.Time)
	s.turns.running = nil
}

// work applies the events of an agent's work.
func (s *story) work(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TextDelta:
		s.blocks.addText(b.Text, ev.Time)
	case bellcord.ThinkingDelta:
		s.blocks.think(b.Text, ev.Time)
	case bellcord.StepEnded:
		s.blocks.settle(ev.Time)
	case bellcord.ToolCallRequested:
		s.blocks.addToolCall(b, ev.Time)
		c := s.blocks.cards[b.Call]
		c.dir, c.now = s.session.Dir, func() time.Time { return s.now }
		c.typed = s.turns.running != nil && s.turns.running.task == bellcord.TaskCommand
	case bellcord.ToolCallUpdated:
		if c := s.blocks.cards[b.Call]; c != nil {
			b.Apply(&c.call)
		}
	case bellcord.PlanUpdated:
		s.blocks.addNote("plan\n"+b.Markdown(), ev.Time)
	case bellcord.MessageImported:
		s.blocks.addBlock(&promptBlock{b.Text}, ev.Time)
	case bellcord.ToolCallStarted:
		if c := s.blocks.cards[b.Call]; c != nil {
			c.state, c.began = "runs", ev.Time
		}
	case bellcord.ToolOutputDelta:
		if c := s.blocks.cards[b.Call]; c != nil {
			c.print(b.Text)
		}
	case bellcord.ToolCallEnded:
		s.blocks.callEnded(b)
	case bellcord.QuestionOpened:
		s.blocks.addQuestion(b.Question, s.session.Dir, ev.Time)
	case bellcord.QuestionAnswered:
		words := "answered: " + b.Choice
		if b.By != "" {
			words += " (" + b.By + ")"
		}
		s.blocks.recordAnswer(b.Question, words)
	case bellcord.ModelRetryScheduled:
		wait := b.RetryIn.Round(100 * time.Millisecond)
		s.blocks.addNote(fmt.Sprintf("… %s; retrying in %s", oneLine(b.Reason), wait), ev.Time)
	case bellcord.FilesScanned:
		if s.turns.isRunning(ev.Turn) {
			s.turns.running.scan = b.Text()
			if b.Done {
				s.turns.running.scan = ""
			}
		}
	case bellcord.ConversationCompacted:
		length := plural.Count(len(strings.Fields(b.Summary)), "word")
		s.blocks.addNote("≡ compacted: the conversation so far is now a summary of "+length, ev.Time)
	}
}

// showNotice adds a text to the conversation, on this screen only.
func (s *story) showNotice(words string) {
	s.blocks.addNote(words, s.now)
	s.announce(words)
}
