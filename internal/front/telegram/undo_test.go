package telegram_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/store"
)

const notNow = "This button no longer applies."

// slowUndo takes a second for an undo or a redo.
type slowUndo struct{ undo.Files }

func (s slowUndo) Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	if !q.Preview {
		pause(ctx, time.Second)
	}
	return s.Files.Undo(ctx, q)
}

func (s slowUndo) Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	pause(ctx, time.Second)
	return s.Files.Redo(ctx, q)
}

// path returns the path of a file in the only session's directory.
func (s *stage) path(name string) string {
	s.Helper()
	all := s.sessions("")
	if len(all) != 1 {
		s.Fatalf("there are %d sessions", len(all))
	}
	return filepath.Join(all[0].Dir, name)
}

// content returns the text of a file in the session's directory, or "" if it is
// missing.
func (s *stage) content(name string) string {
	s.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	return string(text)
}

// has asserts the text and the buttons of the bot's last message.
func (s *stage) has(text string, labels ...string) {
	s.Helper()
	if got := s.last(anna).Text; got != text {
		s.Errorf("the last message is %q, want %q", got, text)
	}
	if got := s.labels(anna); !slices.Equal(got, labels) {
		s.Errorf("its buttons are %q, want %q", got, labels)
	}
}

// undos returns the undos and redos in the only session's log.
func (s *stage) undos() (all []bellcord.Undone) {
	s.Helper()
	s.must(store.EachEvent(s.Context(), s.store, s.sessions("")[0].ID, 0, func(ev bellcord.Event) bool {
		if u, is := ev.Body.(bellcord.Undone); is {
			all = append(all, u)
		}
		return true
	}))
	return all
}

// undoButtons counts the Undo buttons in a chat.
func (s *stage) undoButtons(chat int64) (n int) {
	for _, m := range s.gram.Chat(chat).Messages {
		if m.Markup == nil {
			continue
		}
		for _, b := range slices.Concat(m.Markup.Rows...) {
			if strings.Contains(b.Text, "Undo (") {
				n++
			}
		}
	}
	return n
}

// edits runs a turn that changes files and returns its Undo button.
func (s *stage) edits(files string) fakegram.Button {
	s.Helper()
	s.sendText(anna, "edit "+files+"\nsay Done.")
	s.pass(3 * time.Second)
	return s.button(s.last(anna), "Undo (")
}

func TestUndo_ButtonPreviewYes_RestoresFilesAndOffersRedo(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1 b=1")
		s.has("Done.\n\n📝 Files: 2 created", "↩ Undo (2 files)")
		s.press(anna, anna, "Undo (2 files)")
		s.pass(2 * time.Second)
		s.has("↩ Undo these changes?\n\nremove    a\nremove    b", "✓ Yes, undo", "✕ Cancel")
		if s.content("a") != "1" || len(s.undos()) != 0 {
			t.Error("the preview changed files")
		}
		if got := s.press(anna, anna, "Yes, undo"); got != "Undoing…" {
			t.Errorf("the press is answered with %q", got)
		}
		s.pass(4 * time.Second)
		s.has("↩ Undone: 2 restored", "↪ Redo")
		if s.content("a") != "" || s.undoButtons(anna) != 0 {
			t.Errorf("after the undo, a is %q, and there are %d Undo buttons", s.content("a"), s.undoButtons(anna))
		}
		s.press(anna, anna, "Redo")
		s.pass(4 * time.Second)
		s.has("↪ Redone: 2 restored", "↩ Undo (2 files)")
		if s.content("a") != "1" {
			t.Errorf("after the redo, a is %q", s.content("a"))
		}
		s.press(anna, anna, "Undo (2 files)")
		s.pass(2 * time.Second)
		s.press(anna, anna, "Yes, undo")
		s.pass(4 * time.Second)
		if s.content("a") != "" || len(s.undos()) != 3 {
			t.Errorf("after the second undo, a is %q, and the log has %d undos", s.content("a"), len(s.undos()))
		}
		if u := s.undos()[0]; u.By != "anna" || u.Source != "Telegram" {
			t.Errorf("the undo is by %q from %q", u.By, u.Source)
		}
	})
}

