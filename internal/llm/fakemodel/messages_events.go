package fakemodel

import "fmt"

// messagesReply contains the common parts of a streamed and a whole reply.
type messagesReply struct {
	x    *exchange
	turn turn
	rule usageRule
}

// id returns an id of a fixed width, like chatID.
func (m messagesReply) id() string { return fmt.Sprintf("msg_%08d", m.x.entry.N) }

func (m messagesReply) callID(index int) string {
	return fmt.Sprintf("toolu_%08d_%02d", m.x.entry.N, index)
}

// messagesUsage omits the input tokens if they are nil, because they were
// reported before.
type messagesUsage struct {
	Input      *int `json:"input_tokens,omitempty"`
	CacheWrite *int `json:"cache_creation_input_tokens,omitempty"`
	CacheRead  *int `json:"cache_read_input_tokens,omitempty"`
	Output     int  `json:"output_tokens"`
}

// messagesUsageOf converts usage as the API reports it: input tokens exclude
// those read from or written to the cache.
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
