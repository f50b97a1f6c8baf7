package fakegram

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const largestUpload = 50 << 20

// request contains the parameters of a call, independent of their encoding.
// JSON values other than strings are kept as JSON text, which is how forms send
// them.
type request struct {
	method string
	params map[string]string
	files  map[string]upload
}

type upload struct {
	name, mime string
	data       []byte
}

// readRequest reads parameters from the URL and from a body of JSON, a form or
// a multipart form.
func readRequest(w http.ResponseWriter, r *http.Request) (*request, error) {
	q := &request{method: r.PathValue("method"), params: map[string]string{}, files: map[string]upload{}}
	q.addValues(r.URL.Query())
	body := http.MaxBytesReader(w, r.Body, largestUpload+1<<20)
	kind, extra, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var err error
	switch kind {
	case "application/json":
		err = q.addJSON(body)
	case "multipart/form-data":
		err = q.addMultipart(multipart.NewReader(body, extra["boundary"]))
	case "application/x-www-form-urlencoded":
		err = q.addForm(body)
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return q, problem{code: http.StatusRequestEntityTooLarge, words: "Request Entity Too Large"}
	}
	if err != nil {
		return q, bad("can't parse the request: %v", err)
	}
	return q, nil
}

func (q *request) addValues(values url.Values) {
	for name, all := range values {
		q.params[name] = all[0]
	}
}

func (q *request) addForm(body io.Reader) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	values, err := url.ParseQuery(string(text))
	q.addValues(values)
	return err
}

func (q *request) addJSON(body io.Reader) error {
	var fields map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&fields); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for name, raw := range fields {
		var text string
		switch {
		case string(raw) == "null": // the same as omitting it
		case json.Unmarshal(raw, &text) == nil:
			q.params[name] = text
		default:
			q.params[name] = string(raw)
		}
	}
	return nil
}

func (q *request) addMultipart(form *multipart.Reader) error {
	for {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // a wrapped EOF means a truncated form
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		if part.FileName() != "" {
			q.files[part.FormName()] = upload{name: part.FileName(), mime: part.Header.Get("Content-Type"), data: data}
		} else {
			q.params[part.FormName()] = string(data)
		}
	}
}

func (q *request) names() []string {
	return slices.Sorted(maps.Keys(q.params))
}

// number reads an integer. If it is missing or invalid, the error has the given
// text.
func (q *request) number(name, refusal string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(q.params[name]))
	if err != nil {
		return 0, bad("%s", refusal)
	}
	return n, nil
}

// numberOr reads an integer that may be missing or invalid, as Telegram does.
func (q *request) numberOr(name string, otherwise int) int {
	n, err := strconv.Atoi(q.params[name])
	if err != nil {
		return otherwise
	}
	return n
}

func (q *request) flag(name string) bool {
	v := strings.ToLower(q.params[name])
	return v == "true" || v == "1" || v == "yes"
}

// object decodes a JSON parameter into a value. A missing parameter leaves it
// unchanged.
func (q *request) object(name string, into any) error {
	raw := q.params[name]
	if raw == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(raw), into); err != nil {
		return bad("can't parse %s: %v", strings.ReplaceAll(name, "_", " "), err)
	}
	return nil
}
