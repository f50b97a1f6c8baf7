package fakemodel

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"
)

// geminiFormat implements Google's generateContent method, streamed as
// server-sent events or whole.
type geminiFormat struct{}

const (
	geminiStreamed = "streamGenerateContent"
	geminiAtOnce   = "generateContent"
)

// gemini serves the methods of a model. A method follows a colon in the last
// segment of the path, which a ServeMux pattern cannot match.
func (s *Server) gemini() http.HandlerFunc {
	answer := s.serve(geminiFormat{})
	return func(w http.ResponseWriter, r *http.Request) {
		status, why := 0, ""
		switch _, method := geminiTarget(r); {
		case method != geminiStreamed && method != geminiAtOnce:
			status, why = http.StatusNotFound, "unknown method "+method
		case method == geminiStreamed && r.URL.Query().Get("alt") != "sse":
			status, why = http.StatusBadRequest, "only streams with alt=sse are supported"
		default:
			answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		s.writeReply(w, geminiFormat{}.problem(status, why))
	}
}

func geminiTarget(r *http.Request) (model, method string) {
	model, method, _ = strings.Cut(r.PathValue("target"), ":")
	return model, method
}

func (s *Server) geminiModels(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := (geminiFormat{}).authorized(r); err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		s.writeReply(w, geminiFormat{}.problem(http.StatusUnauthorized, err.Error()))
		return
	}
	type model struct {
		Name    string   `json:"name"`
		Shown   string   `json:"displayName"`
		Methods []string `json:"supportedGenerationMethods"`
	}
	s.writeReply(w, encode(map[string][]model{"models": {
		{"models/fake", "Fake", []string{geminiAtOnce, "countTokens"}},
		{"models/fake-embedding", "Fake Embedding", []string{"embedContent"}},
		{"models/fake-mini", "Fake Mini", []string{geminiAtOnce, "countTokens"}},
	}}))
}

// authorized does not accept a key in the query, because logs would contain it.
func (geminiFormat) authorized(r *http.Request) error {
	if strings.TrimSpace(r.Header.Get("X-Goog-Api-Key")) == "" {
		return errors.New("no key in the x-goog-api-key header")
	}
	return nil
}

func (geminiFormat) validate(body []byte) error { return ValidateGemini(body) }

type geminiRequest struct {
	System   geminiContent   `json:"systemInstruction"`
	Contents []geminiContent `json:"contents"`
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text         string `json:"text"`
		FunctionCall *struct {
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
		FunctionResponse *struct {
			Response struct {
				Output string `json:"output"`
				Error  string `json:"error"`
			} `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

// read ignores errors, as chatFormat.read does. Of several texts in one content
// the last is the prompt: they were separate messages originally.
func (geminiFormat) read(r *http.Request, body []byte) turn {
	var req geminiRequest
	_ = json.Unmarshal(body, &req)
	model, method := geminiTarget(r)
	t := turn{model: model, messages: len(req.Contents), stream: method == geminiStreamed, usage: true}
	for _, part := range req.System.Parts {
		t.chars += utf8.RuneCountInString(part.Text)
	}
	for _, content := range req.Contents {
		t.results = nil
		content.addTo(&t)
	}
	return t
}

// addTo adds one content to the turn.
func (c geminiContent) addTo(t *turn) {
	called := false
	for _, part := range c.Parts {
		t.chars += utf8.RuneCountInString(part.Text)
		switch {
		case part.FunctionCall != nil:
			t.chars += utf8.RuneCount(part.FunctionCall.Args)
			called = true
		case part.FunctionResponse != nil:
			result := part.FunctionResponse.Response.Output + part.FunctionResponse.Response.Error
			t.chars += utf8.RuneCountInString(result)
			t.results = append(t.results, result)
		case part.Text != "" && c.Role == geminiUser:
			t.prompt, t.step, t.results = part.Text, 0, nil
		}
	}
	if called {
		t.step++
	}
}

func (geminiFormat) problem(status int, words string) []byte {
	type detail struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Status  string `json:"status"`
	}
	word, known := map[int]string{
		http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED",
		http.StatusForbidden: "PERMISSION_DENIED", http.StatusNotFound: "NOT_FOUND",
		http.StatusConflict: "ABORTED", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
		http.StatusInternalServerError: "INTERNAL", http.StatusServiceUnavailable: "UNAVAILABLE",
		http.StatusGatewayTimeout: "DEADLINE_EXCEEDED",
	}[status]
	if !known {
		word = "UNKNOWN"
	}
	return encode(map[string]detail{"error": {status, words, word}})
}

func (geminiFormat) speaker(x *exchange, t turn, rule usageRule) speaker {
	common := geminiReply{x: x, turn: t, rule: rule}
	if t.stream {
		return &geminiStream{common}
	}
	return &geminiWhole{geminiReply: common}
}
