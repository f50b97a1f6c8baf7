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
	_, err := a.spareProcess(dir)
	return err
}

// spareProcess returns the process without a session, and starts one if there is
// none.
func (a *Agent) spareProcess(dir string) (*life, error) {
	a.starting.Lock() // a.mu is not held while a process starts: turns and stops need it
	defer a.starting.Unlock()
	a.mu.Lock()
	spare, closed := a.spare, a.closed
	a.mu.Unlock()
	switch {
	case closed:
		return nil, errClosed
	case spare != nil && !spare.gone():
		return spare, nil
	}
	l, err := a.startProcess([]string{dir})
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	if closed = a.closed; !closed {
		a.spare = l
	}
	a.mu.Unlock()
	if closed { // while the process was started
		l.endProcess(nil)
		return nil, errClosed
	}
	return l, nil
}

// takeSpare returns the process without a session, for a session in dirs, or nil.
func (a *Agent) takeSpare(dirs []string) *life {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.spare
	if l != nil && a.InDir && !slices.Equal(l.dirs, dirs) {
		return nil
	}
	a.spare = nil
	if l == nil || l.gone() {
		return nil
	}
	return l
}

// InitializeBound is how long Initialize waits for the agent. On a busy machine
// opencode takes more than 10 seconds; a client without Bellcord waits for it, too.
const InitializeBound = 30 * time.Second

// Initialize returns the agent's reply to the handshake. It returns nil if the
// agent's protocol has none.
func (a *Agent) Initialize(ctx context.Context, dir string) (json.RawMessage, error) {
	l, err := a.spareProcess(dir)
	if err != nil {
		return nil, err
	}
	c, controls := l.speaker.(Controller)
	if !controls {
		return nil, nil
	}
	ctx, done := context.WithTimeoutCause(ctx, InitializeBound, fmt.Errorf("%s did not answer initialize within %s", l.name, InitializeBound))
	defer done()
	reply, err := c.Initialize(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s failed to start: %w%s", l.name, err, l.stderr.contents())
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
	l, err := h.open(ctx, s, known)
	if err != nil {
		return Settings{}, err
	}
	if c, controls := l.speaker.(Controller); controls {
		return c.Settings(), nil
	}
	return Settings{}, nil
}

// controller returns the Controller of a session's process. If id is "", it
// returns that of any process.
func (a *Agent) controller(id bellcord.SessionID, dir string) (Controller, error) {
	if id == "" {
		l, err := a.spareProcess(dir)
		if err != nil {
			return nil, err
		}
		if c, controls := l.speaker.(Controller); controls {
			return c, nil
		}
		return nil, ErrNotRunning
	}
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
	c, err := a.controller(id, dir)
	if err != nil {
		return nil, err
	}
	if id == "" {
		if _, err := c.Initialize(ctx); err != nil {
			return nil, err
		}
	}
	reply, err := c.Request(ctx, method, params, id != "")
	if key := settingKey(method, params); err == nil && key != "" {
		a.remember(id, setting{key, method, params})
	}
	return reply, err
}

// Notify sends a notification to a session's agent. If own is set, the session id
// in the parameters is replaced with the agent's.
func (a *Agent) Notify(id bellcord.SessionID, method string, params json.RawMessage, own bool) {
	if id == "" {
		return
	}
	if c, err := a.controller(id, ""); err == nil {
		c.Notify(method, params, own)
	}
}

// ReleaseProcess ends the process of a session in which no turn runs. The next
// prompt, or OpenSession, starts another one. It reports whether it ended one.
func (a *Agent) ReleaseProcess(id bellcord.SessionID) bool {
	a.mu.Lock()
	h := a.hosts[id]
	if h == nil || h.turns > 0 || h.life == nil {
		a.mu.Unlock()
		return false
	}
	l := h.life
	h.life = nil
	a.mu.Unlock()
	l.endProcess(nil)
	return true
}

// SettingsOf returns the settings of a session whose agent is running.
func (a *Agent) SettingsOf(id bellcord.SessionID) Settings {
	if c, err := a.controller(id, ""); err == nil && id != "" {
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
