package acp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/changelist"
	"github.com/bellcord/bellcord/internal/front/rewind"
	"github.com/bellcord/bellcord/internal/front/slash"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/plural"
)

// Files lists and undoes the changes of turns to files.
type Files interface {
	Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error)
	Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	// Last returns what an undo and a redo mean in a session.
	Last(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error)
}

// mostListed is how many paths a list shows.
const mostListed = 50

const nothingChanged = "No turn of this session has changes that can be undone."

// undo runs /undo or /redo: it shows what would be restored, asks, and restores it.
func (s *Server) undo(request json.RawMessage, sess *session, word, rest string) {
	if err := s.allow(bellcord.ScopeUndo); err != nil {
		s.sendReply(request, failure(err))
		return
	}
	u := &undoing{session: sess, request: request, redo: word == "redo", words: slash.Words(rest)}
	sess.beginUndo(u)
	done := sess.book.beginCommand()
	s.work.Go(func() {
		defer done()
		text, err := u.run(s.life)
		a := sess.replyText(commandText(word, rest), text, err)
		cancelled := sess.endUndo(u)
		if response, is := a.result.(acp.PromptResponse); is && cancelled {
			response.StopReason = acp.StopCancelled
			a.result = response
		}
		s.sendReply(request, a)
	})
}

// undoing is an undo or a redo that the client is asked about.
type undoing struct {
	*session
	request json.RawMessage // the prompt with the command
	redo    bool
	words   []string // after the command: a turn, paths, or both

	// The fields below are protected by Server.mu.
	cancelled bool
	dialog    *jsonrpc.Pending // nil before the client is asked
}

func (u *undoing) run(ctx context.Context) (string, error) {
	files, err := u.files()
	if err != nil {
		return "", err
	}
	if u.hub.Working(u.id) {
		return "", bellcord.ErrTurnRunning
	}
	last, err := files.Last(ctx, u.id)
	paths := u.words
	if err == nil && !u.redo {
		last.Turn, paths, err = u.turn(ctx, last.Turn)
	}
	switch {
	case err != nil:
		return "", err
	case u.redo && last.Undo == "":
		return "There is no undo to reverse.", nil
	case !u.redo && last.Turn == "":
		return nothingChanged, nil
	}
	carryOut := files.Undo
	q := bellcord.UndoRequest{Turn: last.Turn, Paths: paths, Confirmed: true, Preview: true, By: u.server.clientName(), Source: "acp"}
	if u.redo {
		carryOut = files.Redo
		q.Turn, q.Undo, q.Session = "", last.Undo, u.id
	}
	preview, err := carryOut(ctx, q)
	if err != nil {
		return "", err
	}
	if preview.Restored == 0 {
		return "Nothing to restore.\n" + list(changelist.Left(preview)), nil
	}
	if agreed, err := u.confirm(ctx, files, preview); err != nil || !agreed {
		return "Cancelled: no file was changed.", err
	}
	q.Preview, q.ID = false, string(bellcord.NewTurnID())
	done, err := carryOut(ctx, q)
	if err != nil {
		return "", err
	}
	return done.Text() + "\n" + list(changelist.Left(done)), nil
}

// turn returns the turn that the words name, or the last one, and the paths in the
// words.
func (u *undoing) turn(ctx context.Context, last bellcord.TurnID) (bellcord.TurnID, []string, error) {
	if len(u.words) == 0 {
		return last, nil, nil
	}
	turns, err := u.hub.SessionTurns(ctx, u.id)
	if err != nil {
		return "", nil, err
	}
	named, paths, err := rewind.SplitTurn(u.words, turns.Started())
	return cmp.Or(named, last), paths, err
}

