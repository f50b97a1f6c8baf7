package fakemodel

import "fmt"

// messagesReply is what a streamed and a whole reply have in common.
type messagesReply struct {
	x    *exchange
	turn turn
	rule usageRule
}

// id has a fixed width, as chatID has, for the same reason.
func (m messagesReply) id() string { return fmt.Sprintf("msg_%08d", m.x.entry.N) }

func (m messagesReply) callID(index int) string {
	return fmt.Sprintf("toolu_%08d_%02d", m.x.entry.N, index)
}

// messagesUsage leaves out the input where it is nil: the last word on it was said.
type messagesUsage struct {
	Input      *int `json:"input_tokens,omitempty"`
	CacheWrite *int `json:"cache_creation_input_tokens,omitempty"`
	CacheRead  *int `json:"cache_read_input_tokens,omitempty"`
	Output     int  `json:"output_tokens"`
}

// messagesUsageOf counts as the API does: the input is what no cache had or took.
func messagesUsageOf(u usage) *messagesUsage {
	fresh := u.in - u.cacheRead - u.cacheWrite
	return &messagesUsage{&fresh, &u.cacheWrite, &u.cacheRead, u.out}
}

type messagesMessage struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Role         string          `json:"role"`
	Model        string          `json:"model"`
	Content      []messagesBlock `json:"content"`
	StopReason   *string         `json:"stop_reason"`
	StopSequence *string         `json:"stop_sequence"`
	Usage        *messagesUsage  `json:"usage,omitempty"`
}

func (m messagesReply) message() messagesMessage {
	return messagesMessage{ID: m.id(), Type: "message", Role: "assistant", Model: m.turn.model, Content: []messagesBlock{}}
}

type messagesBlock struct {
	Type      string  `json:"type"`
	Thinking  *string `json:"thinking,omitempty"`
	Signature *string `json:"signature,omitempty"`
	Text      *string `json:"text,omitempty"`
	ID        string  `json:"id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Input     any     `json:"input,omitempty"`
}

type messagesEvent struct {
	Type    string           `json:"type"`
	Message *messagesMessage `json:"message,omitempty"`
	Index   *int             `json:"index,omitempty"`
	Block   *messagesBlock   `json:"content_block,omitempty"`
	Delta   any              `json:"delta,omitempty"`
	Usage   *messagesUsage   `json:"usage,omitempty"`
}

type messagesDelta struct {
	Type      string  `json:"type"`
	Thinking  *string `json:"thinking,omitempty"`
	Signature *string `json:"signature,omitempty"`
	Text      *string `json:"text,omitempty"`
	JSON      *string `json:"partial_json,omitempty"`
}

type messagesEnd struct {
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
}
