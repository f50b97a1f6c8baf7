package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/proc"
)

// restartPause is the minimum time between two starts of a server.
const restartPause = 10 * time.Second

var (
	errClosed  = errors.New("the language servers are closed")
	errRestart = errors.New("the language server has exited; it is started again later")
)

// link is a running server.
type link struct {
	dir     string
	running *proc.Running
	box     *bellcord.Sandbox // nil if no sandbox is configured
	conn    *jsonrpc.Conn
	began   time.Time
	used    time.Time // guarded by the set's lock
	idle    *time.Timer

	ready chan struct{} // closed after the initialization; err and pulls are set before
	err   error
	pulls bool // the server answers requests for diagnostics

	turn     chan struct{} // holds a token while no check runs; the next two belong to the check
	version  int           // of the files that were opened last
	failures int           // checks in a row without an answer

	mu        sync.Mutex
	versions  bool                   // the server publishes the versions of files
	latest    map[string]publication // by address
	published chan struct{}          // closed and replaced by each publication
}

// publication is the last list of errors that a server has published for a file.
type publication struct {
	number  int // counts the publications of the file
	version int // of the file; 0 if the server does not tell
	errors  []Problem
}

// start starts a server. It does not wait for its initialization.
func start(server Server, dir string, opts Options) (*link, error) {
	env := secret.Environment{Pass: server.Pass, Secrets: opts.Secrets}
	running, box, err := opts.Start(proc.Command{
		Args: server.Command, Dir: dir, Env: append(env.Pairs(), server.Env...), Bare: true,
		Owner: "language server " + server.Name, Name: server.Name,
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", server.Command[0], err)
	}
	l := &link{
		dir: dir, running: running, box: box, began: time.Now(), used: time.Now(),
		conn:  jsonrpc.New(&lineReader{in: bufio.NewReader(running.Stdout)}, frameWriter{running.Stdin}),
		ready: make(chan struct{}), turn: make(chan struct{}, 1),
		latest: map[string]publication{}, published: make(chan struct{}),
	}
	l.turn <- struct{}{}
	l.idle = time.AfterFunc(opts.Idle, l.end)
	go func() {
		_ = l.conn.Serve(l.handle, func() {}) // its requests fail with it
		l.end()
		_, _ = io.Copy(io.Discard, running.Stdout)
	}()
	go l.initialize(opts.Version)
	return l, nil
}

func (l *link) hasEnded() bool {
	select {
	case <-l.running.Done():
		return true
	default:
		return false
	}
}

// end ends the server and everything that it started.
func (l *link) end() {
	l.idle.Stop()
	_ = l.running.Stdin.Close()
	l.running.End(nil)
}

func (l *link) initialize(version string) {
	defer close(l.ready)
	var p initializeParams
	p.ClientInfo = clientInfo{"bellcord", version}
	p.RootURI = uriOf(l.dir)
	p.WorkspaceFolders = l.folders()
	p.Capabilities.TextDocument.PublishDiagnostics.VersionSupport = true
	p.Capabilities.Workspace.Configuration, p.Capabilities.Workspace.WorkspaceFolders = true, true
	var result initializeResult
	if l.err = l.conn.Request("initialize", p).Wait(&result); l.err != nil {
		l.err = fmt.Errorf("initialize: %w", l.err)
		return
	}
	provider := string(result.Capabilities.DiagnosticProvider)
	l.pulls = provider != "" && provider != "null" && provider != "false"
	l.conn.Notify("initialized", struct{}{})
}

func (l *link) folders() []folder { return []folder{{uriOf(l.dir), filepath.Base(l.dir)}} }

// handle handles a message of the server.
func (l *link) handle(m jsonrpc.Message) {
	if m.Method == "textDocument/publishDiagnostics" {
		var p published
		if json.Unmarshal(m.Params, &p) == nil {
			l.publish(p)
		}
		return
	}
	if !m.IsRequest() {
		return
	}
	switch m.Method {
	case "workspace/configuration": // no settings: one null for each item
		var p struct{ Items []json.RawMessage }
		_ = json.Unmarshal(m.Params, &p)
		l.conn.Reply(m.ID, make([]any, len(p.Items)))
	case "workspace/workspaceFolders":
		l.conn.Reply(m.ID, l.folders())
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest", "workspace/diagnostic/refresh":
		l.conn.Reply(m.ID, nil)
	default:
		l.conn.ReplyError(m.ID, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "not supported: " + m.Method})
	}
}

func (l *link) publish(p published) {
	path := pathOf(p.URI)
	l.mu.Lock()
	defer l.mu.Unlock()
	next := publication{number: l.latest[path].number + 1, errors: errorsOf(path, p.Diagnostics)}
	if p.Version != nil {
		next.version, l.versions = *p.Version, true
	}
	l.latest[path] = next
	close(l.published)
	l.published = make(chan struct{})
}

func errorsOf(path string, all []diagnostic) []Problem {
	var found []Problem
	for _, d := range all {
		if d.Severity == 0 || d.Severity == severityError {
			found = append(found, Problem{Path: path, Line: d.Range.Start.Line + 1, Text: d.Message})
		}
	}
	return found
}

// lock waits until no other check runs.
func (l *link) lock(ctx context.Context) error {
	select {
	case <-l.ready:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if l.err != nil {
		return l.err
	}
	select {
	case <-l.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *link) unlock() { l.turn <- struct{}{} }
