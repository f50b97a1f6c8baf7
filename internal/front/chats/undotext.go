package chats

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// undoTitle returns the first line about an undo or a redo.
func undoTitle(u bellcord.Undone, by string) string {
	if u.Redone != "" {
		return "↪ Redone" + by + ": " + u.UndoResult.Text()
	}
	return "↩ Undone" + by + ": " + u.UndoResult.Text()
}

// undoResult returns the text about an undo or a redo, with the paths that were not
// restored.
func (c *chat) undoResult(u bellcord.Undone) string {
	text := undoTitle(u, "")
	u.Files = slices.DeleteFunc(slices.Clone(u.Files), func(f bellcord.UndoneFile) bool {
		return f.Result == bellcord.UndoRestored || f.Result == bellcord.UndoAlready
	})
	if len(u.Files) == 0 {
		return text
	}
	return text + "\n\n" + c.undoneList(u, false)
}

// undoneList returns what an undo does with each path, conflicts first. A list that
// does not fit into a message is cut.
func (c *chat) undoneList(u bellcord.Undone, preview bool) string {
	files := slices.SortedStableFunc(slices.Values(u.Files), func(a, b bellcord.UndoneFile) int {
		return cmp.Compare(order(a.Result), order(b.Result))
	})
	more := u.More
	return fit(c.front.Limits.question(), len(files), func(n int) string {
		u.Files, u.More = files[:n], more+len(files)-n
		return line.Undone(u, preview)
	})
}

func order(o bellcord.UndoOutcome) int {
	return slices.Index([]bellcord.UndoOutcome{bellcord.UndoConflict, bellcord.UndoNotKept, bellcord.UndoSkipped, bellcord.UndoLate, bellcord.UndoRestored, bellcord.UndoAlready}, o)
}

// fit returns text(n) for the largest n, up to all, with at most that many units.
func fit(most, all int, text func(n int) string) string {
	for n := all; ; n-- {
		switch s := strings.TrimSpace(text(n)); {
		case Units(s) <= most:
			return s
		case n == 0:
			return Split(s, most)[0] + "…"
		}
	}
}

// undoProblem returns the message for an error of an undo or a rewind.
func (c *chat) undoProblem(err error) string {
	for _, known := range []error{bellcord.ErrUndoOff, bellcord.ErrNoChanges, bellcord.ErrNoUndo, bellcord.ErrPathUnchanged, bellcord.ErrTurnRunning, bellcord.ErrNoRewind, bellcord.ErrNotInConversation} {
		if errors.Is(err, known) {
			return refusal(known)
		}
	}
	c.front.Logger.Error("undo or rewind failed", "platform", c.front.Platform, "chat", c.place.Chat, "err", err)
	return c.apology(err.Error())
}

// refusal returns an error as a message of one sentence.
func refusal(err error) string {
	text := err.Error()
	return "✗ " + strings.ToUpper(text[:1]) + text[1:] + "."
}
