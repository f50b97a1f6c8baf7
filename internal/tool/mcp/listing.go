package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listing is what a server told of its tools last.
type listing struct {
	changed atomic.Int64 // how often the server said that its tools changed

	mu    sync.Mutex
	tools []described // nil before the first time
	as    int64       // changed, when they were asked for
}

// These keep a list that never ends from being read for ever.
const (
	mostPages = 100
	mostTools = 1000
)

// listTools returns the tools. It requests them from the server when they may
// have changed, which over HTTP is always (see greet).
func (l *link) listTools(ctx context.Context) ([]described, error) {
	if caps := l.session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil // it is there for something else
	}
	k := &l.listing
	as := k.changed.Load() // before asking: a change from here on is not lost
	k.mu.Lock()
	tools, known := k.tools, k.tools != nil && k.as == as && l.server.URL == ""
	k.mu.Unlock()
	if known {
		return tools, nil
	}
	tools, err := l.ask(ctx)
	if err == nil {
		k.mu.Lock()
		k.tools, k.as = tools, as
		k.mu.Unlock()
	}
	return tools, err
}

func (l *link) ask(ctx context.Context) ([]described, error) {
	tools := []described{}
	params := &sdk.ListToolsParams{}
	for range mostPages {
		page, err := l.session.ListTools(ctx, params)
		if err != nil {
			return nil, fmt.Errorf("listing its tools: %w", err)
		}
		for _, t := range page.Tools {
			tools = append(tools, describe(t))
		}
		if page.NextCursor == "" {
			return tools, nil
		}
		if len(tools) >= mostTools {
			break
		}
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	return tools, fmt.Errorf("its list of tools is too long; only the first %d are available", len(tools))
}
