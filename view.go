package bellcord

import (
	"encoding/json"
	"strings"
)

// CallView is how a call is shown in addition to its title and arguments. For a
// list, nil means unchanged, and an empty list means that nothing is shown.
type CallView struct {
	Locations []Location    `json:"locations,omitzero"`
	Content   []CallContent `json:"content,omitzero"`
	// Meta contains members outside of the agent's protocol, as the agent sent
	// them.
	Meta json.RawMessage `json:"meta,omitempty"`
}

// Apply changes the call by the update.
func (u ToolCallUpdated) Apply(to *ToolCallRequested) {
	if u.Title != "" {
		to.Title = u.Title
	}
	if u.ToolKind != "" {
		to.ToolKind = u.ToolKind
	}
	if u.Arguments != nil {
		to.Arguments, to.ArgumentsPending = u.Arguments, false
	}
	if u.Locations != nil {
		to.Locations = u.Locations
	}
	if u.Content != nil {
		to.Content = u.Content
	}
	if u.Meta != nil {
		to.Meta = u.Meta
	}
}

// Location is a place in a file that a call reads or changes.
type Location struct {
	Path string `json:"path"`           // absolute
	Line int    `json:"line,omitempty"` // counted from 1; 0 if it is not specified
}

// CallContent is one part of what a call shows, without its output. One of Change,
// Terminal and Block is set.
type CallContent struct {
	Change *Change `json:"change,omitempty"`
	// Terminal is the id of a terminal. The output of the call is the output of
	// that terminal.
	Terminal string `json:"terminal,omitempty"`
	// Contained means that Bellcord runs the terminal. Otherwise the agent runs
	// the command, and the terminal only displays its output.
	Contained bool `json:"contained,omitempty"`
	// Block is any other content, such as an image, as the agent sent it.
	Block json.RawMessage `json:"block,omitempty"`
	Meta  json.RawMessage `json:"meta,omitempty"` // as in CallView, for a change
}

// PlanEntry is one step of an agent's plan.
type PlanEntry struct {
	Text     string `json:"text"`
	Priority string `json:"priority,omitempty" enum:"high,medium,low"`
	Status   string `json:"status" enum:"pending,in_progress,completed"`
}

// Markdown returns the plan as a list of tasks.
func (p PlanUpdated) Markdown() string {
	marks := map[string]string{"completed": "x", "in_progress": "~"}
	lines := make([]string, len(p.Entries))
	for i, e := range p.Entries {
		mark := marks[e.Status]
		if mark == "" {
			mark = " "
		}
		lines[i] = "- [" + mark + "] " + e.Text
	}
	return strings.Join(lines, "\n")
}

// ContextUse is how full the context of a hosted agent is, and the cost of its
// session, both as the agent reports them.
type ContextUse struct {
	UsedTokens int64  `json:"used_tokens"`
	SizeTokens int64  `json:"size_tokens"`
	Cost       *Money `json:"cost,omitempty"`

	Meta json.RawMessage `json:"meta,omitempty"` // as in CallView
}

// Money is an amount in a currency. Some agents use another unit, such as
// credits.
type Money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// Block is one part of a prompt. Its fields depend on Type.
type Block struct {
	Type string `json:"type" enum:"text,image,link,resource,other"`
	Text string `json:"text,omitempty"` // of a text block
	// Number selects an entry of the prompt's Images or Links, counted from 1.
	Number int `json:"number,omitempty"`
	// Content is a resource or other content, as the client sent it.
	Content json.RawMessage `json:"content,omitempty"`
	// Meta contains the other members of a text, an image or a link, as the
	// client sent them.
	Meta json.RawMessage `json:"meta,omitempty"`
}
