package fakegram

import (
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Server is a fake Telegram for one bot. It is an http.Handler; create it with
// New. It is safe for concurrent use.
type Server struct {
	logger      *slog.Logger
	token       string
	me          User
	receivesAll bool // the bot receives all messages of its groups
	poster      *http.Client
	mux         *http.ServeMux
	posting     sync.WaitGroup // goroutines that post to webhooks

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
	ban        ban // applies to all chats
	pollBan    ban
	calls      []*Call
	violations []Violation
}

// Option configures a Server.
type Option func(*Server)

// WithLogger makes the server log the calls that it receives. By default it
// logs nothing.
func WithLogger(logger *slog.Logger) Option {
	return func(s *Server) { s.logger = logger }
}

// WithToken sets the bot's token. The part before the colon is the bot's ID.
// The default is 1:TEST.
func WithToken(token string) Option {
	return func(s *Server) { s.token = token }
}

// WithStorm sets the function that returns the faults to inject into each call.
// It is called concurrently for concurrent calls.
func WithStorm(storm func(Call) Weather) Option {
	return func(s *Server) { s.storm = storm }
}

// WithAllGroupMessages disables the bot's privacy mode: it receives every
// message of its groups.
func WithAllGroupMessages() Option {
	return func(s *Server) { s.receivesAll = true }
}

// WithWebhookClient sets the client that posts to webhooks. In a synctest
// bubble its connections must be in memory.
func WithWebhookClient(client *http.Client) Option {
	return func(s *Server) { s.poster = client }
}

// New returns a Server without people and chats.
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

// ServeHTTP serves one request, of a bot or of the page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

// change applies the effects of elapsed time, calls do with the lock held, and
// wakes all waiters.
func (s *Server) change(do func(now time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.settle(now)
	do(now)
	s.wake()
}

// read is like change for functions that only read; it wakes no waiters.
func (s *Server) read(do func(now time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.settle(now)
	do(now)
}

// wake wakes all waiters. The caller must hold the lock.
func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// settle removes what has expired. There are no timers: every access sees the
// state of its moment.
func (s *Server) settle(now time.Time) {
	s.settleQueries(now)
	s.inbox.dropExpired(now)
	for _, c := range s.chats {
		c.settle(now)
	}
}

// due returns the time of the next change that elapsed time causes, or the zero
// time.
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