func TestUndo_EveryButtonPressedTwice_ActsOnce(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		twice := func(b fakegram.Button) {
			t.Helper()
			for range 2 { // the second press arrives before the first is done
				_, err := s.gram.Press(anna, b)
				s.must(err)
			}
			synctest.Wait()
			s.pass(5 * time.Second)
			s.forgeOn(anna, b.Message, b.Data) // and once more afterwards
			s.pass(5 * time.Second)
		}
		twice(s.edits("a=1"))
		twice(s.button(s.last(anna), "Yes, undo"))
		if got := s.undos(); len(got) != 1 || s.content("a") != "" {
			t.Fatalf("a is %q after %+v", s.content("a"), got)
		}
		s.has("↩ Undone: 1 restored", "↪ Redo")
		twice(s.button(s.last(anna), "Redo"))
		if got := s.undos(); len(got) != 2 || s.content("a") != "1" {
			t.Fatalf("a is %q after %+v", s.content("a"), got)
		}
		s.has("↪ Redone: 1 restored", "↩ Undo (1 file)")
	})
}

// Neither another person with access nor a stranger can use the data of anna's
// buttons.
func TestUndo_ForgedPress_ReachesNoOtherPersonsTurn(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		b := s.edits("a=1")
		s.presses(b)
		s.pass(2 * time.Second)
		m := s.last(anna)
		yes, cancel := s.button(m, "Yes, undo"), s.button(m, "Cancel")
		redo := strings.Replace(yes.Data, "y:", "e:", 1)
		for _, data := range []string{b.Data, yes.Data, cancel.Data, redo, "u:", "y:no-turn:1", "e:::"} {
			if got := s.forge(ben, data); got != notNow {
				t.Errorf("ben's press of %q is answered with %q", data, got)
			}
			if got := s.forge(eve, data); got != "This bot is private." {
				t.Errorf("eve's press of %q is answered with %q", data, got)
			}
		}
		s.pass(5 * time.Second)
		if s.content("a") != "1" || len(s.undos()) != 0 {
			t.Errorf("a is %q, and the log has %+v", s.content("a"), s.undos())
		}
		if got := s.bot(ben); len(got) != 0 {
			t.Errorf("ben sees %q", got)
		}
	})
}

func TestUndo_InGroup_BelongsToTheGroup(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendTextIn(group, anna, "@bellcord_bot edit a=1\nsay Done.")
		s.pass(10 * time.Second)
		b := s.button(s.last(group), "Undo (1 file)")
		if got := s.forge(anna, b.Data); got != notNow {
			t.Errorf("a press in anna's private chat is answered with %q", got)
		}
		s.press(group, ben, "Undo (1 file)") // ben may prompt in the group
		s.pass(10 * time.Second)
		s.press(group, ben, "Yes, undo")
		s.pass(20 * time.Second)
		if got := s.last(group).Text; got != "↩ Undone: 1 restored" || s.content("a") != "" {
			t.Errorf("the group sees %q, and a is %q", got, s.content("a"))
		}
	})
}

func TestUndo_FileChangedSince_IsNamedAndLeftAlone(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1 b=1")
		s.must(os.WriteFile(s.path("b"), []byte("mine"), 0o600))
		s.press(anna, anna, "Undo (2 files)")
		s.pass(2 * time.Second)
		preview := s.last(anna).Text
		if !strings.HasPrefix(preview, "↩ Undo these changes?\n\nconflict  b") || !strings.HasSuffix(preview, "\nremove    a") {
			t.Errorf("the preview is %q", preview)
		}
		s.press(anna, anna, "Yes, undo")
		s.pass(4 * time.Second)
		if got := s.last(anna).Text; !strings.HasPrefix(got, "↩ Undone: 1 restored, 1 changed since and left alone\n\nconflict  b") {
			t.Errorf("the result is %q", got)
		}
		if s.content("a") != "" || s.content("b") != "mine" {
			t.Errorf("a is %q, and b is %q", s.content("a"), s.content("b"))
		}
	})
}

func TestUndo_ChangedAndCreatedFile_PreviewTellsThemApart(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1")
		s.edits("a=2 b=1")
		s.press(anna, anna, "Undo (2 files)")
		s.pass(3 * time.Second)
		s.has("↩ Undo these changes?\n\nrestore   a\nremove    b", "✓ Yes, undo", "✕ Cancel")
		s.press(anna, anna, "Yes, undo")
		s.pass(4 * time.Second)
		if s.content("a") != "1" || s.content("b") != "" {
			t.Errorf("a is %q, and b is %q", s.content("a"), s.content("b"))
		}
	})
}

func TestUndo_AllFilesChangedSince_OffersNoYes(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1")
		s.must(os.WriteFile(s.path("a"), []byte("mine"), 0o600))
		s.press(anna, anna, "Undo (1 file)")
		s.pass(2 * time.Second)
		if got := s.last(anna).Text; !strings.HasPrefix(got, "Nothing can be undone.\n\nconflict  a") || len(s.labels(anna)) != 0 {
			t.Errorf("the preview is %q with %q", got, s.labels(anna))
		}
	})
}

