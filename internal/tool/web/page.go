package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostPage is the maximum number of bytes of text that fetch returns.
const mostPage = 100 << 10

// Page is a response, or the part of it that was received.
type Page struct {
	head   string // the line before the text
	Code   int
	kind   string // media type
	latin1 bool
	body   []byte
	cut    bool
}

// read reads the body up to most bytes. It reads nothing if the media type is
// given and is not text.
func (p *Page) read(ctx context.Context, body io.Reader, most int64) error {
	if p.kind != "" && p.kind != "application/octet-stream" && !textual(p.kind) {
		return nil
	}
	piece := make([]byte, 32<<10)
	for {
		n, err := body.Read(piece)
		room := min(most-int64(len(p.body)), int64(n))
		p.body = append(p.body, piece[:room]...)
		switch {
		case int64(n) > room:
			p.cut = true
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		}
	}
}

func textual(kind string) bool {
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/ecmascript",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-ndjson", "application/sql", "application/x-sh", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

// PageText returns the page as text for the model.
func (p *Page) PageText() string {
	text := string(p.body)
	if p.latin1 {
		var all strings.Builder
		for _, b := range p.body {
			all.WriteRune(rune(b))
		}
		text = all.String()
	}
	if p.kind == "text/html" || p.kind == "application/xhtml+xml" {
		text = htmlText(text)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	note := ""
	if p.cut {
		note = fmt.Sprintf("\n[cut: only the first %d bytes of the page were read]", len(p.body))
	}
	if len(text) > mostPage {
		text = strings.ToValidUTF8(text[:mostPage], "")
		note = fmt.Sprintf("\n[cut after %d bytes of text]", mostPage)
	}
	return p.head + text + note
}
