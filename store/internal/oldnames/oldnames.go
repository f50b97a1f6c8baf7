// Package oldnames converts stored JSON from the names of events and fields that
// Bellcord used before they were changed once to plain ones.
package oldnames

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/bellcord/bellcord"
)

// kinds maps old event kinds. A kind that is not here has kept its name.
var kinds = map[string]string{
	"prompted": "turn_accepted", "edited": "prompt_edited", "started": "turn_started", "stop_asked": "stop_requested",
	"ended": "turn_ended", "attached": "attachment_loaded", "metered": "usage_reported", "thought": "thinking_delta",
	"sealed": "thinking_signed", "said": "text_delta", "called": "tool_call_requested", "call_started": "tool_call_started",
	"call_output": "tool_output_delta", "call_ended": "tool_call_ended", "asked": "question_opened", "answered": "question_answered",
	"retrying": "model_retry_scheduled", "aside_started": "side_request_started", "aside_ended": "side_request_ended",
	"compacted": "conversation_compacted", "cleared": "conversation_cleared", "hosted": "agent_session_opened", "configured": "session_updated",
}

// fields maps old field names of a JSON object. A nested table converts the value
// of the field, which keeps its name unless the table has one.
type fields map[string]field

type field struct {
	name    string            // new name; "" if it stays
	inside  fields            // of the value, or of each element if the value is an array
	values  map[string]string // of a string
	divisor int64             // of a number: nanoseconds to milliseconds
}

const toMilliseconds = 1_000_000

var (
	usage = fields{
		"input": {name: "input_tokens"}, "output": {name: "output_tokens"}, "cost": {name: "cost_nano_usd"},
		"cache_read": {name: "cache_read_tokens"}, "cache_write": {name: "cache_write_tokens"},
	}
	price = fields{
		"input": {name: "input_nano_usd"}, "output": {name: "output_nano_usd"},
		"cache_read": {name: "cache_read_nano_usd"}, "cache_write": {name: "cache_write_nano_usd"},
	}
	cause = fields{"from": {name: "source"}, "why": {name: "reason"}}
	limit = fields{"tokens": {name: "max_tokens"}, "cost": {name: "max_cost_nano_usd"}}

	prompt = fields{
		"policy": {name: "when_busy"}, "deadline": {name: "deadline_ms", divisor: toMilliseconds}, "steps": {name: "max_steps"},
		"tokens": {name: "max_tokens"}, "cost": {name: "max_cost_nano_usd"}, "session": {name: "session_budget", inside: limit},
	}
	process   = fields{"how": {values: map[string]string{"asked": "terminated", "forced": "killed"}}}
	processes = fields{
		"ended": {inside: process}, "survivors": {inside: process}, "unconfirmed": {inside: process}, "background": {inside: process},
		"proof": {values: map[string]string{"cgroup": "cgroup_empty", "scan": "process_scan", "job": "job_object", "the editor's word": "editor_reported"}},
	}
	receipt = fields{
		"cause": {inside: cause}, "won": {name: "race_winner"},
		"times":     {inside: fields{"requested": {name: "stop_requested"}, "process_gone": {name: "last_process_ended"}}},
		"processes": {inside: processes}, "questions": {name: "withdrawn_questions"},
		"held": {name: "held_turns"}, "dropped": {name: "dropped_turns"},
		"usage": {inside: usage}, "spent": {name: "usage_by_model", inside: usage},
		"kept":      {inside: fields{"text": {name: "text_bytes"}, "thought": {name: "thinking_bytes"}, "results": {name: "finished_calls"}}},
		"abandoned": {name: "agent_abandoned"}, "unsettled": {name: "end_not_durable"},
	}
	side = fields{"for": {name: "purpose"}, "input": {name: "estimated_input_tokens"}, "price": {inside: price}, "usage": {inside: usage}}
)

