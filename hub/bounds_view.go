package hub

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bellcord/bellcord"
)

// addUpdate counts an update of a hosted agent. It drops updates beyond the
// limit: they change what is shown, and the turn does not depend on them.
func (n *bounds) addUpdate(b bellcord.Body, size, limit int) ([]bellcord.Body, error) {
	if n.updates+size > limit {
		return nil, nil
	}
	n.updates += size
	return []bellcord.Body{b}, nil
}

// boundedUpdates counts the parts of an imported message. It returns nil if they
// do not fit: then only the text of the message is recorded.
func (n *bounds) boundedUpdates(updates []json.RawMessage) []json.RawMessage {
	size := 0
	for _, u := range updates {
		size += len(u)
	}
	if n.updates+size > bellcord.MaxAgentUpdates || slices.ContainsFunc(updates, func(u json.RawMessage) bool { return len(u) > bellcord.MaxAgentUpdate }) {
		return nil
	}
	n.updates += size
	return updates
}

// boundedArguments replaces arguments that are too long with a note.
func boundedArguments(args json.RawMessage) json.RawMessage {
	if len(args) <= bellcord.MaxArguments {
		return args
	}
	return fmt.Appendf(nil, `{"omitted":"%d bytes of arguments"}`, len(args))
}

// boundedView replaces content that is too long with a note.
func boundedView(v bellcord.CallView) bellcord.CallView {
	size := viewSize(v)
	if size <= bellcord.MaxArguments {
		return v
	}
	note := fmt.Appendf(nil, `{"type":"text","text":"[%d bytes of content omitted]"}`, size)
	return bellcord.CallView{Content: []bellcord.CallContent{{Block: note}}}
}

// viewSize returns the size of a view in bytes, without its structure.
func viewSize(v bellcord.CallView) int {
	size := len(v.Meta)
	for _, l := range v.Locations {
		size += len(l.Path)
	}
	for _, c := range v.Content {
		size += len(c.Block) + len(c.Meta) + len(c.Terminal)
		if c.Change == nil {
			continue
		}
		size += len(c.Change.Path) + len(c.Change.New)
		if c.Change.Old != nil {
			size += len(*c.Change.Old)
		}
	}
	return size
}

func planSize(p bellcord.PlanUpdated) int {
	size := 0
	for _, e := range p.Entries {
		size += len(e.Text)
	}
	return size
}
