package backend

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// Changes implements Backend.
func (s Local) Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error) {
	return s.App.Files().Changes(ctx, turn)
}

// Texts implements Backend.
func (s Local) Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	return s.App.Files().Texts(ctx, turn, path)
}

// Undo implements Backend.
func (s Local) Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	q.By, q.Source = currentUser(), s.Source
	if q.Undo != "" {
		return s.App.Files().Redo(ctx, q)
	}
	return s.App.Files().Undo(ctx, q)
}

// Undoable implements Backend.
func (s Local) Undoable(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error) {
	return s.App.Files().Last(ctx, session)
}

// Changes implements Backend.
func (s Remote) Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error) {
	return s.Client.Changes(ctx, turn)
}

// Texts implements Backend.
func (s Remote) Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	found, err := s.Client.ChangedTexts(ctx, turn, path)
	return found.Changes, err
}

// Undo implements Backend.
func (s Remote) Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	body := api.Undo{ID: q.ID, Paths: q.Paths, Confirmed: q.Confirmed, DryRun: q.Preview}
	if q.Undo != "" {
		return s.Client.Redo(ctx, q.Session, q.Undo, body)
	}
	return s.Client.Undo(ctx, q.Turn, body)
}

// Undoable implements Backend.
func (s Remote) Undoable(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error) {
	return s.Client.Undoable(ctx, session)
}

// chatFiles implements the part of chat.Hub for the changes of turns and for rewinds.
type chatFiles struct{ of Backend }

func (c chatFiles) Undoable(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error) {
	return c.of.Undoable(ctx, session)
}

func (c chatFiles) Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error) {
	return c.of.Changes(ctx, turn)
}

func (c chatFiles) Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	return c.of.Texts(ctx, turn, path)
}

func (c chatFiles) Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	return c.of.Undo(ctx, q)
}

func (c chatFiles) Rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error) {
	return c.of.Rewind(ctx, session, turn)
}

// Rewind implements Backend.
func (s Local) Rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error) {
	return s.App.Hub.Rewind(ctx, session, turn)
}

// Rewind implements Backend.
func (s Remote) Rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error) {
	return s.Client.Rewind(ctx, session, api.Rewind{Turn: string(turn), TakeBack: turn == ""})
}
