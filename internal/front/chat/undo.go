package chat

import (
	"context"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/internal/front/changelist"
	"github.com/bellcord/bellcord/internal/front/rewind"
	"github.com/bellcord/bellcord/internal/front/slash"
	"github.com/bellcord/bellcord/internal/plural"
)

// The actions of an undo.
type (
	// PreviewUndo requests what an undo of a turn would do, or a redo of the last
	// undo.
	PreviewUndo struct {
		Session bellcord.SessionID
		Turn    bellcord.TurnID // "" is the last one that changed files
		Paths   []string        // only these; empty for all
		Redo    bool
	}
	// Undo undoes or redoes what the user has confirmed.
	Undo struct{ Request bellcord.UndoRequest }
)

// Preview is what an undo would do, before the user confirms it.
type Preview struct {
	Request bellcord.UndoRequest // carries it out
	Undone  bellcord.Undone
	Changes bellcord.Changes // of the turn
}

// mostPreview is how many paths to restore a preview lists.
const mostPreview = 20

// undoCommand handles /undo and /redo: it requests the preview.
func (m *Model) undoCommand(name, rest string) []Action {
	paths := slash.Words(rest)
	switch {
	case m.target() != "":
		m.setHint("A turn is running: stop it first with esc, then use /" + name + ".")
	case m.session.ID == "":
		m.setHint("No turn of this session has changed files.")
	case name == "redo" && len(paths) > 0:
		m.setHint("use /redo without paths: it reverses the whole undo")
	case name == "redo":
		return []Action{PreviewUndo{Session: m.session.ID, Redo: true}}
	default:
		turn, paths, err := rewind.SplitTurn(paths, m.turns.Started())
		if err != nil {
			m.setHint(err.Error())
			return nil
		}
		return []Action{PreviewUndo{Session: m.session.ID, Turn: turn, Paths: paths}}
	}
	return nil
}

func (p PreviewUndo) do(ctx context.Context, e *Runner) Report {
	r := Report{Of: p}
	last, err := e.Hub.Undoable(ctx, p.Session)
	if p.Turn != "" {
		last.Turn = p.Turn
	}
	switch {
	case err != nil:
		r.Err = err
		return r
	case p.Redo && last.Undo == "":
		r.Text = "There is no undo to reverse."
		return r
	case !p.Redo && last.Turn == "":
		r.Text = "No turn of this session has changes that can be undone."
		return r
	}
	q := bellcord.UndoRequest{Turn: last.Turn, Paths: p.Paths, Confirmed: true, Preview: true}
	if p.Redo {
		q.Turn, q.Undo, q.Session = "", last.Undo, p.Session
	}
	found := Preview{Request: q}
	found.Undone, r.Err = e.Hub.Undo(ctx, q)
	if r.Err == nil && len(found.Undone.Turns) > 0 {
		found.Changes, r.Err = e.Hub.Changes(ctx, found.Undone.Turns[0])
	}
	found.Request.Preview, found.Request.ID = false, string(bellcord.NewTurnID())
	r.Preview = &found
	return r
}

func (u Undo) do(ctx context.Context, e *Runner) Report {
	undone, err := e.Hub.Undo(ctx, u.Request)
	return Report{Of: u, Err: err, Text: leftText(undone)}
}

// leftText lists the paths that an undo did not restore; it is empty if there are
// none.
func leftText(u bellcord.Undone) string {
	var lines []string
	for _, r := range changelist.Left(u) {
		lines = append(lines, r.Path+": "+r.Text)
	}
	return strings.Join(lines, "\n")
}

func (PreviewUndo) inOrder() bool { return true }
func (Undo) inOrder() bool        { return true }

// askUndo shows what an undo would do and asks whether to do it. An undo that would
// do nothing is only described.
func (m *Model) askUndo(of PreviewUndo, p Preview) {
	switch {
	case m.session.ID != of.Session:
	case m.target() != "":
		m.setHint("A turn has started: /undo works when it has ended.")
	case p.Undone.Restored == 0:
		text := "Nothing to " + p.verb() + "."
		if len(p.Undone.Files) == 0 && len(of.Paths) > 0 {
			text = "Nothing to undo: the turn did not change " + strings.Join(of.Paths, ", ") + "; /changes lists its files."
		}
		m.showNotice(strings.TrimRight(text+"\n"+leftText(p.Undone), "\n"))
	default:
		m.undo = &p
	}
}

// closeUndo closes the question before an undo, and reports whether it was open.
func (m *Model) closeUndo(hint string) bool {
	if m.undo == nil {
		return false
	}
	m.undo = nil
	m.setHint(hint)
	return true
}

// answerUndo carries out the undo that the user has confirmed, or cancels it.
func (m *Model) answerUndo(letter string) []Action {
	p := m.undo
	if strings.ToLower(letter) != "y" {
		m.closeUndo("Cancelled: no file was changed.")
		return nil
	}
	m.undo = nil
	return []Action{Undo{p.Request}}
}

func (p *Preview) verb() string {
	if p.Request.Undo != "" {
		return "redo"
	}
	return "undo"
}

// offer describes what a letter answers, or returns "" if it is no answer.
func (p *Preview) offer(letter string) string {
	switch strings.ToLower(letter) {
	case "y":
		return p.verb() + " " + changelist.Files(p.Undone, p.Changes)
	case "n":
		return "cancel"
	}
	return ""
}

// lines returns the question, the paths and what would happen to them.
func (p *Preview) lines(m *Model, width int) []string {
	title := "Undo " + changelist.Files(p.Undone, p.Changes) + "?"
	if p.verb() == "redo" {
		title = "Redo " + changelist.Files(p.Undone, p.Changes) + "?"
	}
	lines := indented(styled(yellow, "?")+" ", "  ", title, width)
	place := "in " + m.session.Dir
	if prompt := m.promptOf(p.Undone.Turns); prompt != "" {
		place += " · changed by: " + oneLine(clip.FirstWords(prompt))
	}
	lines = append(lines, indented("  ", "  ", styled(dim, harmless(place)), width)...)
	restored, alone, more := changelist.Preview(p.Undone, p.Changes, mostPreview)
	for _, r := range restored {
		lines = append(lines, indented("  ", "    ", harmless(r.Path)+styled(dim, ": "+harmless(r.Text)), width)...)
	}
	if more > 0 {
		lines = append(lines, indented("  ", "    ", styled(dim, "and "+plural.Count(more, "other path")+" · /changes lists all"), width)...)
	}
	for _, r := range alone {
		lines = append(lines, indented("  ", "    ", harmless(r.Path)+styled(yellow, ": "+harmless(r.Text)), width)...)
	}
	return lines
}

// promptOf returns the prompt of the first of the turns, or "".
func (m *Model) promptOf(turns []bellcord.TurnID) string {
	for _, t := range m.ended {
		if len(turns) > 0 && t.id == turns[0] {
			return t.prompt
		}
	}
	return ""
}