func TestChanges_Pending_AreAddedWhenRecorded(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string]bool{"drafts": false, "edits": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(with *setup) { with.Edits = edits }, func(s *stage) {
				s.sendText(anna, "later 10s a=1\nsay Done.")
				s.pass(5 * time.Second)
				s.has("Done.")
				s.pass(10 * time.Second)
				s.has("Done.\n\n📝 Files: 1 created", "↩ Undo (1 file)")
				s.sees(anna, "Done.\n\n📝 Files: 1 created")
			})
		})
	}
}

// A text before the last tool call is sent at once, so that the turn has no last
// message to which the line could be added.
func TestChanges_PendingWithoutLastMessage_GetAMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say I look.\ntool one\nlater 10s a=1")
		s.pass(8 * time.Second)
		s.sees(anna, "I look.")
		s.pass(10 * time.Second)
		s.sees(anna, "I look.", "📝 Files: 1 created")
	})
}

func TestChanges_PendingBelowAFullMessage_GetAMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "later 10s a=1\nrepeat 3999 x")
		s.pass(5 * time.Second)
		s.sees(anna, strings.Repeat("x", 3999))
		s.pass(10 * time.Second)
		s.sees(anna, strings.Repeat("x", 3999), "📝 Files: 1 created")
	})
}

// The changes are recorded while the answer still waits for the pace of the chat.
func TestChanges_RecordedBeforeTheMessageIsSent_AreInIt(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "repeat 160 A paragraph about bells, and how they are rung.\\n\\n\nlater 100ms a=1")
		s.pass(15 * time.Second)
		if got := s.last(anna).Text; !strings.HasSuffix(got, "rung.\n\n📝 Files: 1 created") {
			t.Errorf("the last message ends with %q", got[max(0, len(got)-60):])
		}
		if got := s.labels(anna); !slices.Equal(got, []string{"↩ Undo (1 file)"}) {
			t.Errorf("its buttons are %q", got)
		}
	})
}

func TestUndoButton_LaterTurn_RemovesItOnlyIfItChangedFiles(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		first := s.edits("a=1")
		s.replyTo("say Nothing else.")
		if s.undoButtons(anna) != 1 {
			t.Error("a turn without changes removed the button")
		}
		s.presses(first)
		s.pass(2 * time.Second)
		yes := s.button(s.last(anna), "Yes, undo")
		s.edits("b=1")
		s.pass(2 * time.Second)
		if n := s.undoButtons(anna); n != 1 {
			t.Errorf("there are %d Undo buttons", n)
		}
		if got := s.forgeOn(anna, first.Message, first.Data); got != notNow {
			t.Errorf("a press of the old button is answered with %q", got)
		}
		if got := s.presses(yes); got != notNow {
			t.Errorf("a press of the old Yes is answered with %q", got)
		}
		s.pass(5 * time.Second)
		if s.content("a") != "1" || s.content("b") != "1" || len(s.undos()) != 0 {
			t.Errorf("a is %q, b is %q, and the log has %+v", s.content("a"), s.content("b"), s.undos())
		}
	})
}

func TestUndo_Cancel_ChangesNothing(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1")
		s.press(anna, anna, "Undo (1 file)")
		s.pass(2 * time.Second)
		s.press(anna, anna, "Cancel")
		s.pass(2 * time.Second)
		s.has("Cancelled. No file was changed.")
		if s.content("a") != "1" || s.undoButtons(anna) != 1 {
			t.Errorf("a is %q, and there are %d Undo buttons", s.content("a"), s.undoButtons(anna))
		}
	})
}

func TestUndo_TurnRunning_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		b := s.edits("a=1")
		s.sendText(anna, "hang 30s")
		s.pass(2 * time.Second)
		s.presses(b)
		s.pass(2 * time.Second)
		s.presses(s.button(s.last(anna), "Yes, undo"))
		s.pass(2 * time.Second)
		if got := s.last(anna).Text; got != "✗ A turn of this session is running: stop it first." || s.content("a") != "1" {
			t.Errorf("the chat ends with %q, and a is %q", got, s.content("a"))
		}
	})
}

