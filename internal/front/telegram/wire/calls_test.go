package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

var toAnna = wire.Place{Chat: anna}

// greeted returns a bot that has received a message from Anna.
func (s *stage) greeted() *wire.Bot {
	s.Helper()
	s.sendTexts(anna, "hello")
	return s.bot()
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Error(err)
	}
}

func (s *stage) send(b *wire.Bot, t wire.Text) int {
	s.Helper()
	id, err := b.Send(s.Context(), t)
	s.must(err)
	return id
}

func TestMessage_SendEditDelete_ChangesTheChat(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.greeted()
		stop := [][]wire.Button{{{Text: "⏹ Stop", Data: "s:1", Style: "danger"}, {Text: "More", Data: "m"}}}
		id := s.send(b, wire.Text{Place: toAnna, Text: "<b>a</b> &amp; b", HTML: true, ReplyTo: 1, Buttons: stop, Silent: true})
		m := s.Chat(anna).Last()
		if m.ID != id || m.Text != "a & b" || len(m.Entities) != 1 || m.ReplyTo.ID != 1 || m.Markup.Rows[0][0].Style != "danger" || len(m.Markup.Rows[0]) != 2 {
			s.Errorf("sent %+v", m)
		}
		if p := s.CallsOf("sendMessage")[0].Params; p["link_preview_options"] != `{"is_disabled":true}` || p["disable_notification"] != "true" {
			s.Errorf("sent with %v", p)
		}
		edited := wire.Text{Place: toAnna, Text: "<i>literally", Buttons: stop}
		s.must(b.Edit(s.Context(), id, edited))
		s.must(b.Edit(s.Context(), id, edited)) // unchanged
		s.must(b.Buttons(s.Context(), toAnna, id, stop[:0]))
		rest(3 * time.Second)
		s.must(b.Buttons(s.Context(), toAnna, id, nil))
		if m := s.Chat(anna).Last(); m.Text != "<i>literally" || m.Markup != nil {
			s.Errorf("edited to %+v", m)
		}
		s.must(b.Buttons(s.Context(), toAnna, id, stop))
		rest(3 * time.Second)
		s.must(b.Edit(s.Context(), id, wire.Text{Place: toAnna, Text: "done"}))
		if m := s.Chat(anna).Last(); m.Markup != nil {
			s.Errorf("its buttons are still there: %+v", m)
		}
		s.must(b.Delete(s.Context(), toAnna, []int{id, 999}))
		s.must(b.Delete(s.Context(), toAnna, []int{id}))
		s.must(b.Delete(s.Context(), toAnna, nil))
		if n := len(s.Chat(anna).Messages); n != 1 {
			s.Errorf("%d messages are left", n)
		}
		s.send(b, wire.Text{Place: toAnna, Text: "to what is gone", ReplyTo: id})
	})
}

func TestDelete_ManyMessages_UsesCallsOfOneHundred(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		var ids []int
		for n := range 250 {
			s.sendTexts(anna, fmt.Sprint(n))
			ids = append(ids, n+1)
		}
		s.must(b.Delete(s.Context(), toAnna, ids))
		if n, calls := len(s.Chat(anna).Messages), len(s.CallsOf("deleteMessages")); n != 0 || calls != 3 {
			s.Errorf("%d are left after %d calls", n, calls)
		}
	})
}

func TestDraft_WithStop_IsShownAndKeptWhenStopped(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.greeted()
		s.must(b.Draft(s.Context(), wire.Draft{Place: toAnna, ID: 5}))
		if d, _ := s.Chat(anna).Draft(); !d.Thinking || d.CanStop {
			s.Errorf("shown is %+v", d)
		}
		s.must(b.Draft(s.Context(), wire.Draft{Place: toAnna, ID: 5, Text: "so <far>", Stop: true, Keep: true}))
		if d, _ := s.Chat(anna).Draft(); d.ID != 5 || d.Text != "so <far>" || !d.CanStop || d.Updates != 1 {
			s.Errorf("shown is %+v", d)
		}
		s.must(s.PressStop(anna))
		if d, _ := s.Chat(anna).Draft(); !d.Stopped {
			s.Errorf("it is not kept: %+v", d)
		}
		s.must(b.Typing(s.Context(), toAnna))
		if s.Chat(anna).Action != "typing" {
			s.Error("it does not type")
		}
	})
}

