package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/edit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const editFileDescription = "Replace text in a file: old is replaced by new. old must occur exactly once; set all to replace every occurrence. " +
	"Keep old short, but include enough lines to make it unique, and copy it exactly, without line numbers. " +
	"For several changes of one file use edits: they apply in order, all or none. " +
	"Line ends of the file are kept. The file is replaced atomically. Returns what changed."

const editFileSchema = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{` +
	`"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"},` +
	`"edits":{"type":"array","description":"instead of old and new","items":{"type":"object","required":["old","new"],"additionalProperties":false,"properties":{` +
	`"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"}}}}}}`

type editFileArgs struct {
	Path  string            `json:"path"`
	Old   *string           `json:"old"`
	New   *string           `json:"new"` // "" removes the old text
	All   bool              `json:"all"`
	Edits []json.RawMessage `json:"edits"`
}

// editItem is one element of edits.
type editItem struct {
	Old *string `json:"old"`
	New *string `json:"new"`
	All bool    `json:"all"`
}

// fileEdits are the parsed arguments: the edits of one file, in order.
type fileEdits struct {
	path  string
	edits []edit.Edit
}

// EditFile returns the tool that replaces text in a file inside the session's
// directory.
func EditFile() Tool {
	return Tool{
		Tool:     llm.Tool{Name: "edit_file", Description: editFileDescription, Schema: json.RawMessage(editFileSchema)},
		Effect:   permit.Edits,
		Path:     "path",
		Question: askEdit,
		Check: func(args json.RawMessage) error {
			_, err := parseEditFile(args)
			return err
		},
		Preview: previewEdit(onDisk),
		Run:     editFile(onDisk),
	}
}

func parseEditFile(args json.RawMessage) (fileEdits, error) {
	a, err := parse[editFileArgs](args)
	all := fileEdits{path: a.Path}
	switch {
	case err != nil:
		return all, err
	case a.Path == "":
		return all, errors.New("arguments: path is missing")
	case a.Edits == nil:
		one, err := editItem{a.Old, a.New, a.All}.edit()
		all.edits = []edit.Edit{one}
		return all, err
	case a.Old != nil || a.New != nil || a.All:
		return all, errors.New("arguments: send either old and new, or edits")
	case len(a.Edits) == 0:
		return all, errors.New("arguments: edits is empty")
	}
	for i, raw := range a.Edits {
		item, err := parse[editItem](raw)
		one := edit.Edit{}
		if err == nil {
			one, err = item.edit()
		}
		if err == nil && one.Old == "" {
			err = errors.New("arguments: old is empty")
		}
		if err != nil {
			return all, fmt.Errorf("edit %d of %d: %w", i+1, len(a.Edits), err)
		}
		all.edits = append(all.edits, one)
	}
	return all, nil
}

func (i editItem) edit() (edit.Edit, error) {
	switch {
	case i.Old == nil:
		return edit.Edit{}, errors.New("arguments: old is missing")
	case i.New == nil:
		return edit.Edit{}, errors.New("arguments: new is missing")
	case *i.Old == *i.New:
		return edit.Edit{}, errors.New("arguments: old and new are the same")
	}
	return edit.Edit{Old: *i.Old, New: *i.New, All: i.All}, edit.Placeholder(*i.New, *i.Old)
}

// askEdit returns the question about an edit, with all its texts.
func askEdit(args json.RawMessage) string {
	a, err := parseEditFile(args)
	if err != nil { // checked before
		return "Edit a file?"
	}
	var out strings.Builder
	most := max(maxQuestionLines/len(a.edits), 3)
	for _, e := range a.edits {
		if e.All && len(a.edits) > 1 {
			out.WriteString("[in every place]\n")
		}
		out.WriteString(diffLines("-", e.Old, most) + diffLines("+", e.New, most))
	}
	where := ""
	switch {
	case len(a.edits) > 1:
		where = fmt.Sprintf(" in %d places", len(a.edits))
	case a.edits[0].All:
		where = " in every place"
	}
	return fmt.Sprintf("Edit %s%s?\n%s", workspace.Shown(a.path), where, out.String())
}

// previewEdit returns the Preview function of edit_file: the parts of the file
// that change, or the texts as written if they cannot be applied.
func previewEdit(open opener) func(context.Context, Call) []bellcord.Change {
	return func(ctx context.Context, call Call) []bellcord.Change {
		a, err := parseEditFile(call.Args)
		if err != nil {
			return nil
		}
		if f, err := open(ctx, call, a.path); err == nil {
			defer f.close()
			if applied, err := edit.ApplyAll(f.text, a.edits, mostEdited); err == nil && f.exists {
				return changesOf(call, a.path, &f.text, applied.Text)
			}
		}
		var all []bellcord.Change
		for _, e := range a.edits {
			all = append(all, changeOf(call, a.path, &e.Old, e.New)...)
		}
		return all
	}
}

// editFile returns the Run function of edit_file.
func editFile(open opener) func(context.Context, Call) Result {
	return func(ctx context.Context, call Call) Result {
		a, err := parseEditFile(call.Args)
		if err != nil {
			return failed(err)
		}
		f, err := open(ctx, call, a.path)
		if err != nil {
			return failed(call.dirs().Suggested(ctx, a.path, err))
		}
		defer f.close()
		if f.unreadable != nil || ctx.Err() != nil {
			return unwritten(ctx, f.name, f.unreadable)
		}
		if a.edits[0].Old == "" {
			return createByEdit(ctx, call, f, a)
		}
		if !f.exists {
			return failed(call.dirs().Suggested(ctx, a.path, fmt.Errorf("%s: no such file; to create it, use write_file", workspace.Shown(f.name))))
		}
		applied, err := edit.ApplyAll(f.text, a.edits, mostEdited)
		if err != nil {
			return failed(fmt.Errorf("%s: %w", workspace.Shown(f.name), err))
		}
		if _, err := f.write(ctx, applied.Text, true); err != nil {
			return unwritten(ctx, f.name, err)
		}
		result := finished(edited(f.name, f.text, applied))
		result.Changes = changesOf(call, a.path, &f.text, applied.Text)
		return call.checker.check(ctx, call, result, changedFile{f.name, f.text, applied.Text})
	}
}

// createByEdit creates a file: an edit with an empty old text means that.
func createByEdit(ctx context.Context, call Call, f *openedFile, a fileEdits) Result {
	text := a.edits[0].New
	if f.text != "" {
		return failed(fmt.Errorf("%s: old is empty, and the file is not; to insert text, put a neighboring line into old and new; to replace the whole file, use write_file", workspace.Shown(f.name)))
	}
	if _, err := f.write(ctx, text, f.exists); err != nil {
		return unwritten(ctx, f.name, err)
	}
	call.known.add(call, a.path)
	result := finished(fmt.Sprintf("created %s (%d bytes)", workspace.Shown(f.name), len(text)))
	result.Changes = changesOf(call, a.path, nil, text)
	return call.checker.check(ctx, call, result, changedFile{f.name, "", text})
}
