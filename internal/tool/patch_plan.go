package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/tool/edit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// patchPlan lists the steps of a patch. Everything is computed before the first
// file changes.
type patchPlan []patchStep

// patchStep writes or removes one file.
type patchStep struct {
	mark   string // "A", "M" or "D", as in the result
	path   string
	file   *openedFile
	before string // the text that the new one is made from
	text   string // the new text, unless the file is removed
	remove bool
	note   string
}

// planPatch opens the files of a patch and computes their new texts. The caller
// closes the plan, also after an error.
func planPatch(ctx context.Context, open opener, call Call, files []edit.FilePatch) (patchPlan, error) {
	var plan patchPlan
	for _, p := range files {
		if ctx.Err() != nil {
			return plan, context.Cause(ctx)
		}
		f, err := open(ctx, call, p.Path)
		if err != nil {
			return plan, err
		}
		step := patchStep{mark: string(p.Op), path: p.Path, file: f, before: f.text}
		if err = step.compute(p); err == nil && p.Op == edit.Add {
			err = refuseOverwrite(call, p.Path, f)
		}
		if err == nil && p.MoveTo != "" { // the new file is written before the old one is removed
			var moved patchStep
			if moved, err = step.moved(ctx, open, call, p.MoveTo); moved.file != nil {
				plan = append(plan, moved)
			}
			step.mark, step.remove, step.note = "D", true, ""
		}
		if plan = append(plan, step); err != nil {
			return plan, fmt.Errorf("%s: %w", workspace.Shown(p.Path), err)
		}
	}
	return plan, nil
}

// moved returns the step that writes the new text to another path.
func (s *patchStep) moved(ctx context.Context, open opener, call Call, path string) (patchStep, error) {
	f, err := open(ctx, call, path)
	if err != nil {
		return patchStep{}, err
	}
	if f.exists {
		err = fmt.Errorf("cannot move it to %s: that file exists", workspace.Shown(path))
	}
	return patchStep{mark: "A", path: path, file: f, before: s.before, text: s.text, note: s.note}, err
}

// compute sets the new text of a step, from the text of the file.
func (s *patchStep) compute(p edit.FilePatch) error {
	f := s.file
	if f.unreadable != nil && p.Op != edit.Add {
		return f.unreadable
	}
	switch p.Op {
	case edit.Add:
		s.text, _ = likeBefore(f.text, p.Text)
		if f.exists {
			s.mark = "M"
		}
		return nil
	case edit.Delete:
		s.remove = true
	case edit.Update:
	}
	if !f.exists {
		return errors.New("no such file")
	}
	if p.Op == edit.Delete {
		return nil
	}
	applied, err := p.Apply(f.text, mostEdited)
	if err == nil {
		err = edit.Placeholder(applied.Text, f.text)
	}
	s.text, s.note = applied.Text, applied.Note
	return err
}

func (p patchPlan) close() {
	for _, s := range p {
		s.file.close()
	}
}

// carryOut changes the files one by one. A stop or a failure ends it between two
// files; the result lists the files that were changed and those that were not.
func (p patchPlan) carryOut(ctx context.Context, call Call) Result {
	var done, diffs strings.Builder
	var changed []changedFile
	var shownChanges []bellcord.Change
	for i, s := range p {
		var err error
		switch {
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case s.remove:
			err = s.file.remove(ctx)
		default:
			_, err = s.file.write(ctx, s.text, s.file.exists)
		}
		if err != nil {
			result := p.interrupted(ctx, i, done.String(), err)
			result.Changes = shownChanges
			return result
		}
		shownChanges = append(shownChanges, s.changes(call)...)
		if s.mark == "A" {
			call.known.add(call, s.path)
		}
		fmt.Fprintf(&done, "%s %s\n", s.mark, workspace.Shown(s.file.name))
		if !s.remove {
			changed = append(changed, changedFile{s.file.name, s.before, s.text})
		}
		if s.mark == "M" {
			diffs.WriteString(workspace.Shown(s.file.name) + "\n" + changes(s.file.text, s.text))
		}
		if s.note != "" {
			diffs.WriteString("[" + workspace.Shown(s.file.name) + ": matched by " + s.note + "]\n")
		}
	}
	result := finished(done.String() + diffs.String())
	result.Changes = shownChanges
	return call.checker.check(ctx, call, result, changed...)
}

// interrupted returns the result of a patch that ended before step i.
func (p patchPlan) interrupted(ctx context.Context, i int, done string, err error) Result {
	var rest strings.Builder
	for _, s := range p[i:] {
		fmt.Fprintf(&rest, "%s %s\n", s.mark, workspace.Shown(s.file.name))
	}
	if done == "" {
		done = "(none)\n"
	}
	lists := "Changed:\n" + done + "Not changed:\n" + rest.String()
	switch {
	case errors.Is(err, errUnconfirmed):
		lists = "Changed:\n" + done + "Not confirmed by the editor, or not changed:\n" + rest.String()
		return Result{Text: history.ResultText(bellcord.CallUnknown, lists), Fate: bellcord.CallUnknown}
	case ctx.Err() != nil:
		return Result{Text: history.ResultText(bellcord.CallStopped, lists), Fate: bellcord.CallStopped}
	}
	return failed(fmt.Errorf("%w\n%s", err, lists))
}

// changes returns the changes of one file.
func (s patchStep) changes(call Call) []bellcord.Change {
	before, after := &s.file.text, s.text
	if s.remove {
		after = ""
	}
	if !s.file.exists {
		before = nil
	}
	return changesOf(call, s.path, before, after)
}
