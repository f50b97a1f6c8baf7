package drive

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/proc"
)

// frame is one message between the client and the agent.
type frame struct {
	at   time.Time
	sent bool   // by the client
	raw  []byte // one line
	body object
}

func (f frame) method() string { return textAt(f.body, "method") }

func (f frame) isRequest() bool { return f.method() != "" && f.body["id"] != nil }

// update returns the session update in the frame and its kind, or "".
func (f frame) update() (object, string) {
	if f.sent || f.method() != "session/update" {
		return nil, ""
	}
	update, _ := at(f.body, "params", "update").(object)
	return update, textAt(update, "sessionUpdate")
}

// client is an ACP client of one process. It records every frame.
type client struct {
	running *proc.Running
	editor  *editor
	hello   object // the result of initialize

	mu      sync.Mutex
	frames  []frame
	ended   bool
	changed chan struct{} // closed and replaced at every change
	lastID  int
	noise   []byte // the end of its stderr
}

// startProcess starts a command whose messages are recorded.
func startProcess(keeper *proc.Keeper, command proc.Command, e *editor) (*client, error) {
	c := &client{editor: e, changed: make(chan struct{})}
	command.Output = c.keepNoise
	running, err := keeper.Start(command)
	if err != nil {
		return nil, err
	}
	c.running = running
	go c.read()
	return c, nil
}

// startClient starts a command and sends initialize with the capabilities of the editor.
func startClient(ctx context.Context, keeper *proc.Keeper, command proc.Command, e *editor) (*client, error) {
	c, err := startProcess(keeper, command, e)
	if err != nil {
		return nil, err
	}
	c.hello, err = c.call(ctx, "initialize", object{
		"protocolVersion": 1, "clientCapabilities": e.capabilities(), "clientInfo": object{"name": "bellcord-features", "version": "1"},
	})
	if err != nil {
		c.disconnect()
		return nil, err
	}
	return c, nil
}

func (c *client) keepNoise(more []byte) {
	const most = 2000
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noise = append(c.noise, more...)
	c.noise = c.noise[max(0, len(c.noise)-most):]
}

func (c *client) read() {
	lines := bufio.NewScanner(c.running.Stdout)
	lines.Buffer(make([]byte, 64<<10), jsonrpc.MostLine+1)
	for lines.Scan() {
		f := frame{at: time.Now(), raw: slices.Clone(lines.Bytes())}
		if json.Unmarshal(f.raw, &f.body) != nil {
			continue // a line of text between the messages
		}
		c.add(f)
		if f.isRequest() {
			go c.reply(f)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.wake()
}

// reply answers a request of the agent as an editor does.
func (c *client) reply(f frame) {
	params, _ := f.body["params"].(object)
	answer := object{"jsonrpc": "2.0", "id": f.body["id"]}
	result, err := c.editor.answer(f.method(), params)
	var failure *jsonrpc.Error
	switch {
	case errors.As(err, &failure):
		answer["error"] = failure
	case err != nil:
		answer["error"] = &jsonrpc.Error{Code: jsonrpc.InternalError, Message: err.Error()}
	default:
		answer["result"] = result
	}
	_ = c.write(answer) // the agent may have exited
}

func (c *client) add(f frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames = append(c.frames, f)
	c.wake()
}

// wake must be called with mu held.
func (c *client) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// write sends messages in one write, in order.
func (c *client) write(messages ...object) error {
	var all []byte
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range messages {
		line := encode(m)
		var body object
		_ = json.Unmarshal(line, &body) // it was encoded above
		c.frames = append(c.frames, frame{at: time.Now(), sent: true, raw: line, body: body})
		all = append(append(all, line...), '\n')
	}
	if _, err := c.running.Stdin.Write(all); err != nil {
		return fmt.Errorf("write to the agent: %w", err)
	}
	return nil
}

// count returns the number of frames so far.
func (c *client) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.frames)
}

// since returns the frames from position n on.
func (c *client) since(n int) []frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.frames[n:])
}

var errGone = errors.New("the agent closed its output")

// await waits for a frame from position n on that fits.
func (c *client) await(ctx context.Context, n int, fits func(frame) bool) (frame, error) {
	for {
		c.mu.Lock()
		fresh, ended, changed := c.frames[n:len(c.frames):len(c.frames)], c.ended, c.changed
		c.mu.Unlock()
		if i := slices.IndexFunc(fresh, fits); i >= 0 {
			return fresh[i], nil
		}
		n += len(fresh)
		if ended {
			return frame{}, errGone
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return frame{}, context.Cause(ctx)
		}
	}
}

// request returns a new request, which is not sent yet, and its id.
func (c *client) request(method string, params object) (object, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id := "f" + strconv.Itoa(c.lastID)
	return object{"jsonrpc": "2.0", "id": id, "method": method, "params": params}, id
}

func answers(id string) func(frame) bool {
	return func(f frame) bool { return !f.sent && f.method() == "" && f.body["id"] == id }
}

// callBound is the timeout for a request.
const callBound = 60 * time.Second

// call sends a request and returns its result.
func (c *client) call(ctx context.Context, method string, params object) (object, error) {
	ctx, done := context.WithTimeout(ctx, callBound)
	defer done()
	m, id := c.request(method, params)
	from := c.count()
	if err := c.write(m); err != nil {
		return nil, fmt.Errorf("%s: %w%s", method, err, c.lastNoise())
	}
	f, err := c.await(ctx, from, answers(id))
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", method, err, c.lastNoise())
	}
	return resultOf(method, f)
}

func resultOf(method string, f frame) (object, error) {
	if failed, is := f.body["error"].(object); is {
		code, _ := failed["code"].(float64)
		return nil, fmt.Errorf("%s: %w", method, &jsonrpc.Error{Code: int(code), Message: strings.TrimSpace(textAt(failed, "message") + " " + dataOf(failed))})
	}
	result, _ := f.body["result"].(object)
	return result, nil
}

// dataOf returns the data of an error as text, or "".
func dataOf(failed object) string {
	switch data := failed["data"].(type) {
	case nil:
		return ""
	case string:
		return data
	default:
		return string(encode(data))
	}
}

func (c *client) lastNoise() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := strings.Fields(string(c.noise))
	if len(lines) == 0 {
		return ""
	}
	words := strings.Join(lines, " ")
	return "; stderr: " + words[max(0, len(words)-300):]
}

// leaving is how long an agent may take to exit after its input has ended.
const leaving = 5 * time.Second

// disconnect ends the input of the agent, then the agent and everything that it started.
func (c *client) disconnect() {
	_ = c.running.Stdin.Close() // it may have exited
	late := time.NewTimer(leaving)
	defer late.Stop()
	select {
	case <-c.running.Done():
	case <-late.C:
	}
	c.running.End(nil)
	_ = c.running.Stdout.Close()
	c.editor.closeTerminals()
}
