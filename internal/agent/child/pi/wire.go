package pi

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/bellcord/bellcord"
)

// record contains the fields of all of pi's records that this package uses.
type record struct {
	Type string `json:"type"`
	ID   string `json:"id"`

	// Fields of a response.
	Command string          `json:"command"`
	Success bool            `json:"success"`
	Error   string          `json:"error"`
	Data    json.RawMessage `json:"data"`

	// Fields of message events.
	RawMessage json.RawMessage `json:"message"`
	Message    message         `json:"-"`
	Update     update          `json:"assistantMessageEvent"`
	Usage      usage           `json:"usage"`

	// Fields of tool events.
	ToolCallID    string          `json:"toolCallId"`
	ToolName      string          `json:"toolName"`
	Args          json.RawMessage `json:"args"`
	PartialResult result          `json:"partialResult"`
	Result        result          `json:"result"`
	IsError       bool            `json:"isError"`

	// Fields of retries and compactions.
	Attempt      int     `json:"attempt"`
	DelayMs      float64 `json:"delayMs"`
	ErrorMessage string  `json:"errorMessage"`
	WillRetry    bool    `json:"willRetry"`

	// Fields of changes of the session.
	Level string `json:"level"` // of thinking
	Name  string `json:"name"`  // of the session

	// Fields of a dialog.
	Method      string   `json:"method"`
	Title       string   `json:"title"`
	Words       string   `json:"-"` // its message
	Options     []string `json:"options"`
	Placeholder string   `json:"placeholder"`
	Prefill     string   `json:"prefill"`
	Timeout     float64  `json:"timeout"`

	// Not from pi: the user's answer to a dialog, or a message for the run.
	Answer   *answer   `json:"-"`
	Steering *steering `json:"-"`
}

// isDialog reports whether the record is a dialog that pi waits for.
func (r record) isDialog() bool {
	if r.Type != "extension_ui_request" {
		return false
	}
	switch r.Method {
	case "select", "confirm", "input", "editor":
		return true
	}
	return false
}

type message struct {
	Role         string  `json:"role"`
	Content      content `json:"content"`
	Provider     string  `json:"provider"`
	Model        string  `json:"model"`
	Usage        usage   `json:"usage"`
	StopReason   string  `json:"stopReason"`
	ErrorMessage string  `json:"errorMessage"`
	ToolCallID   string  `json:"toolCallId"`
	IsError      bool    `json:"isError"`

	// Fields of messages in an earlier conversation.
	Summary string `json:"summary"`
	Command string `json:"command"`
	Output  string `json:"output"`
}

// model returns the message's model in Bellcord's notation.
func (m message) model() string { return model{Provider: m.Provider, ID: m.Model}.name() }

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// content is a list of blocks. A plain string is decoded as one text block.
type content []block

func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]block)(c))
}

// plainText returns the content as text to display.
func (c content) plainText() string {
	var all []string
	for _, b := range c {
		switch b.Type {
		case "text":
			all = append(all, b.Text)
		case "image":
			all = append(all, "[an image]")
		}
	}
	return strings.Join(all, "\n")
}

type result struct {
	Content content `json:"content"`
}

type update struct {
	Type         string `json:"type"`
	ContentIndex int    `json:"contentIndex"`
	Delta        string `json:"delta"`
	Content      string `json:"content"`
}

type usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total float64 `json:"total"` // in dollars
	} `json:"cost"`
}

// exact returns the usage that the model reported, or nil if it reported none.
func (u usage) exact() *bellcord.Usage {
	input := u.Input + u.CacheRead + u.CacheWrite // pi counts cached tokens separately
	if input+u.Output == 0 {
		return nil
	}
	return &bellcord.Usage{
		InputTokens: input, CacheReadTokens: u.CacheRead, CacheWriteTokens: u.CacheWrite, OutputTokens: u.Output,
		CostNanoUSD: int64(math.Round(u.Cost.Total * 1e9)), Exact: true,
	}
}

type model struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
	Name     string `json:"name"` // for people
}

// name returns the model in Bellcord's notation.
func (m model) name() string {
	if m.ID == "" {
		return ""
	}
	return m.Provider + "/" + m.ID
}

// state is the result of get_state.
type state struct {
	Model               model  `json:"model"`
	ThinkingLevel       string `json:"thinkingLevel"`
	IsStreaming         bool   `json:"isStreaming"`
	IsCompacting        bool   `json:"isCompacting"`
	SessionFile         string `json:"sessionFile"`
	SessionID           string `json:"sessionId"`
	PendingMessageCount int    `json:"pendingMessageCount"`
}

func (s state) busy() bool { return s.IsStreaming || s.IsCompacting }

// id returns the id of pi's session: the path of its file, if there is one.
func (s state) id() string {
	if s.SessionFile != "" {
		return s.SessionFile
	}
	return s.SessionID
}

func stateOf(data json.RawMessage) state { return dataOf[state](data) }

// dataOf decodes the data of a response. Missing fields, and fields with an
// unexpected type, stay zero.
func dataOf[T any](data json.RawMessage) T {
	var decoded T
	_ = json.Unmarshal(data, &decoded)
	return decoded
}
