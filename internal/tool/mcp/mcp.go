// Package mcp provides the tools of MCP servers to an agent. A server does not
// belong to a turn: a stop ends the call, sends the server a cancellation and
// returns without waiting for the server, and the same server answers the next
// call. Everything that a server sends is bounded before it is processed, and
// nothing that a server does or fails to do (read, answer, exit) can delay a
// stop.
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

// Server describes how to reach a server: by Command, with messages on its
// standard input and output, or by URL (streamable HTTP).
type Server struct {
	Name    string
	Command []string
	Env     []string // added to this process's environment, from which secrets are removed
	Pass    []string // names of secrets in this process's environment to pass on
	Dir     string
	URL     string
	Headers map[string]string // sent only to the URL's host
	// TrustHints allows a tool without approval if the server declares it
	// read-only.
	TrustHints bool
	// WithoutSandbox starts the command outside of the sandbox.
	WithoutSandbox bool
}

// Spawner starts the command of a server, contained. It does not wait for it.
type Spawner func(s Server) (Process, error)

// Process is a running server. Closing Stdin or Stdout must not block.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	// End ends the process and everything that it started, and returns when they
	// have ended. It is called once, even if the process has ended by itself.
	End func()
	// Done is closed when the process has ended; nil if that cannot be determined.
	Done <-chan struct{}
}

// Options apply to all servers of a set.
type Options struct {
	Version string        // of Bellcord, sent to the servers
	Start   time.Duration // limit of one server's start; 0 means 30 s
	Pins    *Pins         // if nil, changes of a tool's description are not detected
}

// Set contains the configured servers. It is safe for concurrent use.
type Set struct{ servers []*server }

// closeBound is how long Close waits. Servers that need longer are ended in the
// background.
const closeBound = 2 * time.Second

var errClosed = errors.New("closed")

// Open returns a set of the servers. It does no I/O: a server is started by its
// first use.
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

// offer is the result of one server: its tools, or an error.
type offer struct {
	at    int
	tools []described
	err   error
}

// Tools starts the servers that are not running, all in parallel. It returns
// the tools of those that answer, in the order of the configuration, and an
// error for each of the others. When ctx ends it returns immediately with the
// results so far; servers that are starting continue to start, for later calls.
func (s *Set) Tools(ctx context.Context) ([]tool.Tool, []error) {
	offers := make([]offer, len(s.servers))
	answers := make(chan offer, len(s.servers)) // buffered for all: not received after ctx has ended
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

// Close ends all servers. Running calls return immediately with an unknown
// outcome, and no server is started again. Close returns when everything has
// ended, or after two seconds.
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
