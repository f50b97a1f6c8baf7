package web

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// mostOutput limits the arguments and the output of a call in a share, in
// bytes.
const mostOutput = 32 << 10

// snapshot builds the turns of a share from a session's events. It contains no
// thinking, no images and no files.
type snapshot struct {
	withOutput bool
	hide       func(string) string
	turns      []api.SharedTurn
	places     map[bellcord.TurnID]int // indexes of turns
	calls      map[string][2]int       // indexes of turns and parts
}

// add adds events.
func (s *snapshot) add(events []bellcord.Event) {
	for _, ev := range events {
		switch body := ev.Body.(type) {
		case bellcord.ConversationCleared:
			s.turns = nil
			clear(s.places)
			clear(s.calls)
		case bellcord.TurnAccepted:
			if body.Task == bellcord.TaskAnswer || body.Task == bellcord.TaskUnprompted {
				s.places[ev.Turn] = len(s.turns)
				s.turns = append(s.turns, api.SharedTurn{Prompt: s.hide(body.Text), Images: len(body.Images), Files: len(body.Files), Accepted: ev.Time, Parts: []api.SharedPart{}})
			}
		default:
			if at, known := s.places[ev.Turn]; known {
				s.addTo(at, ev.Body)
			}
		}
	}
}

// addTo adds an event to a turn.
func (s *snapshot) addTo(at int, body bellcord.Body) {
	t := &s.turns[at]
	switch body := body.(type) {
	case bellcord.PromptEdited:
		t.Prompt = s.hide(body.Text)
	case bellcord.TextDelta:
		if last := len(t.Parts) - 1; last >= 0 && t.Parts[last].Tool == "" {
			t.Parts[last].Text += body.Text
			return
		}
		t.Parts = append(t.Parts, api.SharedPart{Text: body.Text})
	case bellcord.ToolCallRequested:
		part := api.SharedPart{Tool: body.Name, Title: s.hide(callTitle(body))}
		if s.withOutput {
			part.Input = clip(s.hide(string(body.Arguments)), mostOutput)
		}
		s.calls[body.Call] = [2]int{at, len(t.Parts)}
		t.Parts = append(t.Parts, part)
	case bellcord.ToolCallUpdated:
		if place, known := s.calls[body.Call]; known && place[0] == at {
			s.changeCall(&t.Parts[place[1]], body)
		}
	case bellcord.ToolCallEnded:
		if place, known := s.calls[body.Call]; known && place[0] == at {
			s.endCall(&t.Parts[place[1]], body)
		}
	case bellcord.TurnEnded:
		t.End = body.Receipt.End
	}
}

func (s *snapshot) changeCall(part *api.SharedPart, body bellcord.ToolCallUpdated) {
	if body.Title != "" {
		part.Title = s.hide(body.Title)
	}
	if s.withOutput && body.Arguments != nil {
		part.Input = clip(s.hide(string(body.Arguments)), mostOutput)
	}
}

func (s *snapshot) endCall(part *api.SharedPart, body bellcord.ToolCallEnded) {
	part.Outcome = string(body.Outcome)
	if body.Failed && body.Outcome == bellcord.CallFinished {
		part.Outcome = "failed"
	}
	if s.withOutput {
		part.Output = clip(s.hide(body.Result), mostOutput)
	}
}

// finish hides secrets in the answers, which arrived in fragments, and returns
// the turns.
func (s *snapshot) finish() []api.SharedTurn {
	for _, t := range s.turns {
		for i := range t.Parts {
			t.Parts[i].Text = s.hide(t.Parts[i].Text)
		}
	}
	return append([]api.SharedTurn{}, s.turns...)
}

// callTitle returns a call in one line: its title, its command or its path.
func callTitle(call bellcord.ToolCallRequested) string {
	if call.Title != "" {
		return call.Title
	}
	var known struct{ Command, Path string }
	_ = json.Unmarshal(call.Arguments, &known) // other arguments have no title
	if known.Command != "" {
		return known.Command
	}
	return known.Path
}
