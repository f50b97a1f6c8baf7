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
	"reflect"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/proc"
)

// Tool is one thing the model can do.
type Tool struct {
	llm.Tool
	// Safe tools change nothing and may run beside their siblings.
	Safe bool
	// Question is what a person is asked before a call; nil for a tool that
	// changes nothing.
	Question func(args json.RawMessage) string
	// Preview returns the changes to files that a call would make; nil for a tool
	// that makes none that are known before.
	Preview func(ctx context.Context, call Call) []bellcord.Change
	// Effect is what a call does to the world. A tool with a question that does
	// not say is taken for one that reaches outside.
	Effect permit.Effect
	// Subject is what rules are held against, such as the path or the command;
	// nil when there is only the tool itself.
	Subject func(dir string, args json.RawMessage) string
	// Path is the argument that names a file or a directory, "" for none. It is
	// then the subject.
	Path string
	// Exact is everything in the arguments that changes what a call does; nil
	// for all of them as they are written.
	Exact func(args json.RawMessage) string
	// Changed returns why a tool is not the one that was used before, "" when it
	// is. May be nil.
	Changed func() string
	// Used is called when a call is allowed, before it runs, except when the mode
	// allowed it without looking: from then on the tool as it is now is known. May
	// be nil.
	Used func() error
	// Check refuses arguments that Run could not use, before anything starts.
	Check func(args json.RawMessage) error
	// Run does the call. When ctx ends it ends all that it started, then
	// returns what is true: stopped, with the output so far, or finished.
	Run func(ctx context.Context, call Call) Result

	private Private
}

// Call is one call of a tool.
type Call struct {
	Turn    bellcord.TurnID
	Session bellcord.SessionID
	Dir     string // where the session works
	Args    json.RawMessage
	Output  func(string) // for output as it comes

	// Confirmed records that a process has ended which the call's result lists as
	// unconfirmed. It may be called after the turn has ended.
	Confirmed func(bellcord.Process)
	private   Private
}

// Result is what a call came to.
type Result struct {
	Text      string
	Failed    bool
	Fate      bellcord.CallOutcome
	Processes *bellcord.Processes // that came from the call
}

// Previewed returns the changes to files that a call would make, as far as they
// are known before.
func (t Tool) Previewed(ctx context.Context, dir string, args json.RawMessage) []bellcord.Change {
	if t.Preview == nil {
		return nil
	}
	return t.Preview(ctx, Call{Dir: dir, Args: args, private: t.private})
}

// Builtin returns the tools every session has.
func Builtin(keeper *proc.Keeper, yard *Yard) []Tool {
	return []Tool{
		ReadFile(), WriteFile(), EditFile(), ListDir(), Glob(), Grep(),
		Shell(keeper, yard), Fetch(FetchOptions{}),
	}
}

func finished(text string) Result { return Result{Text: text, Fate: bellcord.CallFinished} }

func failed(err error) Result {
	return Result{Text: "error: " + err.Error(), Failed: true, Fate: bellcord.CallFinished}
}

// parse reads arguments strictly: one complete object, and each of its keys
// once and spelled as it is in the schema. encoding/json alone would take
// "Command" for "command", and what was asked about would not be what runs.
func parse[T any](args json.RawMessage) (T, error) {
	var v T
	var known []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, name)
	}
	if err := keys(args, known); err != nil {
		return v, fmt.Errorf("arguments: %w", err)
	}
	if err := json.Unmarshal(args, &v); err != nil {
		return v, fmt.Errorf("arguments: %w", err)
	}
	return v, nil
}

// keys checks the keys of the one object that args must be.
func keys(args json.RawMessage, known []string) error {
	d := json.NewDecoder(bytes.NewReader(args))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		switch {
		case !slices.Contains(known, key):
			return fmt.Errorf("unknown field %q", key)
		case seen[key]:
			return fmt.Errorf("duplicate field %q", key)
		}
		seen[key] = true
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return io.ErrUnexpectedEOF
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
