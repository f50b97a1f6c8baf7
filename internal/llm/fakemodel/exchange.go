package fakemodel

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// errTruncated ends a reply that has reached the limit of [bytes cut N].
var errTruncated = errors.New("reply truncated by its script")

// turn contains the parts of a request that the script needs, independent of
// the wire format.
type turn struct {
	model    string
	prompt   string   // text of the last user message
	step     int      // assistant messages with tool calls after it
	results  []string // texts of the tool results at the end
	messages int
	chars    int // characters of text in all messages
	stream   bool
	usage    bool // a stream must report usage
}

// format is one wire format.
type format interface {
	// authorized rejects a request without a key in the place that the real API
	// requires.
	authorized(r *http.Request) error
	// validate rejects what the real API rejects or should reject.
	validate(body []byte) error
	// read extracts as much of the request as possible; the body may be
	// invalid.
	read(r *http.Request, body []byte) turn
	// problem returns the body of an error response.
	problem(status int, words string) []byte
	// speaker returns the writer of the reply.
	speaker(x *exchange, t turn, rule usageRule) speaker
}

// exchange is one request and its reply.
type exchange struct {
	r       *http.Request
	w       http.ResponseWriter
	journal *journal
	entry   *Request
	left    int  // remaining bytes of the body, or -1 for no limit
	hangs   bool // hang instead of ending when no bytes remain
}

func (s *Server) serve(f format) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		x := &exchange{r: r, w: w, journal: s.journal, left: -1}
		if err != nil {
			x.entry = s.journal.addRequest(Request{At: time.Now(), Raw: body})
			x.undelivered("")
			panic(http.ErrAbortHandler)
		}
		t := f.read(r, body)
		sc, status, refusal := s.admit(f, r, body, t)
		entry := record(body, t, refusal)
		if s.lenient {
			entry.Suspect = suspicion(f.validate(body))
		}
		x.entry = s.journal.addRequest(entry)
		defer x.watch()()
		if refusal != nil {
			s.logger.Warn("request refused", "status", status, "err", refusal)
			err = x.problem(f, status, refusal.Error())
		} else {
			s.logger.Info("request", "model", t.model, "step", t.step, "prompt", t.prompt)
			err = x.perform(f, sc, t)
		}
		if err != nil && !errors.Is(err, errTruncated) {
			// This is the only documented way to break a connection with
			// net/http. A plain return would end the reply as if it were
			// complete.
			panic(http.ErrAbortHandler)
		}
	}
}

// admit decides whether a request is answered, and by which script.
func (s *Server) admit(f format, r *http.Request, body []byte, t turn) (script, int, error) {
	if err := f.authorized(r); err != nil {
		return script{}, http.StatusUnauthorized, err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return script{}, http.StatusBadRequest, errors.New("content type is not application/json")
	}
	if err := f.validate(body); err != nil && !s.lenient {
		return script{}, http.StatusBadRequest, err
	}
	if s.player != nil {
		return s.player(t.model, body).script(), 0, nil
	}
	sc, err := parseScript(t.prompt, s.pace)
	switch {
	case err != nil && s.lenient:
		return mistaken(err, s.pace), 0, nil
	case err != nil:
		return script{}, http.StatusBadRequest, err
	}
	if s.answer != "" && sc.plain {
		sc.segments = []segment{{pieces: splitWords(s.answer), pace: s.pace}}
	}
	return sc.at(t.step), 0, nil
}

// mistaken returns a script that answers with the mistake in the prompt's script.
func mistaken(err error, pace time.Duration) script {
	sc := newScript(pace)
	sc.segments = []segment{{pieces: splitWords("The fake model cannot follow the prompt: " + err.Error())}}
	return sc
}

func suspicion(wrong error) string {
	if wrong == nil {
		return ""
	}
	return wrong.Error()
}

func record(body []byte, t turn, refusal error) Request {
	q := Request{At: time.Now(), Model: t.model, Prompt: t.prompt, Messages: t.messages, Raw: body}
	if refusal != nil {
		q.Rejected = refusal.Error()
	}
	return q
}

func checkBearer(header http.Header) error {
	kind, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") || strings.TrimSpace(token) == "" {
		return errors.New("no bearer token in the authorization header")
	}
	return nil
}

// perform plays the script, unless one of its error statuses is due.
func (x *exchange) perform(f format, sc script, t turn) error {
	if due := sc.statusDue(x.journal, t); due != nil {
		if due.retry >= 0 {
			x.w.Header().Set("Retry-After", strconv.Itoa(due.retry))
		}
		return x.problem(f, due.code, "the script asked for this error")
	}
	x.left, x.hangs = sc.bytes, sc.hangsAfterBytes
	if x.left >= 0 {
		x.w.Header().Set("Connection", "close")
	}
	return x.play(sc, t, f.speaker(x, t, sc.usage))
}

func (x *exchange) problem(f format, status int, words string) error {
	x.head(status, "application/json")
	return x.deliverPiece(f.problem(status, words), "", true)
}
