package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

const noArgs = "{}"

// calls assembles tool calls from their fragments, in the order in which the
// calls began.
type calls []*call

type call struct {
	index int64 // -1 if the server sent none
	id    string
	name  string
	args  strings.Builder
}

// addFragment adds a fragment to its call. The index identifies the call, if
// there is one. If a server omits the index or uses the same one for all calls,
// the content of a fragment shows where the next call begins.
func (cs *calls) addFragment(f sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	c := cs.find(f)
	if c == nil || c.endsBefore(f) {
		c = &call{index: -1}
		if f.JSON.Index.Valid() {
			c.index = f.Index
		}
		*cs = append(*cs, c)
	}
	if c.id == "" {
		c.id = f.ID
	}
	if f.Function.Name != c.name { // some servers repeat it with every fragment
		c.name += f.Function.Name
	}
	if c.args.Len() <= bellcord.MaxArguments { // longer arguments are rejected anyway
		c.args.WriteString(f.Function.Arguments)
	}
}

// find returns the newest call that the fragment can belong to.
func (cs calls) find(f sdk.ChatCompletionChunkChoiceDeltaToolCall) *call {
	for i := len(cs) - 1; i >= 0; i-- {
		switch {
		case f.JSON.Index.Valid() && cs[i].index == f.Index:
			return cs[i]
		case !f.JSON.Index.Valid() && f.ID != "" && cs[i].id == f.ID:
			return cs[i]
		}
	}
	if f.JSON.Index.Valid() || len(cs) == 0 {
		return nil
	}
	return cs[len(cs)-1]
}

// endsBefore reports whether the fragment begins another call. It does if it
// contains a function name and also has a different id, a different name
// without an index, or arguments although those of c are complete.
func (c *call) endsBefore(f sdk.ChatCompletionChunkChoiceDeltaToolCall) bool {
	switch {
	case f.Function.Name == "":
		return false
	case f.ID != "" && c.id != "" && f.ID != c.id:
		return true
	case !f.JSON.Index.Valid() && c.name != "" && f.Function.Name != c.name:
		return true
	default:
		return strings.TrimSpace(f.Function.Arguments) != "" && c.complete()
	}
}

// complete reports whether the arguments are complete JSON. It checks the last
// byte first, because it runs for every fragment if the server repeats the
// name.
func (c *call) complete() bool {
	args := strings.TrimRight(c.args.String(), " \t\r\n")
	return strings.HasSuffix(args, "}") && json.Valid([]byte(args))
}

// finishedCalls returns the calls with unique ids. If the model finished the
// calls, missing arguments become an empty object. Otherwise they stay missing,
// so that nothing runs with arguments that the model did not choose.
func (cs calls) finishedCalls(finished bool) ([]llm.Call, error) {
	var out []llm.Call
	for _, c := range cs {
		args := c.args.String()
		if finished && strings.TrimSpace(args) == "" {
			args = noArgs
		}
		out = append(out, llm.Call{ID: c.id, Name: c.name, Args: args})
	}
	return out, llm.Identify(out, "call")
}
