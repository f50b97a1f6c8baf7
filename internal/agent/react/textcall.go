package react

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// mostTextCall is the maximum length of an answer that can be a tool call.
const mostTextCall = 64 << 10

const textCallNote = "[Bellcord: your answer was a tool call written as text. It was not run, and nothing has changed. " +
	"To call a tool, use the tool interface of this conversation. If you meant it as text, repeat it with an explanation.]"

// nudge adds a note to the conversation if the answer was a tool call written as
// text, and reports whether it did. The call is never run. A turn gets at most
// one such note, so a model that repeats the mistake ends its turn.
func (j *job) nudge(ctx context.Context) (bool, error) {
	if j.nudged || !textCall(j.answer, j.tools) {
		return false, nil
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	j.nudged = true
	return true, j.w.Emit(bellcord.ContextAdded{Reason: "text_call", Text: textCallNote})
}

// Forms of tool calls in text, each as the whole answer.
var (
	tagged   = onePattern(`^(?:<\|?(?:tool_calls?|function_calls?|tool_use|invoke|function)\b[^>]*>|\[TOOL_CALLS\])`)
	fenced   = onePattern("^```[\\w-]*\\n(?s:(.*?))\\n?```$")
	callForm = onePattern(`^(?:functions\.|default_api\.|tools\.)?([A-Za-z_][\w-]*)\s*\((?s:.*)\)$`)
)

func onePattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// textCall reports whether an answer consists of nothing but a call of one of
// the tools.
func textCall(answer string, tools []tool.Tool) bool {
	answer = strings.TrimSpace(answer)
	if len(answer) == 0 || len(answer) > mostTextCall {
		return false
	}
	if tagged().MatchString(answer) && (strings.HasSuffix(answer, ">") || strings.HasSuffix(answer, "]")) {
		return slices.ContainsFunc(tools, func(t tool.Tool) bool { return strings.Contains(answer, t.Name) })
	}
	if m := fenced().FindStringSubmatch(answer); m != nil {
		answer = strings.TrimSpace(m[1])
	}
	if m := callForm().FindStringSubmatch(answer); m != nil {
		return isTool(m[1], tools)
	}
	return isTool(calledIn(answer), tools)
}

// calledIn returns the name of the tool that a JSON object calls, or "".
func calledIn(text string) string {
	var call struct {
		Name       string          `json:"name"`
		Tool       string          `json:"tool"`
		ToolName   string          `json:"tool_name"`
		Function   json.RawMessage `json:"function"`
		Arguments  json.RawMessage `json:"arguments"`
		Args       json.RawMessage `json:"args"`
		Parameters json.RawMessage `json:"parameters"`
		Input      json.RawMessage `json:"input"`
		ToolInput  json.RawMessage `json:"tool_input"`
	}
	if json.Unmarshal([]byte(text), &call) != nil {
		return ""
	}
	if call.Function != nil {
		if inner := calledIn(string(call.Function)); inner != "" {
			return inner
		}
		_ = json.Unmarshal(call.Function, &call.Name) // an object is no name
	}
	if len(call.Arguments)+len(call.Args)+len(call.Parameters)+len(call.Input)+len(call.ToolInput) == 0 {
		return ""
	}
	return call.Name + call.Tool + call.ToolName
}

func isTool(name string, tools []tool.Tool) bool {
	name = strings.TrimPrefix(name, "functions.")
	return name != "" && slices.ContainsFunc(tools, func(t tool.Tool) bool { return strings.EqualFold(t.Name, name) })
}
