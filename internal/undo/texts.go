package undo

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Limits of the texts of changes for display.
const (
	mostTexts    = 20        // files
	mostTextSize = 128 << 10 // bytes of one state of a file
)

// CallTexts returns the changes of a call to text files, for display. It waits for
// them at most for the given time, and returns nil if they are not known by then.
func (t *Turn) CallTexts(ctx context.Context, name string, most time.Duration) []bellcord.Change {
	changes := t.CallChanges(ctx, name, most)
	if len(changes) == 0 {
		return nil
	}
	return texts(t.dir.workspace, t.session.Dir, changes, mostTexts)
}

// Texts returns the changes of a turn to text files, for display: all of them, or
// those of one path.
func (r *Recorder) Texts(ctx context.Context, s bellcord.Session, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	d, w, release, err := r.use(ctx, s)
	if err != nil {
		return nil, err
	}
	defer release()
	results, _, err := w.OfTurn(ctx, string(turn))
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, bellcord.ErrNoChanges
	}
	var lists [][]tree.Change
	for _, r := range results {
		lists = append(lists, r.Changes)
	}
	changes := fold(lists)
	if path != "" {
		paths, err := Request{Paths: []string{path}}.realPaths(d.root, lists)
		if err != nil {
			return nil, err
		}
		changes = only(changes, paths)
	}
	return texts(w, s.Dir, changes, bellcord.MostListedFiles), nil
}

// texts returns the changes of text files that are not too long.
func texts(w *snapshot.Workspace, dir string, changes []tree.Change, most int) []bellcord.Change {
	var all []bellcord.Change
	for _, c := range changes {
		if len(all) == most {
			break
		}
		before, after := textOf(w, c.Before), textOf(w, c.After)
		if before == nil && c.Before.Kind != tree.Absent || after == nil && c.After.Kind != tree.Absent {
			continue
		}
		shown := bellcord.Change{Path: filepath.Join(dir, filepath.FromSlash(printable(c.Path))), Old: before}
		if after != nil {
			shown.New = *after
		}
		if before != nil || after != nil {
			all = append(all, shown)
		}
	}
	return all
}

// textOf returns the text of a file, or nil if there is none or it is too long.
func textOf(w *snapshot.Workspace, s tree.State) *string {
	if s.Kind != tree.File || !s.Hashed || s.Size > mostTextSize {
		return nil
	}
	f, err := w.Open(s.Sum)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(f)
	if err != nil || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	text := string(data)
	return &text
}
