package tool

import (
	"context"
	"io"
	"path/filepath"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/edit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// mostPreviewed is the maximum size of a file that a question shows as it is
// before the change.
const mostPreviewed = 256 << 10

// previewWrite returns the Preview function of write_file. read returns the
// current content of the file, or nil if it does not exist or cannot be shown.
func previewWrite(read func(ctx context.Context, call Call, path string) *string) func(context.Context, Call) []bellcord.Change {
	return func(ctx context.Context, call Call) []bellcord.Change {
		a, err := parseWriteFile(call.Args)
		if err != nil {
			return nil
		}
		before, content := read(ctx, call, a.Path), *a.Content
		if before != nil {
			content, _ = likeBefore(*before, content)
		}
		return changesOf(call, a.Path, before, content)
	}
}

// changeOf returns the change of one file. It returns nil for a path outside the
// session's directories, because such a call is refused.
func changeOf(call Call, path string, before *string, after string) []bellcord.Change {
	dir, rel, err := call.dirs().Locate(path)
	if err != nil {
		return nil
	}
	return []bellcord.Change{{Path: filepath.Join(dir, rel), Old: before, New: after}}
}

// contextLines is how many unchanged lines a change shows before and after the
// changed ones.
const contextLines = 3

// changesOf returns the changes of one file from the text before to the text
// after: the changed parts with their context, or the whole text of a new file.
func changesOf(call Call, path string, before *string, after string) []bellcord.Change {
	if before == nil {
		return changeOf(call, path, nil, after)
	}
	var all []bellcord.Change
	for _, p := range edit.Parts(*before, after, contextLines) {
		for _, c := range changeOf(call, path, &p.Old, p.New) {
			c.Line = p.OldLine
			all = append(all, c)
		}
	}
	return all
}

// ChangedParts returns the changed parts of a change that has the whole text of a
// file, each with its line.
func ChangedParts(whole bellcord.Change) []bellcord.Change {
	if whole.Old == nil {
		return []bellcord.Change{whole}
	}
	var all []bellcord.Change
	for _, p := range edit.Parts(*whole.Old, whole.New, contextLines) {
		all = append(all, bellcord.Change{Path: whole.Path, Old: &p.Old, New: p.New, Line: p.OldLine})
	}
	return all
}

// readShown returns a file on disk for the preview in a question, or nil if it
// does not exist or cannot be shown.
func readShown(_ context.Context, call Call, path string) *string {
	root, rel, err := call.dirs().OpenDir(path)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	f, info, err := workspace.OpenRegular(root, rel, call.private)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	if info.Size() > mostPreviewed {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, mostPreviewed))
	if err != nil || !utf8.Valid(data) {
		return nil
	}
	text := string(data)
	return &text
}
