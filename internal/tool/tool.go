// Package tool holds the built-in tools: what the model is told of each, and
// what it does. A tool that fails is a result, not an error.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// Tool is one thing the model can do.
type Tool struct {
	llm.Tool
	// Safe tools change nothing and may run beside their siblings.
	Safe bool
	// Question is what a person is asked before a call, nil when it needs no
	// asking.
	Question func(args json.RawMessage) string
	// Check refuses arguments that Run could not use, before anything starts.
	Check func(args json.RawMessage) error
	// Run does the call. When ctx ends it ends all that it started, then
	// returns what is true: stopped, with the output so far, or finished.
	Run func(ctx context.Context, call Call) Result
}

// Call is one call of a tool.
type Call struct {
	Dir    string // where the session works
	Args   json.RawMessage
	Output func(string) // for output as it comes
}

// Result is what a call came to.
type Result struct {
	Text      string
	Failed    bool
	Fate      bellcord.Fate
	Processes []bellcord.Process
}

// Builtin returns the tools every session has.
func Builtin() []Tool { return []Tool{ReadFile(), Shell()} }

func finished(text string) Result { return Result{Text: text, Fate: bellcord.Finished} }

func failed(err error) Result {
	return Result{Text: "error: " + err.Error(), Failed: true, Fate: bellcord.Finished}
}

// parse reads arguments strictly: one complete object, no unknown fields.
func parse[T any](args json.RawMessage) (T, error) {
	var v T
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("arguments: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, errors.New("arguments: more than one value")
	}
	return v, nil
}
