package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// acpClient is an ACP client of one process of an agent. It does not use
// jsonrpc.Conn, which would hide what the checks must detect: two responses to
// one request, and messages after a response.
type acpClient struct {
	link
	process  *agent // nil over the network
	trial    *trial
	messages *journal[acpMessage]
	info     acp.InitializeResponse

	holding atomic.Bool // leave permission requests unanswered

	mu     sync.Mutex
	lastID int
}

// link is a connection to an agent: to its process, or over the network.
type link interface {
	// writeLines writes the lines, if possible in a single write.
	writeLines(lines ...[]byte) error
	// lastWords returns a suffix for an error message.
	lastWords() string
}

// connectACP starts the agent, or connects to it.
func (t *trial) connectACP(ctx context.Context) (*acpClient, error) {
	c := &acpClient{trial: t, messages: newJournal[acpMessage]()}
	ready := make(chan struct{}) // the first line is handled after c is complete
	defer close(ready)
	handle := func(at time.Time, line []byte) {
		<-ready
		c.handleLine(at, line)
	}
	if t.target.Dial != nil {
		socket, err := t.dial(ctx, handle, c.messages.endInput)
		c.link = socket
		return c, err
	}
	a, err := t.startAgent(handle, c.messages.endInput)
	c.link, c.process = a, a
	return c, err
}

// acp connects to the agent and sends initialize.
func (t *trial) acp(ctx context.Context) (*acpClient, error) {
	c, err := t.connectACP(ctx)
	if err != nil {
		return nil, err
	}
	return c, c.requestAndWait(ctx, acp.MethodInitialize, acp.InitializeRequest{
		ProtocolVersion: acp.Version, ClientInfo: acp.Implementation{Name: "bellcord-probe", Version: "1"},
	}, &c.info)
}

// request returns the line of a new request and its id. It does not write it.
func (c *acpClient) request(method string, params any) (id string, line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id = strconv.Itoa(c.lastID)
	return id, encode(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
}

func notification(method string, params any) []byte {
	return encode(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func encode(v any) []byte {
	line, _ := json.Marshal(v) // values from this package can always be encoded
	return line
}

// requestAndWait sends a request and waits for its response, at most for the
// time allowed for a start.
func (c *acpClient) requestAndWait(ctx context.Context, method string, params, result any) error {
	id, line := c.request(method, params)
	from := c.messages.len()
	if err := c.writeLines(line); err != nil {
		return err
	}
	m, n := c.messages.await(ctx, from, c.trial.opts.Starting, func(m acpMessage) bool { return m.answers(id) })
	switch {
	case n < 0:
		return fmt.Errorf("%s: no answer%s", method, c.lastWords())
	case m.Error != nil:
		return fmt.Errorf("%s: %w%s", method, m.Error, c.lastWords())
	}
	return acp.Decode(m.Result, result)
}

// session opens a session and returns its id.
func (c *acpClient) session(ctx context.Context) (string, error) {
	var made acp.NewSessionResponse
	err := c.requestAndWait(ctx, acp.MethodNewSession, acp.NewSessionRequest{Cwd: c.trial.target.Dir, McpServers: []acp.McpServer{}}, &made)
	if err == nil && made.SessionID == "" {
		err = errors.New("session/new: the answer has no session id")
	}
	return made.SessionID, err
}

// open starts the agent and opens a session.
func (t *trial) open(ctx context.Context) (*acpClient, string, error) {
	c, err := t.acp(ctx)
	if err != nil {
		return nil, "", err
	}
	session, err := c.session(ctx)
	return c, session, err
}

func cancelOf(session string) []byte {
	return notification(acp.MethodCancel, acp.CancelNotification{SessionID: session})
}

// handleLine handles one line. It allows permission requests, unless holding is set,
// and rejects other requests.
func (c *acpClient) handleLine(at time.Time, line []byte) {
	m, ok := readMessage(at, line)
	if !ok {
		c.trial.foreign.add(line)
		return
	}
	c.messages.addEntry(m)
	switch {
	case !m.IsRequest():
	case m.Method != acp.MethodRequestPermission:
		c.sendReply(m, nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "not supported"})
	case !c.holding.Load():
		c.sendReply(m, m.allowed(), nil)
	}
}

// sendReply responds to the agent. Errors are ignored: the agent may have
// exited.
func (c *acpClient) sendReply(m acpMessage, result any, failure *jsonrpc.Error) {
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	if failure != nil {
		answer["error"] = failure
	} else {
		answer["result"] = result
	}
	_ = c.writeLines(encode(answer))
}
