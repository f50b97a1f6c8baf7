package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// piClient is a client of pi's RPC protocol for one process.
type piClient struct {
	*agent
	trial   *trial
	records *journal[piRecord]

	mu     sync.Mutex
	lastID int
}

// piRecord contains the fields of pi's records that the checks use.
type piRecord struct {
	at      time.Time
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Command string          `json:"command"`
	Success bool            `json:"success"`
	Error   string          `json:"error"`
	Data    json.RawMessage `json:"data"`
	Method  string          `json:"method"`
	Tool    string          `json:"toolCallId"`
	DelayMS int             `json:"delayMs"`
	Message struct {
		Role       string `json:"role"`
		StopReason string `json:"stopReason"`
	} `json:"message"`
	Event struct {
		Type string `json:"type"`
	} `json:"assistantMessageEvent"`
}

func (r piRecord) responds(id string) bool { return r.Type == "response" && r.ID == id }

func (r piRecord) isText() bool {
	return r.Type == "message_update" && (r.Event.Type == "text_delta" || r.Event.Type == "thinking_delta")
}

// works reports whether the record belongs to a run and must not follow its
// end.
func (r piRecord) works() bool {
	switch r.Type {
	case "agent_start", "turn_start", "message_start", "message_update", "tool_execution_start", "tool_execution_update":
		return true
	}
	return false
}

// pi starts pi and waits for its response to get_state, because pi sends
// nothing by itself.
func (t *trial) pi(ctx context.Context) (*piClient, error) {
	c := &piClient{trial: t, records: newJournal[piRecord]()}
	ready := make(chan struct{}) // the first line is handled after c is complete
	a, err := t.startAgent(func(at time.Time, line []byte) {
		<-ready
		c.handleLine(at, line)
	}, c.records.endInput)
	if err != nil {
		return nil, err
	}
	c.agent = a
	close(ready)
	_, err = c.sendAndWait(ctx, map[string]any{"type": "get_state"}, t.opts.Starting)
	return c, err
}

// handleLine handles one line. It answers dialogs of extensions with the first option
// or a confirmation, and cancels dialogs for text input.
func (c *piClient) handleLine(at time.Time, line []byte) {
	r := piRecord{at: at}
	var dialog struct {
		Options []string `json:"options"`
	}
	if json.Unmarshal(line, &r) != nil {
		return
	}
	_ = json.Unmarshal(line, &dialog)
	c.records.addEntry(r)
	if r.Type != "extension_ui_request" {
		return
	}
	answer := map[string]any{"type": "extension_ui_response", "id": r.ID}
	switch {
	case r.Method == "select" && len(dialog.Options) > 0:
		answer["value"] = dialog.Options[0]
	case r.Method == "confirm":
		answer["confirmed"] = true
	case r.Method == "input" || r.Method == "editor":
		answer["cancelled"] = true
	default:
		return // a notification that needs no response
	}
	_ = c.writeLines(encode(answer)) // pi may have exited
}

// command returns the line of a new command and its id. It does not write it.
func (c *piClient) command(fields map[string]any) (id string, line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id = "probe" + strconv.Itoa(c.lastID)
	fields["id"] = id
	return id, encode(fields)
}

// sendAndWait sends a command and waits for its response.
func (c *piClient) sendAndWait(ctx context.Context, fields map[string]any, within time.Duration) (piRecord, error) {
	id, line := c.command(fields)
	from := c.records.len()
	if err := c.writeLines(line); err != nil {
		return piRecord{}, err
	}
	r, n := c.records.await(ctx, from, within, func(r piRecord) bool { return r.responds(id) })
	switch {
	case n < 0:
		return r, fmt.Errorf("%s: no response%s", fields["type"], c.lastWords())
	case !r.Success:
		return r, fmt.Errorf("%s: %s", fields["type"], r.Error)
	}
	return r, nil
}

type piState struct {
	Streaming bool `json:"isStreaming"`
	Pending   int  `json:"pendingMessageCount"`
}

func (c *piClient) state(ctx context.Context) (piState, error) {
	var s piState
	r, err := c.sendAndWait(ctx, map[string]any{"type": "get_state"}, c.trial.opts.Patience)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(r.Data, &s)
}

func (c *piClient) prompt(ctx context.Context, s script) (from int, err error) {
	from = c.records.len()
	_, err = c.sendAndWait(ctx, map[string]any{"type": "prompt", "message": s.text}, normally)
	return from, err
}

// speaking sends a long prompt and waits until its run produces text.
func (c *piClient) speaking(ctx context.Context) (s script, from int, err error) {
	s = c.trial.long()
	if from, err = c.prompt(ctx, s); err != nil {
		return s, from, err
	}
	if _, n := c.records.await(ctx, from, normally, piRecord.isText); n < 0 {
		err = errors.New("the run produced no output" + c.lastWords())
	}
	return s, from, err
}

// normal runs a short turn to its end, and reports whether it ended normally,
// with its stop reason.
func (c *piClient) normal(ctx context.Context) (bool, string) {
	from, err := c.prompt(ctx, c.trial.short())
	if err != nil {
		return false, oneLine(err.Error())
	}
	_, n := c.records.await(ctx, from, normally, func(r piRecord) bool { return r.Type == "agent_end" })
	if n < 0 {
		return false, "no agent_end"
	}
	reason := "no message"
	for _, r := range c.records.since(from)[:n-from] {
		if r.Type == "message_end" && r.Message.Role == "assistant" {
			reason = r.Message.StopReason
		}
	}
	return reason == "stop", reason
}
