package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// server is one configured server and, after its first use, its link.
type server struct {
	Server
	spawn Spawner
	opts  Options

	mu     sync.Mutex
	closed bool
	link   *link
	began  time.Time // time of the last start
}

// backOff is the minimum time between two starts.
const backOff = time.Second

// up returns the link to the server, and starts a new one if the last has
// ended. It waits until the server is ready or ctx ends; the start continues
// without it.
func (s *server) up(ctx context.Context) (*link, error) {
	l, err := s.current()
	if err != nil {
		return nil, err
	}
	select {
	case <-l.ready:
		return l, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *server) current() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.link != nil && !s.link.ended() {
		return s.link, nil
	}
	wait := max(0, time.Until(s.began.Add(backOff)))
	s.began = time.Now().Add(wait)
	var before <-chan struct{}
	if s.link != nil {
		before = s.link.gone
	}
	s.link = newLink(s)
	go s.link.live(wait, before)
	return s.link, nil
}

// closeLink starts to close the link, if there is one, and prevents new ones.
// It returns the link, or nil.
func (s *server) closeLink() *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.link != nil {
		s.link.startClosing()
	}
	return s.link
}

// described is a tool as its server describes it.
type described struct {
	name     string
	llm      llm.Tool // the name is set later
	readOnly bool     // according to the server

	definition string // a hash of the whole description
}

// listTools returns the tools that the server offers.
func (s *server) listTools(ctx context.Context) ([]described, error) {
	ctx, done := context.WithTimeoutCause(ctx, s.opts.Start, fmt.Errorf("did not list its tools within %v", s.opts.Start))
	defer done()
	l, err := s.up(ctx)
	if err != nil {
		return nil, err
	}
	tools, err := l.listTools(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return tools, err
}

const mostDescription = 16 << 10

func describe(t *sdk.Tool) described {
	schema, err := json.Marshal(t.InputSchema)
	if _, object := t.InputSchema.(map[string]any); err != nil || !object {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	return described{
		name:     t.Name,
		llm:      llm.Tool{Description: clip(t.Description, mostDescription), Schema: schema},
		readOnly: t.Annotations != nil && t.Annotations.ReadOnlyHint,

		definition: definition(t),
	}
}

const maxQuestionArguments = 400 // maximum bytes of arguments in a question

func (s *server) tool(name string, d described) tool.Tool {
	t := tool.Tool{
		Tool:    d.llm,
		AnyFile: true,
		Effect:  permit.Reaches,
		Subject: func(_ string, args json.RawMessage) string { return asWritten(args) },
		Check: func(args json.RawMessage) error {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(args, &object); err != nil || object == nil {
				return errors.New("arguments: not a JSON object")
			}
			return nil
		},
		Run: func(ctx context.Context, call tool.Call) tool.Result { return s.callTool(ctx, d.name, call) },
	}
	t.Name = name
	t.Question = func(args json.RawMessage) string {
		return fmt.Sprintf("Call the tool %s of the MCP server %s with %s?", d.name, s.Name, clip(string(args), maxQuestionArguments))
	}
	if d.readOnly && s.TrustHints {
		t.Safe, t.AnyFile, t.Effect = true, false, permit.Reads
	}
	t.Changed = func() string {
		switch changed, err := s.opts.Pins.changed(s.Server, d); {
		case err != nil:
			return fmt.Sprintf("Bellcord could not check whether the tool %s of the MCP server %s changed (%v)", d.name, s.Name, err)
		case changed:
			return fmt.Sprintf("the tool %s of the MCP server %s changed since it was last used", d.name, s.Name)
		}
		return ""
	}
	t.Used = func() error { return s.opts.Pins.pin(s.Server, d) }
	return t
}

// asWritten returns the subject that rules match: all arguments, without the
// whitespace between JSON tokens.
func asWritten(args json.RawMessage) string {
	var text bytes.Buffer
	if err := json.Compact(&text, args); err != nil {
		return string(args)
	}
	return text.String()
}
