// Package tool contains the built-in tools. A tool's failure is a Result, not
// an error.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/tool/workspace"
	"github.com/bellcord/bellcord/proc"
)

// Tool is an operation that the model can call.
type Tool struct {
	llm.Tool
	// Safe tools change nothing and may run in parallel with other safe tools.
	Safe bool
	// AnyFile means that a call can change any file. Other tools call Call.Changing
	// for every file that they change.
	AnyFile bool
	// Question returns the question for the user's approval of a call; nil for a
	// tool that changes nothing.
	Question func(args json.RawMessage) string
	// Preview returns the changes to files that a call would make; nil for a tool
	// that changes no files, or none that can be determined in advance.
	Preview func(ctx context.Context, call Call) []bellcord.Change
	// Effect classifies what a call can change. With a Question, "" means
	// permit.Reaches; without it, the effect is always read-only.
	Effect permit.Effect
	// Subject returns what rules match, such as the command or the URL. If it is
	// nil and Path is "", rules match only the tool.
	Subject func(dir string, args json.RawMessage) string
	// Path is the name of the argument that contains a path, or "" if no
	// argument does. That path is then the subject.
	Path string
	// Lists is the name of the tool that a call stands for if its path is a
	// directory, or "": rules for both tools then apply.
	Lists string
	// Parts returns the calls of other tools that a call stands for; rules apply to
	// each of them instead of to the call. May be nil.
	Parts func(args json.RawMessage) []Part
	// Exact returns everything in the arguments that affects what a call does; nil
	// means all arguments, without the whitespace between JSON tokens.
	Exact func(args json.RawMessage) string
	// Changed describes how the tool differs from the one used before; it returns
	// "" if it does not. May be nil.
	Changed func() string
	// Used is called when a call is allowed, before it runs, and pins the tool in
	// its current form. It is not called if mode full allowed a changed tool
	// without approval. May be nil.
	Used func() error
	// Check returns an error for arguments that Run could not use. It is called
	// before anything starts.
	Check func(args json.RawMessage) error
	// Refuse returns an error for a call that must not run in the current state of
	// the files. It is called before the user is asked. May be nil.
	Refuse func(ctx context.Context, call Call) error
	// Run executes the call. When ctx ends, Run ends everything that it started
	// and then returns the true outcome: stopped, with the output so far, or
	// finished.
	Run func(ctx context.Context, call Call) Result

	// Altered reports whether something other than the subject changes what a call
	// does; no rule allows such a call. May be nil.
	Altered func(args json.RawMessage) bool
	// EachTime returns the reason why a person must approve a call each time, in
	// every mode, or "". May be nil.
	EachTime func(args json.RawMessage) string
	// Confined returns a sentence about the sandbox of a call, for the question, or
	// "". May be nil.
	Confined func(call Call) string

	binding
	unbound func(context.Context, Call) Result // Run without the binding
}

// Call is one call of a tool.
type Call struct {
	Turn    bellcord.TurnID
	Session bellcord.SessionID
	Dir     string // the session's working directory
	Args    json.RawMessage
	Output  func(string) // receives output while the call runs

	Mode permit.Mode // of the session

	// AdditionalDirs are the session's other directories. Absolute paths inside
	// them are treated like paths inside Dir.
	AdditionalDirs []string

	// AsWritten prevents that a call reads another path than the one in Args, such
	// as a.py for /workspace/a.py.
	AsWritten bool

	// Raw makes read_file return lines for a program and not for a model: exactly
	// the lines of the file at the path in Args, or an error.
	Raw bool

	// Media is what the session's model accepts in addition to text.
	Media llm.Media

	// Held are the session's directories as the turn has found them: a call fails if
	// one of them was replaced. Nil compares nothing.
	Held *realdir.Held

	// Changing is called with the absolute path of a file immediately before the
	// call changes it, and the file is not changed if it fails. May be nil.
	Changing func(ctx context.Context, path string) error

	// Asker shows questions to the user; nil if nobody can be asked.
	Asker Asker

	// Confirmed records that a process has ended that the call's result lists as
	// unconfirmed. It may be called after the turn has ended.
	Confirmed func(bellcord.Process)

	binding
}

