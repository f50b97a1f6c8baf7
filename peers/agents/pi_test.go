//go:build linux

package agents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// piTalker is a client of pi's RPC protocol.
type piTalker struct {
	*child
	lines *bufio.Reader
}

func (p *piTalker) requestedPermission() bool { return false }

// prompt returns at agent_end: in these tests pi does not continue after it.
func (p *piTalker) prompt(ctx context.Context, text string) string {
	p.Helper()
	defer context.AfterFunc(ctx, func() { _ = p.out.(io.Closer).Close() })()
	line, err := json.Marshal(object{"id": "1", "type": "prompt", "message": text})
	if err != nil {
		p.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		p.Fatal(err)
	}
	for {
		line, err := p.lines.ReadBytes('\n')
		if err != nil {
			p.Fatalf("reading from pi: %v", errors.Join(err, context.Cause(ctx)))
		}
		if answer, ended := p.ending(line); ended {
			return answer
		}
	}
}

// ending reads one record. The last message of agent_end is pi's final text.
func (p *piTalker) ending(line []byte) (string, bool) {
	p.Helper()
	var record struct {
		Type     string `json:"type"`
		Success  *bool  `json:"success"`
		Error    string `json:"error"`
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			StopReason string          `json:"stopReason"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(line, &record); err != nil {
		p.Fatalf("pi wrote %q: %v", line, err)
	}
	if record.Success != nil && !*record.Success {
		p.Fatalf("pi refused: %s", record.Error)
	}
	if record.Type != "agent_end" || len(record.Messages) == 0 {
		return "", false
	}
	last := record.Messages[len(record.Messages)-1]
	if last.StopReason != "stop" {
		p.Errorf("pi ended with %q: %s", last.StopReason, line)
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(last.Content, &blocks)
	if len(blocks) == 0 {
		return "", true
	}
	return blocks[len(blocks)-1].Text, true
}
