package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listing is the last tool list of a server.
type listing struct {
	changed atomic.Int64 // number of list_changed notifications

	mu    sync.Mutex
	tools []described // nil before the first list
	as    int64       // the value of changed when the list was requested
}

// Limits for a tool list that never ends.
const (
	mostPages = 100
	mostTools = 1000
)

// listTools returns the tools. It requests them from the server when they may
// have changed, which over HTTP is always (see greet).
func (l *link) listTools(ctx context.Context) ([]described, error) {
	if caps := l.session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil // the server offers no tools
	}
	k := &l.listing
	as := k.changed.Load() // loaded before the request, so that a later change is not lost
	k.mu.Lock()
	tools, known := k.tools, k.tools != nil && k.as == as && l.server.URL == ""
	k.mu.Unlock()
	if known {
		return tools, nil
	}
	tools, err := l.requestTools(ctx)
	if err == nil {
		k.mu.Lock()
		k.tools, k.as = tools, as
		k.mu.Unlock()
	}
	return tools, err
}

func (l *link) requestTools(ctx context.Context) ([]described, error) {
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
