package bellcord

import (
	"encoding/json"
	"fmt"
	"time"
)

// Event is one entry of a session's log. Seq counts from 1 within the session,
// without holes; an event is shown to nobody before it is durable.
type Event struct {
	Session SessionID `json:"session"`
	Seq     int64     `json:"seq"`
	Turn    TurnID    `json:"turn,omitempty"` // empty for what concerns the session alone
	Time    time.Time `json:"time"`
	Body    Body      `json:"-"`
}

// Body is what happened. The set is closed: see the types below.
type Body interface{ Kind() string }

// Of a turn's life.
type (
	// Prompted means that the turn was accepted. Text is what the person said.
	Prompted struct {
		Prompt
	}
	// Edited means that the text was changed while the turn waited.
	Edited struct {
		Text string `json:"text"`
	}
	// Started means that the turn left the queue and its agent runs.
	Started struct{}
	// StopAsked means that a stop was requested. The turn is stopping, not yet stopped.
	StopAsked struct {
		Cause Cause `json:"cause"`
	}
	// Ended is the turn's one end, with its receipt. Nothing of the turn follows.
	Ended struct {
		Receipt Receipt `json:"receipt"`
	}
)

// Of an agent's work.
type (
	// StepStarted means that a request goes to the model. Input is our estimate of its
	// tokens, used when a stop cuts off the exact number.
	StepStarted struct {
		Step  int    `json:"step"`
		Model string `json:"model,omitempty"`
		Input int64  `json:"input,omitempty"`
		Price *Price `json:"price,omitempty"` // of the model, where it is known
	}
	// Attached is what a link of the prompt led to when the turn began. The model
	// is told it with the prompt.
	Attached struct {
		Link Link   `json:"link"`
		Text string `json:"text"`
	}
	// Metered is what the model has said of the step's usage before its end. It
	// counts where a stop cuts off the rest.
	Metered struct {
		Usage Usage `json:"usage"`
	}
	// Thought is a piece of the model's thinking.
	Thought struct {
		Text string `json:"text"`
	}
	// Sealed means that the thinking since the last seal is complete. Seal is what
	// the model that made it wants to see when it is given back its thoughts; no
	// other model is given them.
	Sealed struct {
		Seal json.RawMessage `json:"seal"`
	}
	// Said is a piece of the model's answer.
	Said struct {
		Text string `json:"text"`
	}
	// Called means that the model asked for a tool, with complete arguments. Problem is
	// set when they could not be parsed; such a call is never started.
	Called struct {
		Call    string          `json:"call"`
		Name    string          `json:"name"`
		Title   string          `json:"title,omitempty"` // for people, where the agent gives one
		Sort    string          `json:"sort,omitempty"`  // what sort of tool: read, edit, execute …, where the agent says
		Args    json.RawMessage `json:"args"`
		Seal    json.RawMessage `json:"seal,omitempty"` // as of thinking, where a model seals its calls
		Problem string          `json:"problem,omitempty"`
	}
	// CallStarted is durable before the call has its first effect (law 26).
	CallStarted struct {
		Call string `json:"call"`
	}
	// CallOutput is a piece of a running call's output.
	CallOutput struct {
		Call string `json:"call"`
		Text string `json:"text"`
	}
	// CallEnded is the call's result as the model will be told it.
	CallEnded struct {
		Call      string     `json:"call"`
		Fate      Fate       `json:"fate"`
		Failed    bool       `json:"failed,omitempty"`
		Text      string     `json:"text"`
		Processes *Processes `json:"processes,omitempty"` // that came from it
	}
	// Asked means that the turn waits for a person.
	Asked struct {
		Question Question `json:"question"`
	}
	// Answered means that a person chose. A question closed by a stop has no answer; the
	// receipt lists it.
	Answered struct {
		Question string `json:"question"`
		Choice   string `json:"choice"`
		By       string `json:"by,omitempty"`
	}
	// Retrying means that the model could not be reached; the next try comes
	// after Wait.
	Retrying struct {
		Attempt int           `json:"attempt"`
		Wait    time.Duration `json:"wait"`
		Why     string        `json:"why"`
	}
	// StepEnded means that the model's answer is complete.
	StepEnded struct {
		Finish string `json:"finish"` // stop | tool_calls | length | content_filter, as the model said it
		Usage  *Usage `json:"usage,omitempty"`
	}
)

// Of requests that are not part of the conversation: a summary, a title. One
// that was cut off ends with an estimate, or has no end and counts as one.
type (
	// AsideStarted means that such a request goes to a model.
	AsideStarted struct {
		For   string `json:"for"` // compaction | title
		Model string `json:"model,omitempty"`
		Input int64  `json:"input,omitempty"`
		Price *Price `json:"price,omitempty"`
	}
	// AsideEnded tells what it cost.
	AsideEnded struct {
		For   string `json:"for"`
		Usage Usage  `json:"usage"`
	}
)