// dirs returns the directories that the call may access.
func (c Call) dirs() workspace.Dirs {
	d := workspace.Dirs{Dir: c.Dir, Additional: c.AdditionalDirs, Private: c.private, Held: c.Held, AsWritten: c.AsWritten}
	if c.outputs != nil {
		d.Output = func(path string) bool { return c.outputs(c.Session, path) }
	}
	return d
}

// changing announces a change of the file at rel in root.
func (c Call) changing(ctx context.Context, root, rel string) error {
	if c.Changing == nil {
		return nil
	}
	return c.Changing(ctx, filepath.Join(root, rel))
}

// Part is a call of a tool for files that another call stands for.
type Part struct{ Tool, Path string }

// Asker shows questions to the user of a turn. *hub.Work implements it.
type Asker interface {
	// AskForm returns the user's answer. A stop withdraws the question.
	AskForm(ctx context.Context, q bellcord.Question) (bellcord.Reply, error)
	// Answer answers an open question in place of the user.
	Answer(question string, r bellcord.Reply, by string) error
}

// Result is the outcome of a call.
type Result struct {
	Text      string
	Failed    bool
	Fate      bellcord.CallOutcome
	Processes *bellcord.Processes // processes that the call started
	Changes   []bellcord.Change   // that the call made to files, for display
	Images    []bellcord.Image    // pictures and documents for the model
	Sandbox   *bellcord.Sandbox   // that the call's processes ran in; nil if no sandbox is configured
}

// Previewed returns the changes to files that a call would make, or nil if they
// cannot be determined in advance. The session works in dir and in the
// additional directories.
func (t Tool) Previewed(ctx context.Context, dir string, args json.RawMessage, additional ...string) []bellcord.Change {
	if t.Preview == nil {
		return nil
	}
	return t.Preview(ctx, Call{Dir: dir, AdditionalDirs: additional, Args: args, binding: t.binding})
}

// Builtin returns the tools that every session has.
func Builtin(keeper *proc.Keeper, resources *SessionResources) []Tool {
	all := []Tool{
		ReadFile(), WriteFile(), EditFile(), ApplyPatch(), ListDir(), Glob(), Grep(),
		Shell(keeper, resources), Fetch(FetchOptions{}),
	}
	if resources == nil {
		return all
	}
	all = append(all, EndCommand(resources))
	checker := &syntaxChecker{keeper: keeper, env: resources.Env, limit: checkTime, servers: resources.Servers, serverLimit: serverTime}
	for i := range all {
		all[i] = all[i].bind(binding{known: &resources.known, checker: checker, outputs: resources.contains})
	}
	return all
}

func finished(text string) Result { return Result{Text: text, Fate: bellcord.CallFinished} }

// stopped returns the result of a call that was stopped, with its output so
// far.
func stopped(output string) Result {
	return Result{Text: history.ResultText(bellcord.CallStopped, output), Fate: bellcord.CallStopped}
}

func failed(err error) Result {
	return Result{Text: "error: " + err.Error(), Failed: true, Fate: bellcord.CallFinished}
}

// parse parses arguments strictly: they must be one complete object that
// contains each key at most once, spelled as in the schema. encoding/json alone
// would accept "Command" for "command", so the call that was approved could
// differ from the call that runs.
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
		return v, fmt.Errorf("arguments: %w", wrongType(err))
	}
	return v, nil
}

// wrongType describes a value of the wrong type without the names of Go types.
func wrongType(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return err
	}
	want := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Bool: "a boolean", reflect.Int: "an integer", reflect.Int64: "an integer", reflect.Slice: "an array", reflect.Struct: "an object",
	}[wrong.Type.Kind()]
	return fmt.Errorf("%s must be %s, but is: %s", wrong.Field, want, wrong.Value)
}

// keys checks that args is exactly one object, with no key twice and no key that
// is missing from the list.
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
			return fmt.Errorf("unknown field %q; the fields are %s", key, strings.Join(known, ", "))
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
