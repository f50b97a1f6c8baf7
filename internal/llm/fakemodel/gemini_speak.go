package fakemodel

import (
	"fmt"
	"strconv"
	"strings"
)

// geminiStream sends the reply as server-sent events, each with the usage so
// far. The event with a finish reason is the last one.
type geminiStream struct{ geminiReply }

func (g *geminiStream) headers() { g.x.head(200, "text/event-stream") }

func (g *geminiStream) open() error {
	g.headers()
	err := g.x.flush()
	if err != nil {
		g.x.undelivered("")
	}
	return err
}

func (g *geminiStream) add(b beat, soFar usage) error {
	for _, part := range g.parts(b) {
		text := ""
		if b.kind == beatText {
			text = b.text
		}
		if err := g.event(g.chunk(soFar, part), text, false); err != nil {
			return err
		}
	}
	return g.x.r.Context().Err() // even if there was nothing to send
}

func (g *geminiStream) finish(reason finishReason, total usage) error {
	return g.event(g.last(reason, total), "", true)
}

func (g *geminiStream) breakOff() error { return nil }

// event sends one event, with the line endings of Google's servers.
func (g *geminiStream) event(chunk geminiChunk, text string, last bool) error {
	return g.x.deliverPiece(fmt.Appendf(nil, "data: %s\r\n\r\n", encode(chunk)), text, last)
}

// geminiWhole collects the reply and sends it as one body.
type geminiWhole struct {
	geminiReply
	all  []geminiPart
	text strings.Builder
}

func (g *geminiWhole) headers() { g.x.head(200, "application/json") }

func (g *geminiWhole) open() error { return nil }

func (g *geminiWhole) add(b beat, _ usage) error {
	if b.kind == beatText {
		g.text.WriteString(b.text)
	}
	for _, part := range g.parts(b) {
		g.addPart(part)
	}
	return g.x.r.Context().Err()
}

// addPart merges consecutive parts of one kind, unless one of them is signed.
func (g *geminiWhole) addPart(part geminiPart) {
	if n := len(g.all); n > 0 && part.Text != nil && part.Signature == "" {
		if last := &g.all[n-1]; last.Text != nil && last.Signature == "" && last.Thought == part.Thought {
			both := *last.Text + *part.Text
			last.Text = &both
			return
		}
	}
	g.all = append(g.all, part)
}

func (g *geminiWhole) finish(reason finishReason, total usage) error {
	body := g.body(reason, total)
	if g.x.left < 0 {
		g.x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	g.headers()
	return g.x.deliverPiece(body, g.text.String(), true)
}

// breakOff sends half of the reply, which no client may accept as complete.
func (g *geminiWhole) breakOff() error {
	body := g.body(finishStop, usage{})
	g.headers()
	return g.x.deliverPiece(body[:len(body)/2], "", true)
}

func (g *geminiWhole) body(reason finishReason, total usage) []byte {
	chunk := g.last(reason, total)
	content := &chunk.Candidates[0].Content
	if end := content.Parts[0]; end.Signature != "" || len(g.all) == 0 {
		g.all = append(g.all, end)
	}
	content.Parts = g.all
	return encode(chunk)
}
