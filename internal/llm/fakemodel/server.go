package fakemodel

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"time"
)

const defaultPace = 20 * time.Millisecond

// Server is the fake model. It is an http.Handler; use New to create one.
type Server struct {
	logger  *slog.Logger
	pace    time.Duration
	lenient bool
	answer  string                               // to prompts without a marker; "" echoes them
	player  func(model string, body []byte) Move // decides every answer if it is not nil
	mux     *http.ServeMux
	journal *journal
}

// Option configures a Server.
type Option func(*Server)

// WithLogger makes the server log requests. By default it logs nothing.
func WithLogger(logger *slog.Logger) Option {
	return func(s *Server) { s.logger = logger }
}

// WithPace sets the pause between words for markers that do not set one. The
// default is 20ms.
func WithPace(pace time.Duration) Option {
	return func(s *Server) { s.pace = pace }
}

// WithLenience makes the server answer requests that fail validation, because
// agents of other projects send additional fields. The failure is recorded in
// Request.Suspect. The answer to an invalid script names the mistake in it.
func WithLenience() Option {
	return func(s *Server) { s.lenient = true }
}

// WithAnswer sets the answer to prompts without a marker. It is sent unchanged,
// at the pace of [slow]. It is meant for screenshots, and for trying a front
// with a realistic text.
func WithAnswer(text string) Option {
	return func(s *Server) { s.answer = text }
}

// New returns a Server with empty records.
func New(opts ...Option) *Server {
	s := &Server{
		logger:  slog.New(slog.DiscardHandler),
		pace:    defaultPace,
		mux:     http.NewServeMux(),
		journal: newJournal(),
	}
	for _, opt := range opts {
		opt(s)
	}
	s.mux.HandleFunc("POST /v1/chat/completions", s.serve(chatFormat{}))
	s.mux.HandleFunc("POST /v1/responses", s.serve(responsesFormat{}))
	s.mux.HandleFunc("POST /v1/messages", s.serve(messagesFormat{}))
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.mux.HandleFunc("POST /v1beta/models/{target...}", s.gemini())
	s.mux.HandleFunc("GET /v1beta/models", s.geminiModels)
	s.mux.HandleFunc("GET /requests", s.showRequests)
	s.mux.HandleFunc("DELETE /requests", s.forgetRequests)
	s.mux.HandleFunc("GET /{$}", s.help)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(messagesVersion) != "" {
		s.messagesModels(w, r)
		return
	}
	if err := checkBearer(r.Header); err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		s.writeReply(w, chatFormat{}.problem(http.StatusUnauthorized, err.Error()))
		return
	}
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{Object: "list"}
	for _, id := range []string{"fake", "fake-mini"} {
		list.Data = append(list.Data, model{ID: id, Object: "model", Created: time.Now().Unix(), OwnedBy: "bellcord"})
	}
	w.Header().Set("Content-Type", "application/json")
	s.writeReply(w, encode(list))
}

// shownRequest adds the body to a record in readable form: as JSON if it is
// valid JSON, and otherwise as a string.
type shownRequest struct {
	Request
	Body json.RawMessage `json:"body,omitempty"`
}

func (s *Server) showRequests(w http.ResponseWriter, _ *http.Request) {
	answer := struct {
		Requests   []shownRequest `json:"requests"`
		Rejections []string       `json:"rejections"`
	}{Requests: []shownRequest{}, Rejections: []string{}}
	for _, q := range s.Requests() {
		body := json.RawMessage(q.Raw)
		if !json.Valid(body) {
			body = encode(string(q.Raw))
		}
		answer.Requests = append(answer.Requests, shownRequest{Request: q, Body: body})
		if q.Rejected != "" {
			answer.Rejections = append(answer.Rejections, q.Rejected)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	s.writeReply(w, encode(answer))
}

func (s *Server) forgetRequests(w http.ResponseWriter, _ *http.Request) {
	s.journal.reset()
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) help(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	s.writeReply(w, []byte(helpText()))
}

func (s *Server) writeReply(w http.ResponseWriter, body []byte) {
	if _, err := w.Write(body); err != nil {
		s.logger.Warn("reply not delivered", "err", err)
	}
}
