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

// errTruncated ends a reply that [bytes cut N] allows no more bytes.
var errTruncated = errors.New("reply truncated by its script")

// turn is what the script needs to know of a request, in whatever wire format
// it came.
type turn struct {
	model    string
	prompt   string   // text of the last user message
	step     int      // assistant messages with tool calls after it
	results  []string // texts of the tool results at the end
	messages int
	chars    int // characters of text in all messages
	stream   bool
	usage    bool // a stream shall report usage
}

// format is one wire format.
type format interface {
	// authorized refuses a request without a key where the real API looks for it.
	authorized(r *http.Request) error
	// validate refuses what the real API would or should refuse.
	validate(body []byte) error
	// read takes from the request what it can; the body may be invalid.
	read(r *http.Request, body []byte) turn
	// problem is the body of an error answer.
	problem(status int, words string) []byte
	// speaker voices the reply of one exchange.
	speaker(x *exchange, t turn, rule usageRule) speaker
}

// exchange is one request being answered.
type exchange struct {
	r       *http.Request
	w       http.ResponseWriter
	journal *journal
	entry   *Request
	left    int  // bytes the body may still have, -1 for any number
	hangs   bool // when there are none left, instead of ending
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
			// The only way to break a connection that net/http documents. A
			// plain return would end the reply as if it were complete.
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
	sc, err := parseScript(t.prompt, s.pace)
	if err != nil && !s.lenient {
		return script{}, http.StatusBadRequest, err
	}
	if s.answer != "" && sc.plain {
		sc.segments = []segment{{pieces: splitWords(s.answer), pace: s.pace}}
	}
	return sc.at(t.step), 0, nil
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

// perform plays the script unless one of its errors is due.
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
