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
	dir     string           // of the session
	prompt  string           // of the turn, if it is known
}

// mostPreview is how many paths to restore a preview lists.
const mostPreview = 20

// undoCommand handles /undo and /redo: it requests the preview.
func (s *story) undoCommand(name, rest string) []Action {
	paths := slash.Words(rest)
	switch {
	case s.turns.target() != "":
		s.setHint("A turn is running: stop it first with esc, then use /" + name + ".")
	case s.session.ID == "":
		s.setHint("No turn of this session has changed files.")
	case name == "redo" && len(paths) > 0:
		s.setHint("use /redo without paths: it reverses the whole undo")
	case name == "redo":
		return []Action{PreviewUndo{Session: s.session.ID, Redo: true}}
	default:
		turn, paths, err := rewind.SplitTurn(paths, s.conversation.Started())
		if err != nil {
			s.setHint(err.Error())
			return nil
		}
		return []Action{PreviewUndo{Session: s.session.ID, Turn: turn, Paths: paths}}
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
	case m.turns.target() != "":
		m.setHint("A turn has started: /undo works when it has ended.")
	case p.Undone.Restored == 0:
		text := "Nothing to " + p.verb() + "."
		if len(p.Undone.Files) == 0 && len(of.Paths) > 0 {
			text = "Nothing to undo: the turn did not change " + strings.Join(of.Paths, ", ") + "; /changes lists its files."
		}
		m.story.showNotice(strings.TrimRight(text+"\n"+leftText(p.Undone), "\n"))
	default:
		p.dir, p.prompt = m.session.Dir, m.story.promptOf(p.Undone.Turns)
		m.questions.undo = &p
	}
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
func (p *Preview) lines(width int) []string {
	title := "Undo " + changelist.Files(p.Undone, p.Changes) + "?"
	if p.verb() == "redo" {
		title = "Redo " + changelist.Files(p.Undone, p.Changes) + "?"
	}
	lines := indented(styled(yellow, "?")+" ", "  ", title, width)
	place := "in " + p.dir
	if p.prompt != "" {
		place += " · changed by: " + oneLine(clip.FirstWords(p.prompt))
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
func (s *story) promptOf(turns []bellcord.TurnID) string {
	for _, t := range s.ended {
		if len(turns) > 0 && t.id == turns[0] {
			return t.prompt
		}
	}
	return ""
}

// Rewind continues the conversation as it was before a turn, or without a turn takes
// the last rewind back. Files stay as they are.
type Rewind struct {
	Session bellcord.SessionID
	Turn    bellcord.TurnID
}

// mostRewind is how many turns /rewind lists.
const mostRewind = 15

// rewindCommand handles /rewind. It can be reversed, so it asks nothing.
func (s *story) rewindCommand(rest string) []Action {
	if s.turns.target() != "" && rest != "" {
		s.setHint("A turn is running: stop it first with esc, then use /rewind.")
		return nil
	}
	q, err := rewind.Parse(rest, &s.conversation)
	switch {
	case err != nil:
		s.setHint(err.Error())
	case q.Back && !s.conversation.Rewound():
		s.setHint(bellcord.ErrNoRewind.Error())
	case q.Back || q.Turn != "":
		return []Action{Rewind{s.session.ID, q.Turn}}
	default:
		s.showNotice(rewindList(rewind.Rows(&s.conversation, mostRewind), s.conversation.Rewound()))
	}
	return nil
}

// rewindList returns the list of turns to choose from. canTakeBack adds how to take
// the last rewind back.
func rewindList(rows []rewind.Row, canTakeBack bool) string {
	text := rewind.Nothing
	if len(rows) > 0 {
		var lines strings.Builder
		lines.WriteString(rewind.Title + "\n")
		for _, r := range rows {
			lines.WriteString("  " + r.ID + "  " + r.Words + "\n")
		}
		text = lines.String() + rewind.Usage
	}
	if canTakeBack {
		text += "\n" + rewind.TakesBack
	}
	return text
}

func (r Rewind) do(ctx context.Context, e *Runner) Report {
	done, err := e.Hub.Rewind(ctx, r.Session, r.Turn)
	if err != nil {
		return Report{Of: r, Err: err}
	}
	return Report{Of: r, Text: rewind.After(done)} // the log has the rest
}

func (Rewind) inOrder() bool { return true }
