package fakegram

import (
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Server plays Telegram for one bot. It is an http.Handler; use New to make one.
type Server struct {
	logger   *slog.Logger
	token    string
	me       User
	hearsAll bool // in groups, and not only what is meant for the bot
	poster   *http.Client
	mux      *http.ServeMux
	posting  sync.WaitGroup // goroutines that serve webhooks

	mu         sync.Mutex
	changed    chan struct{} // closed and replaced at every change
	storm      func(Call) Weather
	people     []*User
	chats      map[int64]*chat
	groups     []int64
	inbox      inbox
	hook       *webhook
	queries    []*query
	files      map[string]*file
	commands   map[string][]Command
	all        bucket
	ban        ban // for all chats
	pollBan    ban
	calls      []*Call
	violations []Violation
}

// Option changes how New sets up a Server.
type Option func(*Server)

// WithLogger makes the server tell what it receives; without it, it is silent.
func WithLogger(logger *slog.Logger) Option {
	return func(s *Server) { s.logger = logger }
}

// WithToken sets the bot's token, of which the part before the colon is the
// bot's number. The default is 1:TEST.
func WithToken(token string) Option {
	return func(s *Server) { s.token = token }
}

// WithStorm has the server ask before each call what shall befall it. Calls that
// come at once are asked for at once.
func WithStorm(storm func(Call) Weather) Option {
	return func(s *Server) { s.storm = storm }
}

// WithAllGroupMessages takes the bot's privacy mode away: it hears every word in
// its groups.
func WithAllGroupMessages() Option {
	return func(s *Server) { s.hearsAll = true }
}

// WithWebhookClient sets who posts to webhooks; in a synctest bubble it has to
// be a client whose connections are in memory.
func WithWebhookClient(client *http.Client) Option {
	return func(s *Server) { s.poster = client }
}

// New makes a Server that knows nobody yet.
func New(opts ...Option) *Server {
	s := &Server{
		logger:   slog.New(slog.DiscardHandler),
		token:    "1:TEST",
		poster:   &http.Client{},
		mux:      http.NewServeMux(),
		changed:  make(chan struct{}),
		chats:    map[int64]*chat{},
		inbox:    inbox{next: firstUpdate},
		files:    map[string]*file{},
		commands: map[string][]Command{},
		all:      bucket{size: 30, rate: 30},
	}
	for _, opt := range opts {
		opt(s)
	}
	s.me = botUser(s.token)
	s.mux.HandleFunc("/file/{bot}/{path...}", s.download)
	s.mux.HandleFunc("/{bot}/{method}", s.serve)
	s.pageRoutes()
	return s
}

// ServeHTTP answers one request, of a bot or of the page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

// change does something with the lock held, brings what time has done up to
// date before, and wakes those who wait after it.
func (s *Server) change(do func(now time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.settle(now)
	do(now)
	s.wake()
}

// look is change for those who only read.
func (s *Server) look(do func(now time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.settle(now)
	do(now)
}

// wake must be called with the lock held.
func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// settle lets go of what its time has passed for. There are no timers: whoever
// looks sees what is true at that moment.
func (s *Server) settle(now time.Time) {
	s.settleQueries(now)
	s.inbox.dropExpired(now)
	for _, c := range s.chats {
		c.settle(now)
	}
}

// due is when something will change by itself next; the zero time if nothing
// will.
func (s *Server) due() time.Time {
	var next time.Time
	sooner := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	for _, q := range s.queries {
		if !q.closed {
			sooner(q.deadline())
		}
	}
	for _, c := range s.chats {
		if c.action != "" {
			sooner(c.actionEnds)
		}
		for _, d := range c.drafts {
			sooner(d.ends())
		}
	}
	return next
}
