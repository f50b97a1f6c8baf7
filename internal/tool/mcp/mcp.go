// Package mcp makes the tools of MCP servers tools of an agent. A server
// belongs to nobody's turn: a stop ends the call, tells the server so and
// returns at once, and the same server answers the next call. What a server
// sends is bounded before anything else looks at it, and nothing that it does
// or fails to do (read, answer, end) can hold up a stop.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/tool"
)

// Server says how to reach a server: by Command, which speaks on its standard
// input and output, or by URL (streamable HTTP).
type Server struct {
	Name    string
	Command []string
	Env     []string // added to this process's own, which is without its secrets
	Pass    []string // secrets of this process's environment that it gets, by name
	Dir     string
	URL     string
	Headers map[string]string // go to the URL's host only
	// TrustHints makes a tool that the server calls read-only free to use.
	TrustHints bool
}

// Spawner starts the command of a server, contained. It does not wait for it.
type Spawner func(s Server) (Process, error)

// Process is a server that runs. Closing Stdin or Stdout must not block.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	// End ends the process with all that it started, and returns when they are
	// gone. It is called once, also after the process ended by itself.
	End func()
	// Done is closed when the process is gone; nil when that is not known.
	Done <-chan struct{}
}

// Options are the same for all servers of a set.
type Options struct {
	Version string        // of Bellcord, for the servers to know
	Start   time.Duration // bound of one server's start; 0 means 30 s
	Pins    *Pins         // nil: a change of a tool's description is not noticed
}

// Set is the servers that are configured. All of it is safe for use by many.
type Set struct{ servers []*server }

// closeBound is how long Close waits. What needs longer goes on being ended
// without anybody waiting.
const closeBound = 2 * time.Second

var errClosed = errors.New("closed")

// Open does no I/O: a server is started by its first use.
func Open(servers []Server, spawn Spawner, opts Options) *Set {
	if opts.Start == 0 {
		opts.Start = 30 * time.Second
	}
	set := &Set{}
	for _, s := range servers {
		set.servers = append(set.servers, &server{Server: s, spawn: spawn, opts: opts})
	}
	return set
}

// offer is what one server came to: its tools, or why it has none.
type offer struct {
	at    int
	tools []described
	err   error
}

// Tools starts the servers that are not up, all at the same time, and returns
// the tools of those that answer, in the order of the configuration, and an
// error for the person about each other one. When ctx ends it returns at once
// with what there is; a server that was starting goes on to start, for later.
func (s *Set) Tools(ctx context.Context) ([]tool.Tool, []error) {
	offers := make([]offer, len(s.servers))
	answers := make(chan offer, len(s.servers)) // room for all: nobody is waited for once ctx has ended
	for i, srv := range s.servers {
		offers[i].err = errors.New("was not ready in time")
		go func() {
			tools, err := srv.listTools(ctx)
			answers <- offer{i, tools, err}
		}()
	}
	for range s.servers {
		select {
		case o := <-answers:
			offers[o.at] = o
			continue
		case <-ctx.Done():
		}
		break
	}
	var tools []tool.Tool
	var errs []error
	names := names{}
	for i, o := range offers {
		srv := s.servers[i]
		for _, d := range o.tools {
			if name, ok := names.pick(srv.Name, d.name); ok {
				tools = append(tools, srv.tool(name, d))
			}
		}
		if o.err != nil {
			errs = append(errs, fmt.Errorf("MCP server %s: %w", srv.Name, o.err))
		}
	}
	return tools, errs
}

// Close ends all servers. Calls that still run return at once, their outcome
// unknown, and nothing is started any more. It returns when all is gone, or
// after two seconds.
func (s *Set) Close() {
	var all sync.WaitGroup
	for _, srv := range s.servers {
		if l := srv.closeLink(); l != nil {
			all.Go(func() { <-l.gone })
		}
	}
	gone := make(chan struct{})
	go func() {
		all.Wait()
		close(gone)
	}()
	timer := time.NewTimer(closeBound)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
	}
}
