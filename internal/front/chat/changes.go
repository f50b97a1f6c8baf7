package chat

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/changelist"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/sessionid"
	"github.com/bellcord/bellcord/internal/tool/edit"
)

// The actions for the changes of turns.
type (
	// ShowChanges requests the list of what a turn changed.
	ShowChanges struct{ Turn bellcord.TurnID }
	// ShowDiff requests the texts that a turn changed, of all paths or of one.
	ShowDiff struct {
		Turn bellcord.TurnID
		Path string
	}
)

// endedTurn is a turn that has ended.
type endedTurn struct {
	id      bellcord.TurnID
	prompt  string
	changed bool // it changed files, or that is not known yet
}

// turnChanged records whether a turn has changed files.
func (s *story) turnChanged(turn bellcord.TurnID, c bellcord.Changes) {
	for i := range s.ended {
		if s.ended[i].id == turn {
			s.ended[i].changed = c.Pending || len(c.Files) > 0
		}
	}
	if s.receipt != nil && s.receipt.Turn == turn {
		r := *s.receipt
		r.Changes = &c
		s.receipt = &r
	}
}

// processesRecovered adds the processes of a lost turn to its receipt.
func (s *story) processesRecovered(b bellcord.ProcessesRecovered) {
	if s.receipt == nil || s.receipt.Turn != b.Turn {
		return
	}
	s.recovered.Add(b)
	r := *s.receipt
	r.Processes = s.recovered.Processes()
	s.receipt = &r
}

// changedTurn returns the turn that a command about changes means: the one with an
// id that begins or ends with word, or without a word the last one that changed
// files. It shows a hint if there is none.
func (s *story) changedTurn(word string) (bellcord.TurnID, bool) {
	var found []bellcord.TurnID
	part := sessionid.Part(word)
	for _, t := range s.ended {
		id := strings.ToLower(string(t.id))
		switch {
		case word == "" && t.changed:
			found = []bellcord.TurnID{t.id}
		case word != "" && (strings.HasPrefix(id, part) || strings.HasSuffix(id, part)):
			found = append(found, t.id)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], true
	case word == "":
		s.setHint("No turn of this session has changed files.")
	case len(found) == 0:
		s.setHint("No turn of this session that has ended has the id " + word + "; /receipt shows the id of the last one.")
	default:
		s.setHint(fmt.Sprintf("%d turns match %s: use more of the id.", len(found), word))
	}
	return "", false
}

// showTurnChanges handles /changes.
func (s *story) showTurnChanges(word string) []Action {
	if turn, found := s.changedTurn(word); found {
		return []Action{ShowChanges{turn}}
	}
	return nil
}

// showDiff handles /diff.
func (s *story) showDiff(paths []string) []Action {
	if len(paths) > 1 {
		s.setHint("use /diff or /diff PATH; quote a path with spaces")
		return nil
	}
	turn, found := s.changedTurn("")
	if !found {
		return nil
	}
	return []Action{ShowDiff{turn, strings.Join(paths, "")}}
}

func (s ShowChanges) do(ctx context.Context, e *Runner) Report {
	c, err := e.Hub.Changes(ctx, s.Turn)
	return Report{Of: s, Err: err, Text: changesText(c)}
}

// changesText lists the changes of a turn.
func changesText(c bellcord.Changes) string {
	if c.IsEmpty() {
		return "This turn changed no files."
	}
	text := "files: " + c.Text()
	for _, r := range changelist.Changes(c, bellcord.MostListedFiles) {
		text += "\n  " + r.Path + ": " + r.Text
	}
	for _, n := range changelist.Notes(c, bellcord.MostListedFiles) {
		text += "\n  " + n
	}
	return text
}

func (s ShowDiff) do(ctx context.Context, e *Runner) Report {
	r := Report{Of: s}
	var all bellcord.Changes
	all, r.Err = e.Hub.Changes(ctx, s.Turn)
	if r.Err == nil {
		r.Diff, r.Err = e.Hub.Texts(ctx, s.Turn, s.Path)
	}
	if r.Err != nil {
		return r
	}
	switch hidden := all.Created + all.Changed + all.Deleted - len(r.Diff); {
	case len(r.Diff) == 0 && s.Path != "":
		r.Text = "The last turn that changed files changed no text in " + s.Path + "; /changes lists its files."
	case len(r.Diff) == 0:
		r.Text = "No text was changed; /changes lists the files."
	case s.Path == "" && hidden > 0:
		r.Text = plural.Count(hidden, "file") + " not shown: not text, or too long; /changes lists all."
	}
	return r
}

func (ShowChanges) inOrder() bool { return true }
func (ShowDiff) inOrder() bool    { return true }

// addDiff adds changed texts to the conversation, on this screen only.
func (s *story) addDiff(changes []bellcord.Change) {
	if len(changes) == 0 {
		return
	}
	b := &diffBlock{changes, s.session.Dir}
	s.blocks.addBlock(b, s.now)
	s.announce(ansi.Strip(strings.Join(b.lines(plainWidth, true), "\n")))
}

// diffBlock is the difference that a turn made to files.
type diffBlock struct {
	changes []bellcord.Change
	dir     string
}

// mostTurnDiff is how many lines of a turn's diff are shown if it is folded.
const mostTurnDiff = 200

func (d *diffBlock) fixed() bool { return true }

func (d *diffBlock) lines(width int, unfolded bool) []string {
	lines := diff(changedParts(d.changes), d.dir, "", width)
	if over := len(lines) - mostTurnDiff; !unfolded && over > 1 {
		lines = append(lines[:mostTurnDiff:mostTurnDiff], styled(dim, fmt.Sprintf("  … %d more lines · ctrl+o shows all", over)))
	}
	return lines
}

// contextLines is how many unchanged lines are shown around a change.
const contextLines = 3

// changedParts returns the changed parts of whole files.
func changedParts(files []bellcord.Change) []bellcord.Change {
	var all []bellcord.Change
	for _, f := range files {
		if f.Old == nil {
			all = append(all, f)
			continue
		}
		for _, p := range edit.Parts(*f.Old, f.New, contextLines) {
			all = append(all, bellcord.Change{Path: f.Path, Old: &p.Old, New: p.New, Line: p.OldLine})
		}
	}
	return all
}

// changedFiles describes the files that a turn changed, for the line of its end. It
// is empty if nothing is known to have changed.
func changedFiles(c *bellcord.Changes) []string {
	switch {
	case c == nil || c.IsEmpty():
		return nil
	case len(c.Files) == 0:
		return []string{"files: " + c.Text()}
	}
	return []string{"files: " + c.Text(), "/undo"}
}
