package bellcord

import (
	"encoding/json"
	"slices"
	"strings"
)

// Question is a question to a user; the turn waits for the answer. Text is
// self-contained but shortened if the call is long. Tool, Arguments and Changes
// contain the complete call, for frontends that can display it. If Title is set,
// Title and Changes together describe the call completely, and a frontend that
// displays Changes shows Title instead of Text.
//
// A question with Fields or a URL is answered with ChoiceAccept, ChoiceDecline or
// ChoiceCancel, and Fields also need values: see Reply. Every other question is
// answered with one of its Choices.
//
// If Requires is set, a person without that scope can only reject: see CheckReply.
type Question struct {
	ID        string          `json:"id"`
	Call      string          `json:"call,omitempty"` // id of the tool call that needs approval
	Text      string          `json:"text"`
	Title     string          `json:"title,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Changes   []Change        `json:"changes,omitempty"` // changes to files if the call is allowed
	Choices   []Choice        `json:"choices" nullable:"false"`
	Meta      json.RawMessage `json:"meta,omitempty"` // members outside of a hosted agent's protocol
	Fields    []Field         `json:"fields,omitempty" doc:"values that the question requests"`
	Requires  Scope           `json:"requires,omitempty" doc:"scope that every answer but a rejection needs"`
	URL       string          `json:"url,omitempty" doc:"page on which the user enters what the question requests; the answer accept means that the user agrees to open it"`
}

// Change is a change to a file: New replaces Old, which is the whole file or a
// part of it. Old is nil if the file does not exist or cannot be shown. Several
// changes of one file are in the order of the file.
type Change struct {
	Path string  `json:"path"` // absolute
	Old  *string `json:"old,omitempty"`
	New  string  `json:"new"`
	// Line is the number of the first line of Old in the file before all changes,
	// counted from 1. It is 0 if the place is unknown.
	Line int `json:"line,omitempty"`
}

// Choice is one possible answer.
type Choice struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Kind string `json:"kind" enum:"allow_once,allow_always,reject_once,reject_always"`

	Meta json.RawMessage `json:"meta,omitempty"` // as in Question
}

// rejects reports whether the choice allows nothing.
func (c Choice) rejects() bool { return strings.HasPrefix(c.Kind, "reject") }

// ChoicesFor returns the choices of a person with these scopes: all of them, or only
// the rejections if the scope that the question requires is missing.
func (q Question) ChoicesFor(scopes []Scope) []Choice {
	if q.allowedTo(scopes) {
		return q.Choices
	}
	return slices.DeleteFunc(slices.Clone(q.Choices), func(c Choice) bool { return !c.rejects() })
}

func (q Question) allowedTo(scopes []Scope) bool {
	return q.Requires == "" || slices.Contains(scopes, q.Requires) || slices.Contains(scopes, ScopeAdmin)
}

// checkScope returns ErrAnswerScope if the person who answers lacks the scope that
// the question requires, unless the answer is a rejection.
func (q Question) checkScope(r Reply) error {
	rejected := slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.ID == r.Choice && c.rejects() })
	if rejected || q.allowedTo(r.Scopes) {
		return nil
	}
	return ErrAnswerScope
}
