package fakemodel_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// update makes the test rewrite the generated part of the page: make reference.
var update = flag.Bool("update", false, "rewrite the generated part of docs/dev/fake-model.md")

// generated separates the handwritten part of the page from the generated part.
const generated = "<!-- What follows is written by make reference. -->\n"

// The test sends every example to the model and writes down the answer, so that the page shows only
// what the model does.
func TestReference_FakeModel_IsCurrent(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("\n| marker | what the model does | example | answer |\n|---|---|---|---|\n")
	for _, m := range fakemodel.Markers() {
		if !strings.Contains(m.Example, "["+m.Name()) || m.Effect == "" {
			t.Errorf("%s has no effect, or the example does not use it", m.Form)
		}
		fmt.Fprintf(&want, "| `%s` | %s. | `%s` | %s |\n", m.Form, strings.ToUpper(m.Effect[:1])+m.Effect[1:], m.Example, answerTo(t, m.Example))
	}
	path := filepath.Join("..", "..", "..", "docs", "dev", "fake-model.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, is, ok := strings.Cut(string(text), generated)
	if !ok {
		t.Fatalf("docs/dev/fake-model.md has no line %q", generated)
	}
	if *update {
		if err := os.WriteFile(path, []byte(written+generated+want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if is != want.String() {
		t.Error("docs/dev/fake-model.md is not current: make reference")
	}
}

// patience is how long the client waits before an answer counts as hanging. The clock is fake.
const patience = time.Hour

// answerTo describes the model's answers to a prompt, to a repetition of the request if the first
// answer is an error, and to the results of tool calls.
func answerTo(t *testing.T, prompt string) (answers string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		user := fmt.Sprintf(`{"role":"user","content":%q}`, prompt)
		first, calls := described(t, client, conversation(true, user))
		answers = first
		if strings.HasPrefix(first, "status ") {
			again, _ := described(t, client, conversation(true, user))
			answers += "; to the second request: " + again
		}
		if len(calls) > 0 && !strings.HasPrefix(prompt, "[badargs") {
			next, _ := described(t, client, conversation(true, append([]string{user}, withResults(calls)...)...))
			answers += "; after the result: " + next
		}
	})
	return answers
}

// described sends a request and describes the answer. It also returns the tool calls in it.
func described(t *testing.T, client *http.Client, body string) (text string, calls []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	start := time.Now()
	resp, err := post(ctx, client, pipeURL, body)
	if errors.Is(err, context.DeadlineExceeded) {
		return "nothing", nil
	} else if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return fmt.Sprintf("status %d%s", resp.StatusCode, retryAfter(resp.Header)), nil
	}
	h := decoded{}
	for event := range strings.SplitSeq(string(raw), "\n\n") {
		h.take(t, []byte(strings.TrimPrefix(event, "data: ")))
	}
	parts := contents(h, body, string(raw))
	switch took := time.Since(start); {
	case errors.Is(err, context.DeadlineExceeded):
		parts = append(parts, "then nothing")
	case err != nil:
		parts = append(parts, "then the connection breaks")
	case h.finish == "":
		parts = append(parts, "then the response ends")
	case took > 0:
		parts = append(parts, fmt.Sprintf("in %v", took))
	}
	return strings.Join(parts, ", "), h.calls
}

func retryAfter(header http.Header) string {
	if seconds := header.Get("Retry-After"); seconds != "" {
		return " with Retry-After: " + seconds
	}
	return ""
}

// contents describes the parts of an answer. Usage is only described if the request is about it.
func contents(h decoded, request, raw string) []string {
	var parts []string
	if h.thinking != "" {
		parts = append(parts, fmt.Sprintf("thinking `%s`", h.thinking))
	}
	if h.text != "" {
		parts = append(parts, "`"+strings.ReplaceAll(h.text, "\n", "` and on the next line `")+"`")
	}
	for _, call := range h.calls {
		name, arguments, _ := strings.Cut(call, " ")
		parts = append(parts, fmt.Sprintf("a call of `%s` with `%s`", name, arguments))
	}
	if len(parts) == 0 && h.finish != "" {
		parts = append(parts, "an empty text")
	} else if len(parts) == 0 {
		parts = append(parts, "no text")
	}
	if h.finish != "" && h.finish != "stop" && h.finish != "tool_calls" {
		parts = append(parts, fmt.Sprintf("finish reason `%s`", h.finish))
	}
	if !strings.Contains(request, "usage ") && !strings.Contains(request, "usage]") {
		return parts
	}
	reported := regexp.MustCompile(`"usage":(\{.*\})\}`).FindAllStringSubmatch(raw, -1)
	if len(reported) == 0 {
		return append(parts, "no usage")
	}
	last := fmt.Sprintf("usage `%s`", reported[len(reported)-1][1])
	if len(reported) > 1 {
		last += fmt.Sprintf(" in the last of %d chunks with usage", len(reported))
	}
	return append(parts, last)
}

// withResults returns an assistant message with the calls, and a result for each.
func withResults(calls []string) []string {
	var requested, results []string
	for i, call := range calls {
		name, arguments, _ := strings.Cut(call, " ")
		requested = append(requested, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":%q,"arguments":%q}}`, i, name, arguments))
		results = append(results, fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":"README.md"}`, i))
	}
	return append([]string{`{"role":"assistant","content":"","tool_calls":[` + strings.Join(requested, ",") + `]}`}, results...)
}
