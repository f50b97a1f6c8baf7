package chat

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
)

// blocks are the conversation in log order.
type blocks struct {
	all       []*shown
	printed   int              // blocks before this index have been returned by finished
	turns     []int            // index of the first block of each turn
	cards     map[string]*card // calls that have not ended
	order     []string         // their ids, oldest first
	questions map[string]*question
}

// addBlock adds a block at the end. The block before it is complete.
func (bs *blocks) addBlock(b block, at time.Time) {
	bs.settle(at)
	bs.all = append(bs.all, &shown{block: b})
}

func (bs *blocks) addNote(text string, at time.Time) { bs.addBlock(&note{dim, text}, at) }

// ending returns the last block, or nil if it has another type.
func ending[B block](bs *blocks) (b B) {
	if n := len(bs.all); n > 0 {
		b, _ = bs.all[n-1].block.(B)
	}
	return b
}

// settle marks the last block as complete, because another one follows.
func (bs *blocks) settle(at time.Time) {
	if a := ending[*answer](bs); a != nil && !a.over {
		a.endText()
	}
	if t := ending[*thought](bs); t != nil && !t.over {
		t.over, t.ended = true, at
	}
}

func (bs *blocks) addText(text string, at time.Time) {
	a := ending[*answer](bs)
	if a == nil || a.over {
		a = &answer{}
		bs.addBlock(a, at)
	}
	for _, b := range a.appendText(text) { // before the open end
		n := len(bs.all) - 1
		bs.all = append(bs.all[:n], &shown{block: b}, bs.all[n])
	}
}

func (bs *blocks) think(text string, at time.Time) {
	t := ending[*thought](bs)
	if t == nil || t.over {
		t = &thought{began: at}
		bs.addBlock(t, at)
	}
	t.text.WriteString(text)
	t.ended = at
}

func (bs *blocks) addToolCall(b bellcord.ToolCallRequested, at time.Time) {
	if bs.cards == nil {
		bs.cards = map[string]*card{}
	}
	c := &card{call: b, state: "waits"}
	bs.cards[b.Call] = c
	bs.order = append(bs.order, b.Call)
	bs.addBlock(c, at)
}

func (bs *blocks) callEnded(b bellcord.ToolCallEnded) {
	c := bs.cards[b.Call]
	if c == nil {
		return
	}
	if c.output == "" && (b.Failed || len(c.changes()) == 0) {
		c.print(b.Result)
	}
	bs.closeCall(b.Call, fate(b.Outcome, b.Failed))
}

func (bs *blocks) closeCall(call, state string) {
	if c := bs.cards[call]; c != nil {
		c.state, c.done = state, true
		delete(bs.cards, call)
	}
	for i, id := range bs.order {
		if id == call {
			bs.order = append(bs.order[:i:i], bs.order[i+1:]...)
			return
		}
	}
}

func (bs *blocks) addQuestion(q bellcord.Question, dir string, at time.Time) {
	complete := q.Title != "" && len(q.Changes) > 0
	if complete {
		q.Text = q.Title
	}
	shown := &question{text: form.Text(q), dir: dir, changes: q.Changes, complete: complete, opened: at}
	if c := bs.cards[q.Call]; c != nil {
		shown.call, shown.card = c.call, c
	}
	if bs.questions == nil {
		bs.questions = map[string]*question{}
	}
	bs.questions[q.ID] = shown
	bs.addBlock(shown, at)
}

func (bs *blocks) recordAnswer(id, words string) {
	if q := bs.questions[id]; q != nil {
		q.answer = words
		if q.card != nil {
			q.card.asked = q.changes
		}
		delete(bs.questions, id)
	}
}

// endTurn closes everything that a turn left open, with the outcomes on its
// receipt, and adds its end.
func (bs *blocks) endTurn(r bellcord.Receipt, cause string, at time.Time) {
	for state, refs := range map[string][]bellcord.CallRef{
		"stopped": r.Calls.Stopped, "not run": r.Calls.NotStarted, "unknown": r.Calls.Unknown,
	} {
		for _, ref := range refs {
			bs.closeCall(ref.Call, state)
		}
	}
	for call := range bs.cards {
		bs.closeCall(call, "unknown")
	}
	for id := range bs.questions {
		bs.recordAnswer(id, "withdrawn without an answer")
	}
	bs.addBlock(&turnEnd{r, cause}, at)
}

// working returns the call that has been open longest, or nil.
func (bs *blocks) working() *card {
	if len(bs.order) == 0 {
		return nil
	}
	return bs.cards[bs.order[0]]
}