// Of the conversation as a whole. One event each: there is no half of it.
type (
	// Compacted means that the summary stands for all messages before the event
	// From. Nothing is deleted: the log has them still.
	Compacted struct {
		Summary string `json:"summary"`
		From    int64  `json:"from"`
	}
	// Cleared means that the conversation starts anew behind this event; what
	// still runs is no part of it.
	Cleared struct{}
)

// Hosted means that another agent does the session's work, in a session of its
// own that it can go on with.
type Hosted struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
}

// Configured means that the session's title, model, mode or directory changed.
type Configured struct {
	Dir   string `json:"dir,omitempty"`
	Title string `json:"title,omitempty"`
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty"`
}

func (Prompted) Kind() string    { return "prompted" }
func (Edited) Kind() string      { return "edited" }
func (Started) Kind() string     { return "started" }
func (StopAsked) Kind() string   { return "stop_asked" }
func (Ended) Kind() string       { return "ended" }
func (StepStarted) Kind() string { return "step_started" }
func (Thought) Kind() string     { return "thought" }
func (Said) Kind() string        { return "said" }
func (Called) Kind() string      { return "called" }
func (CallStarted) Kind() string { return "call_started" }
func (CallOutput) Kind() string  { return "call_output" }
func (CallEnded) Kind() string   { return "call_ended" }
func (Asked) Kind() string       { return "asked" }
func (Answered) Kind() string    { return "answered" }
func (Retrying) Kind() string    { return "retrying" }
func (StepEnded) Kind() string   { return "step_ended" }
func (Configured) Kind() string  { return "configured" }

func (Hosted) Kind() string       { return "hosted" }
func (Attached) Kind() string     { return "attached" }
func (Metered) Kind() string      { return "metered" }
func (Sealed) Kind() string       { return "sealed" }
func (AsideStarted) Kind() string { return "aside_started" }
func (AsideEnded) Kind() string   { return "aside_ended" }
func (Compacted) Kind() string    { return "compacted" }
func (Cleared) Kind() string      { return "cleared" }

// DecodeBody is the inverse of a body's Kind and JSON, for stores.
func DecodeBody(kind string, data []byte) (Body, error) {
	decode, known := bodies[kind]
	if !known {
		return nil, fmt.Errorf("unknown event kind %q", kind)
	}
	body, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("decoding %s event: %w", kind, err)
	}
	return body, nil
}

var bodies = map[string]func([]byte) (Body, error){
	"prompted": decodeAs[Prompted], "edited": decodeAs[Edited], "started": decodeAs[Started],
	"stop_asked": decodeAs[StopAsked], "ended": decodeAs[Ended],
	"step_started": decodeAs[StepStarted], "thought": decodeAs[Thought],
	"said": decodeAs[Said], "called": decodeAs[Called],
	"call_started": decodeAs[CallStarted], "call_output": decodeAs[CallOutput],
	"call_ended": decodeAs[CallEnded], "asked": decodeAs[Asked],
	"answered": decodeAs[Answered], "retrying": decodeAs[Retrying],
	"step_ended": decodeAs[StepEnded], "configured": decodeAs[Configured],
	"hosted": decodeAs[Hosted], "attached": decodeAs[Attached], "metered": decodeAs[Metered], "sealed": decodeAs[Sealed],
	"aside_started": decodeAs[AsideStarted], "aside_ended": decodeAs[AsideEnded],
	"compacted": decodeAs[Compacted], "cleared": decodeAs[Cleared],
}

func decodeAs[B Body](data []byte) (Body, error) {
	var b B
	err := json.Unmarshal(data, &b)
	return b, err
}

// MarshalJSON puts the body's kind and fields beside the event's own.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return json.Marshal(struct {
		plain
		Kind string `json:"kind"`
		Body Body   `json:"body"`
	}{plain(e), e.Body.Kind(), e.Body})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (e *Event) UnmarshalJSON(data []byte) error {
	type plain Event
	var wire struct {
		plain
		Kind string          `json:"kind"`
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	body, err := DecodeBody(wire.Kind, wire.Body)
	*e = Event(wire.plain)
	e.Body = body
	return err
}

// joined returns the two bodies as one where that loses nothing: pieces of one
// stream that waited for the same commit.
func joined(a, b Body) (Body, bool) {
	switch a := a.(type) {
	case Said:
		if b, ok := b.(Said); ok {
			return Said{a.Text + b.Text}, true
		}
	case Thought:
		if b, ok := b.(Thought); ok {
			return Thought{a.Text + b.Text}, true
		}
	case CallOutput:
		if b, ok := b.(CallOutput); ok && a.Call == b.Call {
			return CallOutput{a.Call, a.Text + b.Text}, true
		}
	}
	return nil, false
}

// Joined returns the events with neighbours that are pieces of one stream made
// one, under the sequence number of the last: for replays.
func Joined(events []Event) []Event {
	var out []Event
	for _, ev := range events {
		if n := len(out); n > 0 && out[n-1].Turn == ev.Turn {
			if both, ok := joined(out[n-1].Body, ev.Body); ok {
				out[n-1].Seq, out[n-1].Body = ev.Seq, both
				continue
			}
		}
		out = append(out, ev)
	}
	return out
}
