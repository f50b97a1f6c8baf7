package hub

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
)

// checkSession returns an error if a name of the session is too long or is not
// text.
func checkSession(s bellcord.Session) error {
	for _, n := range []struct{ what, name string }{
		{"the session's id", string(s.ID)},
		{"the owner's name", s.Owner},
		{"the agent's name", s.Agent},
		{"the model's name", s.Model},
		{"the mode's name", s.Mode},
		{"the effort", s.Effort},
	} {
		if err := bellcord.CheckName(n.what, n.name); err != nil {
			return err
		}
	}
	return bellcord.CheckTitle("the session's title", s.Title)
}

// checkChange is checkSession for a change of a session's settings.
func checkChange(c bellcord.SessionUpdated) error {
	return checkSession(bellcord.Session{Title: c.Title, Model: c.Model, Mode: c.Mode, Effort: c.Effort})
}

// checkStop returns an error if the names in a request for a turn that is not here
// are too long or are not text. No turn has such an id, and no session such an owner.
func checkStop(req bellcord.StopRequest) error {
	if err := bellcord.CheckName("the turn's id", string(req.Turn)); err != nil {
		return err
	}
	return bellcord.CheckName("the owner's name", req.Owner)
}

// boundedCause returns a cause with texts that every store can hold. It does not
// refuse long ones, because a stop must work whatever its reason is.
func boundedCause(c bellcord.Cause) bellcord.Cause {
	c.By, c.Source = bellcord.ValidName(c.By), bellcord.ValidName(c.Source)
	if len(c.Reason) > longestReason {
		c.Reason = c.Reason[:longestReason]
	}
	c.Reason = strings.ReplaceAll(strings.ToValidUTF8(c.Reason, ""), "\x00", "")
	return c
}

// longestReason limits the bytes of the reason of a stop. HTTP accepts 500 characters.
const longestReason = 2000

// validNames returns a body with names and ids that every store can hold, and
// with JSON that is valid UTF-8. Models and hosted agents choose them. Long ids
// stay different from each other, so that the events of a call stay together.
func validNames(b bellcord.Body) bellcord.Body {
	switch b := b.(type) {
	case bellcord.StepStarted:
		b.Model = bellcord.ValidName(b.Model)
		return b
	case bellcord.SideRequestStarted:
		b.Model = bellcord.ValidName(b.Model)
		return b
	case bellcord.TextDelta:
		b.Message, b.Meta = bellcord.ValidName(b.Message), validJSON(b.Meta)
		return b
	case bellcord.ThinkingDelta:
		b.Message, b.Meta = bellcord.ValidName(b.Message), validJSON(b.Meta)
		return b
	case bellcord.ThinkingSigned:
		b.Signature = validJSON(b.Signature)
		return b
	case bellcord.StepEnded:
		b.AgentReply = validJSON(b.AgentReply)
		return b
	case bellcord.AgentUpdate:
		b.Update = validJSON(b.Update)
		return b
	case bellcord.CustomEvent:
		b.Data = validJSON(b.Data)
		return b
	case bellcord.QuestionOpened:
		q := &b.Question
		q.Call, q.Tool = bellcord.ValidName(q.Call), bellcord.ValidName(q.Tool)
		q.Arguments, q.Meta = validJSON(q.Arguments), validJSON(q.Meta)
		return b
	case bellcord.QuestionAnswered:
		b.By = bellcord.ValidName(b.By)
		return b
	}
	return validCall(b)
}

// validCall is validNames for the events of a call.
func validCall(b bellcord.Body) bellcord.Body {
	switch b := b.(type) {
	case bellcord.ToolCallRequested:
		b.Call, b.Name, b.ToolKind = bellcord.ValidName(b.Call), bellcord.ValidName(b.Name), bellcord.ValidName(b.ToolKind)
		b.Arguments, b.Signature, b.CallView = validJSON(b.Arguments), validJSON(b.Signature), validView(b.CallView)
		if b.Original != nil {
			b.Original = &bellcord.OriginalCall{Name: bellcord.ValidName(b.Original.Name), Arguments: validJSON(b.Original.Arguments)}
		}
		return b
	case bellcord.ToolCallUpdated:
		b.Call, b.ToolKind = bellcord.ValidName(b.Call), bellcord.ValidName(b.ToolKind)
		b.Arguments, b.CallView = validJSON(b.Arguments), validView(b.CallView)
		return b
	case bellcord.ToolCallStarted:
		b.Call = bellcord.ValidName(b.Call)
		return b
	case bellcord.ToolOutputDelta:
		b.Call = bellcord.ValidName(b.Call)
		return b
	case bellcord.ToolCallEnded:
		b.Call, b.RawOutput = bellcord.ValidName(b.Call), validJSON(b.RawOutput)
		return b
	}
	return b
}

// validBlocks returns the blocks of a prompt with JSON that is valid UTF-8.
func validBlocks(blocks []bellcord.Block) []bellcord.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Content, blocks[i].Meta = validJSON(blocks[i].Content), validJSON(blocks[i].Meta)
	}
	return blocks
}

func validView(v bellcord.CallView) bellcord.CallView {
	v.Meta = validJSON(v.Meta)
	if slices.ContainsFunc(v.Content, func(c bellcord.CallContent) bool { return !utf8.Valid(c.Block) || !utf8.Valid(c.Meta) }) {
		v.Content = slices.Clone(v.Content)
		for i := range v.Content {
			v.Content[i].Block, v.Content[i].Meta = validJSON(v.Content[i].Block), validJSON(v.Content[i].Meta)
		}
	}
	return v
}

// validJSON replaces invalid UTF-8, which encoding/json accepts inside of strings
// and databases reject.
func validJSON(raw json.RawMessage) json.RawMessage {
	if utf8.Valid(raw) {
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}
