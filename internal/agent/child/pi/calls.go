package pi

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
)

// calls contains the tool calls of a run that have not ended. There are few at
// a time.
type calls []*call

type call struct {
	id      string
	started bool
	output  string                 // as last reported by pi: all of it, or its end
	changes []bellcord.CallContent // made if the call succeeds
}

func (c *calls) find(id string) *call {
	if i := slices.IndexFunc(*c, func(one *call) bool { return one.id == id }); i >= 0 {
		return (*c)[i]
	}
	return nil
}

func (c *calls) addCall(id string, changes []bellcord.CallContent) {
	*c = append(*c, &call{id: id, changes: changes})
}

func (c *calls) only() string {
	found := ""
	for _, one := range *c {
		if one.started && found != "" {
			return ""
		}
		if one.started {
			found = one.id
		}
	}
	return found
}

func (c *calls) startCall(t *converter, id string) {
	if one := c.find(id); one != nil && !one.started {
		one.started = true
		t.emit(bellcord.ToolCallStarted{Call: id})
	}
}

func (c *calls) output(t *converter, id, all string) {
	one := c.find(id)
	if one == nil {
		return
	}
	if more := grown(one.output, all); more != "" {
		t.emit(bellcord.ToolOutputDelta{Call: id, Text: more})
	}
	one.output = all
}

// endCall ends an open call. Pi reports an end twice: for the tool, and with
// the result for the model. A call that fails after a stop counts as stopped. The
// result of a tool that reported no output is its output.
func (c *calls) endCall(t *converter, id, text string, failed bool) {
	one := c.find(id)
	if one == nil {
		return
	}
	*c = slices.DeleteFunc(*c, func(other *call) bool { return other == one })
	ended := bellcord.ToolCallEnded{Call: id, Outcome: bellcord.CallFinished, Failed: failed, Result: text}
	switch {
	case failed && !one.started:
		ended.Outcome, ended.Result = bellcord.CallNotStarted, "[not started: "+text+"]"
	case failed && t.stopping:
		ended.Outcome, ended.Result = bellcord.CallStopped, history.ResultText(bellcord.CallStopped, text)
	case one.output == "" && text != "":
		t.emit(bellcord.ToolOutputDelta{Call: id, Text: text})
	}
	if !failed && len(one.changes) > 0 {
		t.emit(bellcord.ToolCallUpdated{Call: id, CallView: bellcord.CallView{Content: one.changes}})
	}
	t.emit(ended)
}

// seam is how many bytes of the end of an output are searched for in the next
// one. If they are not found, whole lines of up to mostShared bytes are
// compared.
const seam, mostShared = 256, 4096

// grown returns what has was extended by since had. Pi repeats the whole output
// each time or, if it is long, only its end. If the two share nothing, all of
// has is new and starts on a new line.
func grown(had, has string) string {
	if rest, longer := strings.CutPrefix(has, had); longer {
		return rest
	}
	end := had[max(0, len(had)-seam):]
	if i := strings.LastIndex(has, end); i >= 0 {
		return has[i+len(end):]
	}
	for k := min(len(had), len(has), mostShared); k > 0; k-- {
		if has[k-1] == '\n' && strings.HasSuffix(had, has[:k]) {
			return has[k:]
		}
	}
	if has == "" {
		return ""
	}
	return "\n" + has
}