func TestUndoCommands_ListUndoAndRedo(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for _, command := range []string{"/changes", "/undo", "/redo"} {
			if got := s.replyTo(command); got != "There is no session yet, so there are no changes." {
				t.Errorf("%s is answered with %q", command, got)
			}
		}
		s.replyTo("say Hello.")
		for command, want := range map[string]string{
			"/changes": "No turn of this session has changes that can be undone.",
			"/undo":    "No turn of this session has changes that can be undone.", "/redo": "There is nothing to redo.",
		} {
			if got := s.replyTo(command); got != want {
				t.Errorf("%s is answered with %q", command, got)
			}
		}
		s.edits("a=1")
		s.replyTo("/changes")
		s.has("created  a\n\n📝 Files: 1 created", "↩ Undo (1 file)")
		s.replyTo("/undo")
		s.has("↩ Undo these changes?\n\nremove    a", "✓ Yes, undo", "✕ Cancel")
		s.press(anna, anna, "Yes, undo")
		s.pass(5 * time.Second)
		if s.content("a") != "" || s.undoButtons(anna) != 0 {
			t.Errorf("a is %q, and there are %d Undo buttons", s.content("a"), s.undoButtons(anna))
		}
		s.replyTo("/redo")
		s.has("↪ Redone: 1 restored", "↩ Undo (1 file)")
		if s.content("a") != "1" {
			t.Errorf("a is %q", s.content("a"))
		}
		if got := s.press(anna, anna, "↪ Redo"); got != notNow { // the redo was done by the command
			t.Errorf("the old Redo is answered with %q", got)
		}
	})
}

func TestUndo_FromAnotherFront_ShowsOneLine(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1")
		session := s.sessions("anna")[0].ID
		last, err := s.files.Last(s.Context(), session)
		s.must(err)
		u, err := s.files.Undo(s.Context(), bellcord.UndoRequest{Turn: last.Turn, Confirmed: true, By: "anna", Source: "page"})
		s.must(err)
		s.pass(4 * time.Second)
		s.has("↩ Undone by anna, page: 1 restored")
		if n := s.undoButtons(anna); n != 0 {
			t.Errorf("there are %d Undo buttons", n)
		}
		_, err = s.files.Redo(s.Context(), bellcord.UndoRequest{Undo: u.Undo, Session: session, Source: "cli"})
		s.must(err)
		s.pass(4 * time.Second)
		s.has("↪ Redone by cli: 1 restored")
	})
}

func TestUndoButton_AfterRestart_WorksAndIsRemoved(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		first := s.edits("a=1")
		s.leave()
		s.open(s.with)
		s.presses(first)
		s.pass(2 * time.Second)
		s.has("↩ Undo these changes?\n\nremove    a", "✓ Yes, undo", "✕ Cancel")
		s.leave()
		s.open(s.with)
		s.press(anna, anna, "Yes, undo")
		s.pass(5 * time.Second)
		s.has("↩ Undone: 1 restored", "↪ Redo")
		if s.content("a") != "" || s.undoButtons(anna) != 0 {
			t.Errorf("a is %q, and there are %d Undo buttons", s.content("a"), s.undoButtons(anna))
		}
	})
}

func TestUndo_ManyFiles_FitsIntoAMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		var files strings.Builder
		for n := range 150 {
			fmt.Fprintf(&files, "file-with-a-name-%03d=1 ", n)
		}
		s.edits(files.String())
		s.must(os.WriteFile(s.path("file-with-a-name-120"), []byte("mine"), 0o600))
		s.replyTo("/undo")
		got := s.last(anna).Text
		if !strings.Contains(got, "?\n\nconflict  file-with-a-name-120") || !strings.Contains(got, "\nand ") || len(got) < 3000 {
			t.Errorf("the preview is %q", got)
		}
		s.replyTo("/changes")
		s.press(anna, anna, "Yes, undo")
		s.pass(5 * time.Second)
		if s.content("file-with-a-name-149") != "" {
			t.Error("a file that the preview does not list was not restored")
		}
	})
}

// A press of another button removes the others, but not Undo.
func TestUndoButton_HeldMessagesDiscarded_Stays(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "edit a=1\nslow 50")
		s.pass(time.Second)
		s.sendText(anna, "say Second.")
		s.pass(2 * time.Second)
		s.sendText(anna, "/stop")
		s.pass(4 * time.Second)
		s.stopped(anna, "1 message held", "\n📝 Files: 1 created")
		s.press(anna, anna, "Discard")
		s.pass(4 * time.Second)
		s.stopped(anna, "1 message discarded\n📝 Files: 1 created")
		if got := s.labels(anna); !slices.Equal(got, []string{"↩ Undo (1 file)"}) {
			t.Errorf("the buttons are %q", got)
		}
	})
}

func TestUndo_Off_IsReported(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1")
		s.leave()
		s.withoutUndo = true
		s.open(s.with)
		for _, command := range []string{"/changes", "/undo", "/redo"} {
			if got := s.replyTo(command); !strings.HasPrefix(got, "✗ Undo is off: set mode") {
				t.Errorf("%s is answered with %q", command, got)
			}
		}
	})
}
