package acpnet

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	iacp "github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/web"
)

// Headers of the HTTP transport.
const (
	headerConnection = "Acp-Connection-Id"
	headerSession    = "Acp-Session-Id"
)

// longestID is the maximum length of a session id or a request id.
const longestID = 1024

// sessionMethods are the methods whose POST must have the session's header.
var sessionMethods = map[string]bool{
	iacp.MethodCancel: true, iacp.MethodCloseSession: true, iacp.MethodDeleteSession: true, iacp.UnstableForkSession: true, iacp.MethodLoadSession: true,
	iacp.MethodPrompt: true, iacp.MethodResumeSession: true, iacp.MethodSetConfigOption: true, iacp.MethodSetMode: true, iacp.UnstableSetModel: true,
}

// incoming is the part of a message that the transport reads.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID *string `json:"sessionId"`
	} `json:"params"`
}

// statusError is an error with the status of its response.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// post processes one message. When it has answered, a prompt has been accepted
// and a stop has been carried out.
func (s *Server) post(w http.ResponseWriter, r *http.Request, access *web.Access) {
	release, err := access.Reserve(announced(r))
	if err != nil {
		s.config.Web.Refuse(w, r, err)
		return
	}
	defer release()
	text, m, err := readMessage(w, r)
	if err == nil {
		switch id := r.Header.Get(headerConnection); {
		case m.Method == iacp.MethodInitialize && id != "":
			err = &statusError{http.StatusBadRequest, "initialize is not allowed on an existing connection"}
		case m.Method == iacp.MethodInitialize:
			s.initialize(w, r, access, text, m)
			return
		default:
			err = s.forward(r, access, text, m)
		}
	}
	var refused *statusError
	switch {
	case err == nil:
		w.WriteHeader(http.StatusAccepted)
	case errors.As(err, &refused) && isBatch(text):
		answerBatch(w)
	case errors.As(err, &refused):
		w.Header().Set("Connection", "close") // the body may be unread
		refuse(w, refused.status, refused.text)
	default:
		s.config.Web.Refuse(w, r, err)
	}
}

func announced(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return mostBody
	}
	return min(r.ContentLength, mostBody)
}

// readMessage reads the body of a POST.
func readMessage(w http.ResponseWriter, r *http.Request) ([]byte, incoming, error) {
	var m incoming
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, m, &statusError{http.StatusUnsupportedMediaType, "the request body must be application/json"}
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, m, &statusError{http.StatusRequestEntityTooLarge, "the request body may have at most 16 MiB"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, m, &statusError{http.StatusRequestTimeout, "the request body arrived too slowly"}
	case err != nil:
		return nil, m, &statusError{http.StatusBadRequest, "the request body ended early"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // otherwise it would cancel a request that waits
	if err := web.CheckShape(text); err != nil {
		return nil, m, err
	}
	if err := json.Unmarshal(text, &m); err != nil || len(m.ID) > longestID {
		return text, m, &statusError{http.StatusBadRequest, "the request body is not a JSON-RPC message"}
	}
	return text, m, nil
}

// answerBatch refuses an array of messages.
func answerBatch(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"JSON-RPC batches are not supported"}}`) // the client may be gone
}

// initialize creates a connection. Its response has the connection's id.
func (s *Server) initialize(w http.ResponseWriter, r *http.Request, access *web.Access, text []byte, m incoming) {
	if len(m.ID) == 0 || string(m.ID) == "null" {
		refuse(w, http.StatusBadRequest, "the initialize request must have an id")
		return
	}
	leave, err := s.admit(access)
	if err != nil {
		s.refuseConnection(w, r, err)
		return
	}
	c := newHTTPConnection(s, access, leave)
	if !s.add(c) {
		c.end("the server is shutting down")
		refuse(w, http.StatusServiceUnavailable, "the server is shutting down")
		return
	}
	bounded, done := context.WithTimeout(r.Context(), handshake)
	defer done()
	response, err := c.initialize(bounded, text, m.ID)
	if err != nil {
		c.end("initialize failed")
		refuse(w, http.StatusInternalServerError, "initialize failed: "+err.Error())
		return
	}
	s.mu.Lock()
	s.http[c.id] = c
	s.mu.Unlock()
	w.Header().Set(headerConnection, c.id)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(response) //nolint:gosec // the content type is application/json; without it the client does not know the id; the connection is released when idle
}

// connection returns the connection of a request, if it belongs to the caller.
func (s *Server) connection(r *http.Request, access *web.Access) (*httpConnection, error) {
	id := r.Header.Get(headerConnection)
	if id == "" {
		return nil, &statusError{http.StatusBadRequest, "missing " + headerConnection}
	}
	s.mu.Lock()
	c := s.http[id]
	s.mu.Unlock()
	if c == nil || !c.access.Same(access) {
		return nil, &statusError{http.StatusNotFound, "unknown " + headerConnection}
	}
	return c, nil
}

// forward passes a message to its connection.
func (s *Server) forward(r *http.Request, access *web.Access, text []byte, m incoming) error {
	c, err := s.connection(r, access)
	if err != nil {
		return err
	}
	session := r.Header.Get(headerSession)
	if m.Method == "" {
		if requestSession := c.streams.askedOn(m.ID); requestSession != "" { // a response belongs to the session of its request
			m.Params.SessionID = &requestSession
		}
	}
	if err := checkSession(session, m); err != nil {
		return err
	}
	c.access.Adopt(access)
	return c.receive(text, m, session)
}

// checkSession compares the header with the session of the message.
func checkSession(header string, m incoming) error {
	switch {
	case len(header) > longestID:
		return &statusError{http.StatusBadRequest, headerSession + " is too long"}
	case header == "" && (sessionMethods[m.Method] || m.Params.SessionID != nil):
		return &statusError{http.StatusBadRequest, "missing " + headerSession}
	case header != "" && m.Params.SessionID != nil && *m.Params.SessionID != header:
		return &statusError{http.StatusBadRequest, "mismatched " + headerSession}
	}
	return nil
}

// stream serves a stream of messages to the client: that of the connection, or
// that of one session.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, access *web.Access) {
	if !strings.Contains(strings.ToLower(r.Header.Get("Accept")), "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, "the request must accept text/event-stream")
		return
	}
	c, err := s.connection(r, access)
	session := r.Header.Get(headerSession)
	if err == nil && len(session) > longestID {
		err = &statusError{http.StatusBadRequest, headerSession + " is too long"}
	}
	var opened *stream
	if err == nil {
		opened, err = c.streams.attach(session)
	}
	var refused *statusError
	if errors.As(err, &refused) {
		refuse(w, refused.status, refused.text)
		return
	}
	defer c.used()
	c.copyTo(r.Context(), w, opened)
	if session != "" { // the client may have lost messages: it has to load or resume the session
		c.streams.lose(opened)
		c.acp.Detach(session)
	}
	c.streams.release(opened)
}

// delete ends a connection.
func (s *Server) delete(w http.ResponseWriter, r *http.Request, access *web.Access) {
	c, err := s.connection(r, access)
	var refused *statusError
	if errors.As(err, &refused) {
		refuse(w, refused.status, refused.text)
		return
	}
	c.end("the client has closed the connection")
	w.WriteHeader(http.StatusAccepted)
}

// errEnded means that a connection has ended.
var errEnded = &statusError{http.StatusNotFound, "unknown " + headerConnection}
