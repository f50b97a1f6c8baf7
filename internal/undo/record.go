package undo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// Names in the directory of a workspace.
const (
	undosName    = "undos" // directory of the undos, one directory each
	recordSuffix = ".json" // of the record of an undo, next to its directory
	lockName     = "lock"  // of the lock file in the directory of the undos
)

// record describes an undo. It is on disk before the undo changes anything.
type record struct {
	Undo    string
	Session bellcord.SessionID
	Turns   []bellcord.TurnID
	Redone  string `json:",omitempty"`
	By      string `json:",omitempty"`
	Source  string `json:",omitempty"`
	At      time.Time
	Skipped []restore.Outcome `json:",omitempty"`
	Told    bool              // the event is in the log, or no path was restored
	Paths   []string          `json:",omitempty"` // as the request named them
	// Failed is set if an error ended the undo. A later start does not resume it;
	// a new request for the same turns does.
	Failed bool `json:",omitempty"`
}

// properID matches the ids of undos, which are names of directories.
var properID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

var errImproperID = errors.New("the id of an undo consists of at most 64 letters, digits, - and _")

// checkID returns ErrRejected for an id that the request cannot have: one that
// names no directory, or the one that the lock file of the undos has.
func (q Request) checkID() error {
	switch {
	case q.ID == "":
		return nil
	case !properID.MatchString(q.ID):
		return fmt.Errorf("%w: %w", bellcord.ErrRejected, errImproperID)
	case strings.EqualFold(q.ID, lockName): // some file systems ignore the case of letters
		return fmt.Errorf("%w: the id %q of an undo is reserved: use another one", bellcord.ErrRejected, q.ID)
	}
	return nil
}

func newRecord(q Request) record {
	id := q.ID
	if id == "" {
		id = newUndoID()
	}
	return record{Undo: id, Session: q.Session.ID, Turns: q.Turns, Paths: q.Paths, By: q.By, Source: q.Source, At: time.Now()}
}

// isFor reports whether both records are for the same request.
func (r record) isFor(other record) bool {
	return r.Session == other.Session && r.Redone == other.Redone && slices.Equal(r.Turns, other.Turns) && slices.Equal(r.Paths, other.Paths)
}

// begun returns the record of an undo that the request repeats: one with the same
// id, or one that failed. An undo that failed can be of paths that need a confirmation:
// a request without one does not repeat it. A redo needs none. It returns ErrUndoExists
// if the id belongs to another request.
func (r record) begun(w *snapshot.Workspace, confirmed bool) (known record, is bool, err error) {
	known, err = readRecord(w, r.Undo)
	switch {
	case err == nil && !known.isFor(r):
		return known, false, bellcord.ErrUndoExists
	case err == nil:
		return known, true, nil
	}
	if !confirmed && r.Redone == "" {
		return record{}, false, nil
	}
	for _, failed := range records(w.Dir()) {
		if failed.Failed && failed.isFor(r) {
			return failed, true, nil
		}
	}
	return record{}, false, nil
}

// isInterrupted reports whether the process died that carried out the undo.
func (r record) isInterrupted() bool { return !r.Told && !r.Failed }

func undoDir(w *snapshot.Workspace, id string) string { return filepath.Join(w.Dir(), undosName, id) }

func readRecord(w *snapshot.Workspace, id string) (record, error) {
	if !properID.MatchString(id) {
		return record{}, bellcord.ErrNoUndo
	}
	var r record
	data, err := os.ReadFile(undoDir(w, id) + recordSuffix)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}

func (r record) save(w *snapshot.Workspace) error {
	if !properID.MatchString(r.Undo) {
		return errImproperID
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return durable.Replace(undoDir(w, r.Undo)+recordSuffix, data)
}

func (r record) remove(w *snapshot.Workspace) error {
	return os.Remove(undoDir(w, r.Undo) + recordSuffix)
}

// records returns the records of all undos of a workspace.
func records(dir string) []record {
	var all []record
	entries, _ := os.ReadDir(filepath.Join(dir, undosName)) // a directory that does not exist has no records
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), recordSuffix) {
			continue
		}
		var r record
		if data, err := os.ReadFile(filepath.Join(dir, undosName, e.Name())); err == nil && json.Unmarshal(data, &r) == nil {
			all = append(all, r)
		}
	}
	return all
}

// preview returns what an undo would do. plan can be nil.
func (r record) preview(plan *restore.Undo) bellcord.Undone {
	if plan == nil {
		return bellcord.Undone{}
	}
	return r.undone(plan.Preview())
}

// undone returns the event for the outcomes of the undo.
func (r record) undone(outcomes []restore.Outcome) bellcord.Undone {
	u := bellcord.Undone{Undo: r.Undo, Turns: r.Turns, Redone: r.Redone, By: r.By, Source: r.Source}
	all := slices.Concat(outcomes, r.Skipped)
	slices.SortFunc(all, func(a, b restore.Outcome) int { return strings.Compare(a.Path, b.Path) })
	u.Files = []bellcord.UndoneFile{}
	for _, o := range all {
		switch o.Result {
		case restore.Restored, restore.Late:
			u.Restored++
			if o.Result == restore.Restored && o.OtherLinks > 0 {
				o.Reason = "other hard links of the file keep the bytes of the turn"
			}
		case restore.Already:
			u.Already++
		case restore.Conflict:
			u.Conflicts++
		case restore.NotKept:
			u.NotKept++
		case skipped:
			u.Skipped++
		}
		if len(u.Files) < bellcord.MostListedFiles {
			u.Files = append(u.Files, bellcord.UndoneFile{Path: printable(o.Path), Result: bellcord.UndoOutcome(o.Result), Removed: o.Removed, Reason: o.Reason, Trash: o.Trash})
		} else {
			u.More++
		}
	}
	return u
}

// collectTrash deletes the undos that are older than the limit of the snapshot.
func (d *directory) collectTrash(r *Recorder) {
	age := r.options.Limits.Age
	if age == 0 {
		age = 7 * 24 * time.Hour
	}
	for _, u := range records(d.workspace.Dir()) {
		if !u.Told || time.Since(u.At) < age {
			continue
		}
		late, err := restore.Collect(restore.Options{Dir: undoDir(d.workspace, u.Undo), Source: source(d.workspace)})
		if err == nil && len(late) == 0 {
			err = u.remove(d.workspace)
		}
		if err != nil {
			r.options.Logger.Warn("the trash of an undo cannot be removed", "session", u.Session, "err", err)
		}
	}
}

// settled returns when the comparisons that are running in the directory have
// ended.
func (r *Recorder) settled(ctx context.Context, d *directory) error {
	r.mu.Lock()
	all := slices.Clone(d.comparing)
	r.mu.Unlock()
	for _, c := range all {
		select {
		case <-c.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
