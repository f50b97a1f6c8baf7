package peers_test

import (
	"encoding/json"
	"fmt"
)

// message is a decoded frame, as far as the audit needs it.
type message struct {
	frame
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	params params
}

// params are the parameters of all methods and the results, in one struct.
type params struct {
	SessionID  string          `json:"sessionId"`
	RequestID  json.RawMessage `json:"requestId"`
	StopReason string          `json:"stopReason"`
	MessageID  string          `json:"messageId"`
	Prompt     []struct {
		Text string `json:"text"`
	} `json:"prompt"`
	Update struct {
		Kind       string          `json:"sessionUpdate"`
		ToolCallID string          `json:"toolCallId"`
		Title      string          `json:"title"`
		Status     string          `json:"status"`
		Content    json.RawMessage `json:"content"`
		MessageID  string          `json:"messageId"`
		State      string          `json:"state"`
		StopReason string          `json:"stopReason"`
	} `json:"update"`
}

func (m message) isRequest() bool      { return m.Method != "" && m.ID != nil }
func (m message) isNotification() bool { return m.Method != "" && m.ID == nil }
func (m message) isAnswer() bool       { return m.Method == "" }

// String implements fmt.Stringer.
func (m message) String() string { return fmt.Sprintf("%s: %.300s", m.From, m.Text) }

// understand decodes a frame; the schema validates it.
func understand(f frame) (message, error) {
	m := message{frame: f}
	if err := json.Unmarshal([]byte(f.Text), &m); err != nil {
		return m, fmt.Errorf("%s sent what is no frame: %w: %.300q", f.From, err, f.Text)
	}
	of := m.Params
	if m.isAnswer() {
		of = m.Result
	}
	if of != nil {
		if err := json.Unmarshal(of, &m.params); err != nil {
			return m, fmt.Errorf("%s: %w", m, err)
		}
	}
	return m, nil
}

// understandAll decodes a record up to the agent's exit.
func understandAll(frames []frame) ([]message, error) {
	var all []message
	for _, f := range frames {
		if f.From == "exit" {
			break
		}
		m, err := understand(f)
		if err != nil {
			return all, err
		}
		all = append(all, m)
	}
	return all, nil
}
