package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/websocket"
)

// socket is a connection to an agent over WebSocket.
type socket struct {
	conn *websocket.Conn
}

// dial connects to the agent. One goroutine passes each message to handle, in
// order, and calls over after the last one.
func (t *trial) dial(ctx context.Context, handle func(at time.Time, line []byte), over func()) (socket, error) {
	limited, done := context.WithTimeout(ctx, t.opts.Starting)
	defer done()
	conn, err := t.target.Dial(limited)
	if err != nil {
		return socket{}, err
	}
	t.ends = append(t.ends, conn.Cut)
	reading := context.WithoutCancel(ctx) // a check may still read after it has been interrupted
	go func() {                           // ends when the connection is cut
		defer over()
		for {
			message, release, err := conn.Read(reading)
			if err != nil {
				return
			}
			handle(time.Now(), message)
			release()
		}
	}()
	return socket{conn}, nil
}

// writeLines writes one message for each line. The protocol has no write of
// several messages; their order is kept.
func (s socket) writeLines(lines ...[]byte) error {
	ctx, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	for _, line := range lines {
		if err := s.conn.Write(ctx, line); err != nil {
			return fmt.Errorf("writing to the agent: %w", err)
		}
	}
	return nil
}

func (s socket) lastWords() string { return "" }

// cancelAfterCut cuts the connection during a turn. The client that returns must
// be able to stop the turn: after its cancel nothing of the turn may follow, and
// the next prompt must work. An agent may also stop the turn at the cut.
func cancelAfterCut(ctx context.Context, t *trial) (verdict, error) {
	c, p, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	cut, is := c.link.(socket)
	if !is {
		return verdict{}, errors.New("the connection is not a WebSocket")
	}
	cut.conn.Cut()
	again, err := t.acp(ctx)
	if err != nil {
		return verdict{}, fmt.Errorf("connecting again: %w", err)
	}
	if !again.info.AgentCapabilities.LoadSession {
		return skipped("the agent does not support session/load"), nil
	}
	var loaded acp.LoadSessionResponse
	err = again.requestAndWait(ctx, acp.MethodLoadSession, acp.LoadSessionRequest{SessionID: p.session, Cwd: t.target.Dir, McpServers: []acp.McpServer{}}, &loaded)
	if err != nil {
		return failed("%s", oneLine(err.Error())), nil
	}
	if err := again.writeLines(cancelOf(p.session)); err != nil {
		return verdict{}, err
	}
	pause(ctx, t.opts.Later) // time for the agent to stop
	from := again.messages.len()
	m, n := again.messages.await(ctx, from, t.opts.Quiet, func(m acpMessage) bool { return m.works(p.session) })
	if n >= 0 {
		return failed("%s %s after the cancel of the returned client", m.update.Kind(), span(t.opts.Later)), nil
	}
	fine, observed, err := again.normal(ctx, p.session)
	return grade(fine, "no updates of the turn %s after the cancel; next prompt: %s", span(t.opts.Later), observed), err
}
