package fakemodel

import (
	"fmt"
	"strconv"
	"strings"
)

// responsesObject is a response, as a whole or in a stream's events.
type responsesObject struct {
	ID         string            `json:"id"`
	Object     string            `json:"object"`
	Created    int64             `json:"created_at"`
	Status     string            `json:"status"`
	Error      *string           `json:"error"`
	Incomplete *responsesDetails `json:"incomplete_details"`
	Model      string            `json:"model"`
	Output     []any             `json:"output"`
	Parallel   bool              `json:"parallel_tool_calls"`
	Store      bool              `json:"store"`
	Usage      *responsesUsage   `json:"usage"`
}

type responsesDetails struct {
	Reason string `json:"reason"`
}

type responsesUsage struct {
	Input        int `json:"input_tokens"`
	InputDetails struct {
		Cached     int `json:"cached_tokens"`
		CacheWrite int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

// begun returns the response before it has any output.
func (c *responsesReply) begun() responsesObject {
	return responsesObject{
		ID: fmt.Sprintf("resp_%08d", c.x.entry.N), Object: "response", Created: c.created,
		Status: responsesUnderWay, Model: c.turn.model, Output: []any{}, Parallel: true,
	}
}

// ended returns the response with all its items.
func (c *responsesReply) ended(reason finishReason, total usage) responsesObject {
	r := c.begun()
	r.Status = responsesCompleted
	if why := responsesCutShort(reason); why != "" {
		r.Status, r.Incomplete = responsesIncomplete, &responsesDetails{why}
	}
	for _, item := range c.items {
		r.Output = append(r.Output, item.shown())
	}
	r.Usage = c.usageOf(total)
	return r
}

func (c *responsesReply) usageOf(u usage) *responsesUsage {
	if c.rule.off {
		return nil
	}
	reported := &responsesUsage{Input: u.in, Output: u.out, Total: u.in + u.out}
	reported.InputDetails.Cached, reported.InputDetails.CacheWrite = u.cacheRead, u.cacheWrite
	for _, item := range c.items {
		if item.kind == responsesReasoning {
			reported.OutputDetails.Reasoning = min(u.out, tokens(item.text.Len()))
		}
	}
	return reported
}

// responsesWhole collects the reply and sends it as one body.
type responsesWhole struct{ responsesReply }

func (c *responsesWhole) headers() { c.x.head(200, "application/json") }

func (c *responsesWhole) open() error { return nil }

func (c *responsesWhole) add(b beat, _ usage) error {
	c.placeBeat(b)
	return c.x.r.Context().Err()
}

func (c *responsesWhole) finish(reason finishReason, total usage) error {
	body := c.body(reason, total)
	if c.x.left < 0 {
		c.x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	c.headers()
	var text strings.Builder
	for _, item := range c.items {
		if item.kind == responsesMessage {
			text.WriteString(item.text.String())
		}
	}
	return c.x.deliverPiece(body, text.String(), true)
}

// breakOff sends half of the reply, which no client may accept as complete.
func (c *responsesWhole) breakOff() error {
	body := c.body(finishStop, usage{})
	c.headers()
	return c.x.deliverPiece(body[:len(body)/2], "", true)
}

func (c *responsesWhole) body(reason finishReason, total usage) []byte {
	c.closing(reason)
	return encode(c.ended(reason, total))
}