// bodies maps the fields of events, by their new kind.
var bodies = map[string]fields{
	"turn_accepted":   prompt,
	"stop_requested":  {"cause": {inside: cause}},
	"turn_ended":      {"receipt": {inside: receipt}},
	"step_started":    {"input": {name: "estimated_input_tokens"}, "price": {inside: price}},
	"step_ended":      {"usage": {inside: usage}, "finish": {values: map[string]string{"length": "max_output", "content_filter": "refused", "too_long": "context_full"}}},
	"usage_reported":  {"usage": {inside: usage}},
	"thinking_signed": {"seal": {name: "signature"}},
	"tool_call_requested": {
		"sort": {name: "tool_kind"}, "args": {name: "arguments"}, "seal": {name: "signature"}, "problem": {name: "argument_error"},
	},
	"tool_call_ended":        {"fate": {name: "outcome"}, "text": {name: "result"}, "processes": {inside: processes}},
	"question_opened":        {"question": {inside: fields{"args": {name: "arguments"}}}},
	"model_retry_scheduled":  {"wait": {name: "retry_in_ms", divisor: toMilliseconds}, "why": {name: "reason"}},
	"side_request_started":   side,
	"side_request_ended":     side,
	"conversation_compacted": {"from": {name: "from_seq"}},
	"agent_session_opened":   {"session": {name: "agent_session"}},
	"process_confirmed":      {"process": {inside: process}},
}

// Event converts an event's kind and body. The result is encoded as the store
// encodes new events.
func Event(kind string, body []byte) (string, []byte, error) {
	if renamed, old := kinds[kind]; old {
		kind = renamed
	}
	renamed, err := rename(body, bodies[kind])
	if err != nil {
		return kind, nil, fmt.Errorf("%s event: %w", kind, err)
	}
	decoded, err := bellcord.DecodeBody(kind, renamed)
	if err != nil {
		return kind, nil, err
	}
	encoded, err := json.Marshal(decoded)
	return kind, encoded, err
}

// Prompt converts a stored prompt.
func Prompt(data []byte) ([]byte, error) { return reencode[bellcord.Prompt](data, prompt) }

// Cause converts a stored stop.
func Cause(data []byte) ([]byte, error) { return reencode[bellcord.Cause](data, cause) }

// Receipt converts a stored receipt.
func Receipt(data []byte) ([]byte, error) { return reencode[bellcord.Receipt](data, receipt) }

func reencode[T any](data []byte, table fields) ([]byte, error) {
	renamed, err := rename(data, table)
	if err != nil {
		return nil, err
	}
	var value T
	if err := json.Unmarshal(renamed, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// rename renames the fields of a JSON object, or of each object in an array. The
// values of other fields keep their bytes.
func rename(data []byte, table fields) ([]byte, error) {
	switch trimmed := bytes.TrimSpace(data); {
	case len(table) == 0 || len(trimmed) == 0 || trimmed[0] == 'n': // null
		return data, nil
	case trimmed[0] == '[':
		var all []json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, err
		}
		for i := range all {
			var err error
			if all[i], err = rename(all[i], table); err != nil {
				return nil, err
			}
		}
		return json.Marshal(all)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	converted := make(map[string]json.RawMessage, len(object))
	for name, value := range object {
		f := table[name]
		if f.name != "" {
			name = f.name
		}
		var err error
		if converted[name], err = f.convert(value); err != nil {
			return nil, fmt.Errorf("field %s: %w", name, err)
		}
	}
	return json.Marshal(converted)
}

// convert converts the value of a field.
func (f field) convert(value json.RawMessage) (json.RawMessage, error) {
	switch {
	case f.divisor > 0:
		var number int64
		if err := json.Unmarshal(value, &number); err != nil {
			return nil, err
		}
		return json.Marshal((number + f.divisor - 1) / f.divisor)
	case f.values != nil:
		var word string
		if err := json.Unmarshal(value, &word); err != nil {
			return nil, err
		}
		if renamed, old := f.values[word]; old {
			word = renamed
		}
		return json.Marshal(word)
	default:
		return rename(value, f.inside)
	}
}