func TestAnswer_TooLong_IsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Stopping…":              "Stopping…",
		strings.Repeat("é", 200): strings.Repeat("é", 200),
		strings.Repeat("é", 201): strings.Repeat("é", 199) + "…",
		strings.Repeat("🔔", 100): strings.Repeat("🔔", 100),
		strings.Repeat("🔔", 101): strings.Repeat("🔔", 99) + "…",
	} {
		onStage(t, func(s *stage) {
			b := s.greeted()
			s.send(b, wire.Text{Place: toAnna, Text: "x", Buttons: [][]wire.Button{{{Text: "Go", Data: "g"}}}})
			button, _ := s.Chat(anna).Button("Go")
			e := s.poll(b)
			query, err := s.Press(anna, button)
			s.must(err)
			synctest.Wait()
			s.must(b.Answer(s.Context(), query, text, true))
			if got, alert, ok := s.Answered(query); got != want || !alert || !ok {
				s.Errorf("said %q, not %q", got, want)
			}
			if err := b.Answer(s.Context(), query, text, true); !errors.Is(err, outbox.ErrNever) {
				s.Errorf("a second answer ends with %v", err)
			}
			e.hang()
		})
	}
}

func TestFiles_UploadAndDownload_KeepNameTypeAndContent(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		_, err := s.SayDocument(anna, anna, "notes.txt", []byte("ding dong"), "read this")
		s.must(err)
		_, err = s.SayPhoto(anna, anna, "bell.png", picture.Bytes(), "")
		s.must(err)
		synctest.Wait()
		notes, photo := e.updates()[0].Message, e.updates()[1].Message
		if f := notes.Files[0]; notes.Text != "read this" || f.Name != "notes.txt" || !strings.HasPrefix(f.Type, "text/plain") || f.Size != 9 || f.Photo {
			s.Errorf("the document is %+v", notes)
		}
		if f := photo.Files[0]; photo.Text != "" || f.Name != "photo.jpg" || f.Type != "image/jpeg" || !f.Photo {
			s.Errorf("the photo is %+v", photo)
		}
		if data, err := b.Download(s.Context(), notes.Files[0].ID, 9); err != nil || string(data) != "ding dong" {
			s.Errorf("downloaded %q, %v", data, err)
		}
		if _, err := b.Download(s.Context(), notes.Files[0].ID, 8); !errors.Is(err, wire.ErrTooLarge) {
			s.Errorf("too large a file ends with %v", err)
		}
		if _, err := b.Download(s.Context(), "nothing", 8); !errors.Is(err, outbox.ErrNever) {
			s.Errorf("no file ends with %v", err)
		}
		id, err := b.Document(s.Context(), toAnna, `an "answer".md`, []byte("# Answer"), "all <of> it")
		s.must(err)
		if m := s.Chat(anna).Last(); m.ID != id || m.Document.Name != `an "answer".md` || m.Caption != "all <of> it" {
			s.Errorf("sent %+v %+v", m, m.Document)
		}
		e.hang()
	})
}

func TestCommands_MenuGiven_IsSet(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		s.must(b.Commands(s.Context(), []wire.Command{{Name: "stop", About: "Stop what runs"}}))
		s.must(b.Commands(s.Context(), nil))
		if p := s.CallsOf("setMyCommands")[0].Params["commands"]; p != `[{"command":"stop","description":"Stop what runs"}]` {
			s.Errorf("the menu is %s", p)
		}
	})
}
