package child

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// Client is the program that shows a hosted agent's settings, such as an editor.
// Its methods are called outside of turns and during them; they must not block,
// except for Request.
type Client interface {
	// ID returns the client's id of the session.
	ID() string
	// Update receives an update that is not part of a turn: about the session's
	// settings, or a notice.
	Update(update json.RawMessage)
	// Request receives a request of the agent that Bellcord does not serve. The
	// session id in the parameters is the client's.
	Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify receives a notification that Bellcord does not handle.
	Notify(method string, params json.RawMessage)
}

// Settings are the settings of an agent's session: the reply that opened the
// session (to session/new, load or resume), and the updates since.
type Settings struct {
	Reply   json.RawMessage
	Updates []json.RawMessage
}

// Controller is a Speaker with a second channel, for the settings of a session.
// The channel carries no tool calls, no stops and, except for steering, no text.
// Its methods may be called concurrently with those of Speaker.
//
// The second channel uses ACP for every agent: methods, parameters, replies and
// updates are those of the Agent Client Protocol. The Speaker of an agent with
// another protocol translates them.
type Controller interface {
	Speaker
	// Initialize performs the handshake, once, and returns the agent's reply to
	// initialize.
	Initialize(ctx context.Context) (json.RawMessage, error)
	// Settings returns the settings. The session must be open.
	Settings() Settings
	// Request sends a request to the agent. If inSession is set, the session id
	// in the parameters is replaced with the agent's.
	Request(ctx context.Context, method string, params json.RawMessage, inSession bool) (json.RawMessage, error)
	// Notify sends a notification, as Request does.
	Notify(method string, params json.RawMessage, inSession bool)
	// Connect sets the client.
	Connect(Client)
}

// setting is a setting that the client chose. It is applied again when the agent
// is restarted.
type setting struct {
	key, method string
	params      json.RawMessage
}

// Prepare starts a process that the next session uses.
func (a *Agent) Prepare(dir string) error {
	_, done, err := a.anyProcess(dir)
	if err == nil {
		done()
	}
	return err
}

