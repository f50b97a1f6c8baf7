package probe

import (
	"encoding/json"
	"regexp"
	"strings"
)

// stops identifies the earlier turns of a conversation by the nonces of their
// prompts: one that was stopped during its text, one that was stopped during a
// tool, and the current one.
type stops struct {
	text, tool, now string
	shown           string // text of the first turn that was sent to the client
}

// gradeHistory grades how a model request represents two stopped turns. It supports the
// formats of all four APIs.
func gradeHistory(raw []byte, before stops) verdict {
	var body any
	if err := json.Unmarshal(raw, &body); err != nil {
		return failed("the request is not JSON: %v", err)
	}
	p := pairing{calls: map[string]int{}, results: map[string]int{}}
	p.walk(body)
	v := p.verdict()
	if !p.met && !mentionsStop.MatchString(between(string(raw), before.tool, before.now)) {
		v = failed("the history does not mention the stopped tool")
	}
	part := between(string(raw), before.text, before.tool)
	switch {
	case strings.Contains(part, firstWord(before.shown)):
		return v.and(true, "the partial text is kept")
	case mentionsStop.MatchString(part):
		return v.and(true, "the partial text is gone, but the history mentions the cut")
	default:
		return v.and(false, "the history does not mention the partial text")
	}
}

var mentionsStop = regexp.MustCompile(`(?i)interrupt|abort|cancel|stopped|cut (off|short)|incomplete|unfinished`)

// between returns the part of a request between two prompts.
func between(raw, from, to string) string {
	_, after, _ := strings.Cut(raw, from)
	part, _, _ := strings.Cut(after, to)
	_, part, _ = strings.Cut(part, "]") // skip the rest of the prompt's marker
	return part
}

// firstWord returns the first word of a text, which identifies it even if the
// agent keeps it in several parts.
func firstWord(shown string) string {
	words := strings.Fields(shown)
	if len(words) == 0 {
		return "\x00" // matches nothing, because no text was shown
	}
	return words[0]
}

// pairing counts tool calls and results by the id that connects them.
type pairing struct {
	calls, results map[string]int
	anonymous      int  // calls minus results without an id, which Gemini allows
	met            bool // a call or a result was found
}

// walk counts the calls and results in a request of any format. Descriptions of
// tools are skipped.
func (p *pairing) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			p.walk(each)
		}
	case map[string]any:
		p.countMessage(v)
		for key, each := range v {
			if key != "tools" {
				p.walk(each)
			}
		}
	}
}

func (p *pairing) countMessage(o map[string]any) {
	kind, _ := o["type"].(string)
	switch {
	case o["role"] == "tool":
		p.addID(p.results, o["tool_call_id"], -1)
	case kind == "function" && o["id"] != nil, kind == "tool_use":
		p.addID(p.calls, o["id"], 1)
	case kind == "tool_result":
		p.addID(p.results, o["tool_use_id"], -1)
	case strings.HasSuffix(kind, "_call_output"):
		p.addID(p.results, o["call_id"], -1)
	case strings.HasSuffix(kind, "_call") && o["call_id"] != nil:
		p.addID(p.calls, o["call_id"], 1)
	}
	if call, ok := o["functionCall"].(map[string]any); ok {
		p.addID(p.calls, call["id"], 1)
	}
	if result, ok := o["functionResponse"].(map[string]any); ok {
		p.addID(p.results, result["id"], -1)
	}
}

func (p *pairing) addID(to map[string]int, id any, sign int) {
	p.met = true
	if name, _ := id.(string); name != "" {
		to[name]++
		return
	}
	p.anonymous += sign
}

func (p *pairing) verdict() verdict {
	dangling, twice, stray := max(0, p.anonymous), 0, max(0, -p.anonymous)
	for id, n := range p.calls {
		if n > 1 {
			twice++
		}
		if p.results[id] == 0 {
			dangling++
		}
	}
	for id, n := range p.results {
		if n > 1 {
			twice++
		}
		if p.calls[id] == 0 {
			stray++
		}
	}
	if dangling+twice+stray == 0 {
		return passed("every call has its result")
	}
	return failed("calls without a result: %d, duplicate calls or results: %d, results without a call: %d", dangling, twice, stray)
}