// confirm shows the preview as a call and asks for permission. Without an answer,
// nothing is permitted.
func (u *undoing) confirm(ctx context.Context, files Files, preview bellcord.Undone) (bool, error) {
	var changes bellcord.Changes
	if len(preview.Turns) > 0 {
		var err error
		if changes, err = files.Changes(ctx, preview.Turns[0]); err != nil {
			return false, err
		}
	}
	title := "Undo "
	if u.redo {
		title = "Redo "
	}
	title += changelist.Files(preview, changes)
	call := acp.ToolCall{
		ToolCallID: "undo-" + string(bellcord.NewTurnID()), Title: title, Kind: acp.ToolEdit, Status: acp.CallPending,
		Content: []acp.ToolCallContent{acp.TextContent(previewText(preview, changes))},
	}
	u.update(call)
	agreed := u.ask(acp.RequestPermissionRequest{
		SessionID: u.client,
		ToolCall:  acp.ToolCallUpdate{ToolCallID: call.ToolCallID, Title: title, Kind: call.Kind, Status: call.Status, Content: call.Content},
		Options: []acp.PermissionOption{
			{OptionID: "undo", Name: title, Kind: acp.AllowOnce},
			{OptionID: "cancel", Name: "Cancel", Kind: acp.RejectOnce},
		},
	})
	status := acp.CallFailed
	if agreed {
		status = acp.CallCompleted
	}
	u.update(acp.ToolCallUpdate{ToolCallID: call.ToolCallID, Status: status})
	return agreed, nil
}

func (u *undoing) ask(params acp.RequestPermissionRequest) bool {
	mu := &u.server.mu
	mu.Lock()
	if !u.cancelled {
		u.dialog = u.server.conn.Request(acp.MethodRequestPermission, u.view.permission(params))
	}
	dialog := u.dialog
	mu.Unlock()
	var result acp.RequestPermissionResponse
	return dialog != nil && dialog.Wait(&result) == nil && result.Outcome.Outcome == acp.OutcomeSelected && result.Outcome.OptionID == "undo"
}

// cancel closes the dialog, and no other is opened. It needs Server.mu.
func (u *undoing) cancel() {
	u.cancelled = true
	if u.dialog != nil {
		u.dialog.Cancel()
	}
}

// openUndos are the undos and redos of a session that are not answered yet. A
// session that the client opens again takes them over. Server.mu protects them.
type openUndos struct{ all []*undoing }

func (s *session) beginUndo(u *undoing) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.undos.all = append(s.undos.all, u)
}

// endUndo reports whether the undo was cancelled.
func (s *session) endUndo(u *undoing) bool {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.undos.all = slices.DeleteFunc(s.undos.all, func(one *undoing) bool { return one == u })
	return u.cancelled
}

// cancelUndos closes the dialogs of undos: a stop withdraws them.
func (s *session) cancelUndos() {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	for _, u := range s.undos.all {
		u.cancel()
	}
}

// cancelUndo cancels the undo that a request started. It needs Server.mu.
func (s *session) cancelUndo(request json.RawMessage) {
	for _, u := range s.undos.all {
		if bytes.Equal(u.request, request) {
			u.cancel()
		}
	}
}

func (s *session) files() (Files, error) {
	open := s.server.config.Load().Files
	if open == nil {
		return nil, bellcord.ErrUndoOff
	}
	return open()
}

// changes runs /changes: it lists what the last turn changed that can be undone.
func (s *session) changes() (string, error) {
	if err := s.server.allow(bellcord.ScopeRead); err != nil {
		return "", err
	}
	files, err := s.files()
	if err != nil {
		return "", err
	}
	last, err := files.Last(s.server.life, s.id)
	if err != nil {
		return "", err
	}
	if last.Turn == "" {
		return nothingChanged, nil
	}
	c, err := files.Changes(s.server.life, last.Turn)
	if err != nil {
		return "", err
	}
	text := "Files: " + c.Text() + "\n" + list(changelist.Changes(c, mostListed))
	for _, n := range changelist.Notes(c, mostListed) {
		text += "- " + n + "\n"
	}
	return text, nil
}

// previewText lists what an undo would do with each path.
func previewText(u bellcord.Undone, changes bellcord.Changes) string {
	restored, alone, more := changelist.Preview(u, changes, mostListed)
	text := list(restored)
	if more > 0 {
		text += "- and " + plural.Count(more, "other path") + "\n"
	}
	return text + list(alone)
}

// list returns rows as a list in Markdown.
func list(rows []changelist.Row) string {
	var text strings.Builder
	for _, r := range rows {
		fence := "`"
		if strings.Contains(r.Path, "`") {
			fence = "```"
		}
		text.WriteString("- " + fence + r.Path + fence + ": " + r.Text + "\n")
	}
	return text.String()
}
