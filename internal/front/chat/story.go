package chat

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
)

// story is the conversation as blocks, in log order.
type story struct {
	blocks    []*shown
	printed   int              // blocks before this index have been returned by finished
	turns     []int            // index of the first block of each turn
	cards     map[string]*card // calls that have not ended
	order     []string         // their ids, oldest first
	questions map[string]*question
}

func (s *story) addBlock(b block) { s.blocks = append(s.blocks, &shown{block: b}) }

// ending returns the last block, or nil if it has another type.
func ending[B block](s *story) (b B) {
	if n := len(s.blocks); n > 0 {
		b, _ = s.blocks[n-1].block.(B)
	}
	return b
}

// settle marks the last block as complete, because another one follows.
func (s *story) settle(at time.Time) {
	if a := ending[*answer](s); a != nil && !a.over {
		a.endText()
	}
	if t := ending[*thought](s); t != nil && !t.over {
		t.over, t.ended = true, at
	}
}

func (s *story) addText(text string, at time.Time) {
	a := ending[*answer](s)
	if a == nil || a.over {
		s.settle(at)
		a = &answer{}
		s.addBlock(a)
	}
	for _, b := range a.appendText(text) { // before the open end
		n := len(s.blocks) - 1
		s.blocks = append(s.blocks[:n], &shown{block: b}, s.blocks[n])
	}
}

func (s *story) think(text string, at time.Time) {
	t := ending[*thought](s)
	if t == nil || t.over {
		s.settle(at)
		t = &thought{began: at}
		s.addBlock(t)
	}
	t.text.WriteString(text)
	t.ended = at
}

func (s *story) addToolCall(b bellcord.ToolCallRequested, at time.Time) {
	s.settle(at)
	if s.cards == nil {
		s.cards = map[string]*card{}
	}
	c := &card{call: b, state: "waits"}
	s.cards[b.Call] = c
	s.order = append(s.order, b.Call)
	s.addBlock(c)
}

func (s *story) callEnded(b bellcord.ToolCallEnded) {
	c := s.cards[b.Call]
	if c == nil {
		return
	}
	if c.output == "" && (b.Failed || len(c.changes()) == 0) {
		c.print(b.Result)
	}
	s.closeCall(b.Call, fate(b.Outcome, b.Failed))
}

func (s *story) closeCall(call, state string) {
	if c := s.cards[call]; c != nil {
		c.state, c.done = state, true
		delete(s.cards, call)
	}
	for i, id := range s.order {
		if id == call {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			return
		}
	}
}

func (s *story) addQuestion(q bellcord.Question, dir string, at time.Time) {
	s.settle(at)
	complete := q.Title != "" && len(q.Changes) > 0
	if complete {
		q.Text = q.Title
	}
	shown := &question{text: form.Text(q), dir: dir, changes: q.Changes, complete: complete, opened: at}
	if c := s.cards[q.Call]; c != nil {
		shown.call, shown.card = c.call, c
	}
	if s.questions == nil {
		s.questions = map[string]*question{}
	}
	s.questions[q.ID] = shown
	s.addBlock(shown)
}

func (s *story) recordAnswer(id, words string) {
	if q := s.questions[id]; q != nil {
		q.answer = words
		if q.card != nil {
			q.card.asked = q.changes
		}
		delete(s.questions, id)
	}
}

// endTurn closes everything that a turn left open, with the outcomes on its
// receipt, and adds its end.
func (s *story) endTurn(r bellcord.Receipt, cause string, at time.Time) {
	s.settle(at)
	for state, refs := range map[string][]bellcord.CallRef{
		"stopped": r.Calls.Stopped, "not run": r.Calls.NotStarted, "unknown": r.Calls.Unknown,
	} {
		for _, ref := range refs {
			s.closeCall(ref.Call, state)
		}
	}
	for call := range s.cards {
		s.closeCall(call, "unknown")
	}
	for id := range s.questions {
		s.recordAnswer(id, "withdrawn without an answer")
	}
	s.addBlock(&turnEnd{r, cause})
}

// working returns the call that has been open longest, or nil.
func (s *story) working() *card {
	if len(s.order) == 0 {
		return nil
	}
	return s.cards[s.order[0]]
}