// anyProcess returns a process for requests without a session, and starts one if no
// process runs. It is not idle until done is called.
func (a *Agent) anyProcess(dir string) (p *process, done func(), err error) {
	a.starting.Lock() // a.mu is not held while a process starts: turns and stops need it
	defer a.starting.Unlock()
	if p, err = a.holdAny(nil); p == nil && err == nil {
		if p, err = a.startProcess([]string{dir}); err == nil {
			p, err = a.holdAny(p)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return p, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		p.holds--
		p.watchIdle()
	}, nil
}

// holdAny keeps a process for a request without a session: started, if it is not nil,
// or any that runs. It returns nil if there is none.
func (a *Agent) holdAny(started *process) (*process, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed { // perhaps while the process was started
		if started != nil {
			go started.endProcess(nil)
		}
		return nil, errClosed
	}
	if started != nil {
		a.processes = append(a.processes, started)
	}
	for _, p := range a.processes {
		if !p.gone() && (len(p.lives) == 0 || p.shares()) {
			p.holds++
			return p, nil
		}
	}
	return nil, nil
}

// endUnused ends the processes without a session, because the one that a session needs
// is another one. The caller holds a.mu.
func (a *Agent) endUnused(but *process) {
	for _, p := range slices.Clone(a.processes) {
		if p != but && len(p.lives) == 0 && p.holds == 0 && p.user == nil {
			p.detach()
			go p.endProcess(nil)
		}
	}
}

// InitializeBound is how long Initialize waits for the agent. On a busy machine
// opencode takes more than 10 seconds; a client without Bellcord waits for it, too.
const InitializeBound = 30 * time.Second

// Initialize returns the agent's reply to the handshake. It returns nil if the
// agent's protocol has none.
func (a *Agent) Initialize(ctx context.Context, dir string) (json.RawMessage, error) {
	p, release, err := a.anyProcess(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	c, controls := p.first.(Controller)
	if !controls {
		return nil, nil
	}
	ctx, done := context.WithTimeoutCause(ctx, InitializeBound, fmt.Errorf("%s did not answer initialize within %s", p.name(), InitializeBound))
	defer done()
	reply, err := c.Initialize(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s failed to start: %w%s", p.name(), err, p.stderr.contents())
	}
	return reply, nil
}

// OpenSession opens the agent's session outside of a turn, and returns its
// settings. known is the agent's session in the log. client receives later
// changes, until the session ends; nil keeps the present one.
func (a *Agent) OpenSession(ctx context.Context, s bellcord.Session, known bellcord.AgentSessionOpened, client Client) (Settings, error) {
	h, err := a.holdHost(s.ID)
	if err != nil {
		return Settings{}, err
	}
	defer a.releaseHost(h)
	a.mu.Lock()
	if client != nil {
		h.client = client
	}
	if h.life != nil {
		h.life.connect(h.client)
	}
	a.mu.Unlock()
	l, err := h.open(ctx, s, known, false)
	if err != nil {
		return Settings{}, err
	}
	if c, controls := l.speaker.(Controller); controls {
		return c.Settings(), nil
	}
	return Settings{}, nil
}

// controller returns the Controller of a session's process.
func (a *Agent) controller(id bellcord.SessionID) (Controller, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.hosts[id]; h != nil && h.life != nil {
		if c, controls := h.life.speaker.(Controller); controls {
			return c, nil
		}
	}
	return nil, ErrNotRunning
}

// ErrNotRunning is returned for a request to a session whose agent is not
// running, or has no settings.
var ErrNotRunning = fmt.Errorf("the session's agent is not running, or has no settings: send a prompt first")

// Request sends a request about settings to a session's agent or, if id is "", to
// the agent outside of sessions. A setting that the agent accepts is applied
// again whenever the agent is restarted.
func (a *Agent) Request(ctx context.Context, id bellcord.SessionID, dir, method string, params json.RawMessage) (json.RawMessage, error) {
	if id == "" {
		return a.requestOutside(ctx, dir, method, params)
	}
	c, err := a.controller(id)
	if err != nil {
		return nil, err
	}
	reply, err := c.Request(ctx, method, params, true)
	if key := settingKey(method, params); err == nil && key != "" {
		a.remember(id, setting{key, method, params})
	}
	return reply, err
}

// requestOutside sends a request outside of sessions.
func (a *Agent) requestOutside(ctx context.Context, dir, method string, params json.RawMessage) (json.RawMessage, error) {
	p, done, err := a.anyProcess(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	c, controls := p.first.(Controller)
	if !controls {
		return nil, ErrNotRunning
	}
	if _, err := c.Initialize(ctx); err != nil {
		return nil, err
	}
	return c.Request(ctx, method, params, false)
}

// Notify sends a notification to a session's agent. If own is set, the session id
// in the parameters is replaced with the agent's.
func (a *Agent) Notify(id bellcord.SessionID, method string, params json.RawMessage, own bool) {
	if id == "" {
		return
	}
	if c, err := a.controller(id); err == nil {
		c.Notify(method, params, own)
	}
}

// ReleaseProcess ends the process of a session, if no turn runs on it, or closes the
// session there if other sessions share the process, on which no session is opened
// any more. The next prompt, or OpenSession, opens the session on another one. It
// reports whether the session had a process.
func (a *Agent) ReleaseProcess(id bellcord.SessionID) bool {
	a.mu.Lock()
	h := a.hosts[id]
	if h == nil || h.turns > 0 || h.life == nil || h.life.user != nil {
		a.mu.Unlock()
		return false
	}
	l := h.life
	if sharer, can := l.speaker.(Sharer); can && len(l.lives) > 1 && l.owner != h && !l.gone() {
		h.forget(l)
		l.shut = true
		a.mu.Unlock()
		sharer.Leave()
		return true
	}
	l.detach()
	a.mu.Unlock()
	l.endProcess(nil)
	return true
}

// SettingsOf returns the settings of a session whose agent is running.
func (a *Agent) SettingsOf(id bellcord.SessionID) Settings {
	if c, err := a.controller(id); err == nil && id != "" {
		return c.Settings()
	}
	return Settings{}
}

// settingKey returns which setting a request changes, or "".
func settingKey(method string, params json.RawMessage) string {
	switch method {
	case acp.MethodSetMode, acp.UnstableSetModel:
		return method
	case acp.MethodSetConfigOption:
		var p acp.SetSessionConfigOptionRequest
		_ = acp.Decode(params, &p) // the agent has accepted it
		return method + " " + p.ConfigID
	}
	return ""
}

func (a *Agent) remember(id bellcord.SessionID, s setting) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.hosts[id]
	if h == nil {
		return
	}
	for i := range h.chosen {
		if h.chosen[i].key == s.key {
			h.chosen = append(h.chosen[:i:i], h.chosen[i+1:]...)
			break
		}
	}
	h.chosen = append(h.chosen, s)
}

// connect sets the client of the process's session.
func (l *life) connect(client Client) {
	if c, controls := l.speaker.(Controller); controls && client != nil {
		c.Connect(client)
	}
}

// apply applies settings that the client chose before the agent was restarted.
// A setting that the agent does not accept any more keeps its default.
func (l *life) apply(ctx context.Context, chosen []setting) {
	c, controls := l.speaker.(Controller)
	if !controls {
		return
	}
	for _, s := range chosen {
		_, _ = c.Request(ctx, s.method, s.params, true)
	}
}
