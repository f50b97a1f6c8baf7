package fakegram_test

import (
	"strings"
	"testing"
)

func TestMessage_Above4096UnitsAfterParsing_IsRefused(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text, mode string
		fits             bool
	}{
		{"4096 letters", strings.Repeat("a", 4096), "", true},
		{"4097 letters", strings.Repeat("a", 4097), "", false},
		{"2048 surrogate pairs", strings.Repeat("🔔", 2048), "", true},
		{"a letter and 2048 surrogate pairs", "a" + strings.Repeat("🔔", 2048), "", false},
		{"4096 letters of three bytes", strings.Repeat("€", 4096), "", true},
		{"a family is eleven units", strings.Repeat("👨‍👩‍👧‍👦", 372) + "1234", "", true},
		{"a family is eleven units, and one too many", strings.Repeat("👨‍👩‍👧‍👦", 372) + "12345", "", false},
		{"tags are not counted", "<b>" + strings.Repeat("a", 4096) + "</b>", "HTML", true},
		{"tags don't hide a unit", "<b>" + strings.Repeat("a", 4097) + "</b>", "HTML", false},
		{"an entity is one unit", strings.Repeat("&amp;", 4096), "HTML", true},
		{"an entity too many", strings.Repeat("&lt;", 4097), "HTML", false},
		{"white space at the ends is not counted", "\n  " + strings.Repeat("a", 4096) + " \n", "", true},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				sent := s.call("sendMessage", fields{"chat_id": anna, "text": tc.text, "parse_mode": tc.mode})
				id := s.send(anna, "to be edited")
				edited := s.call("editMessageText", fields{"chat_id": anna, "message_id": id, "text": tc.text, "parse_mode": tc.mode})
				draft := s.call("sendMessageDraft", fields{"chat_id": anna, "draft_id": 1, "text": tc.text, "parse_mode": tc.mode})
				if tc.fits {
					sent.fine()
					edited.fine()
					draft.fine()
				} else {
					sent.refused(400, "Bad Request: message is too long")
					edited.refused(400, "Bad Request: MESSAGE_TOO_LONG")
					draft.refused(400, "Bad Request: message is too long")
				}
				s.clean()
			})
		})
	}
}

func TestMessage_WithoutTextOrChat_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for _, params := range []fields{
			{"chat_id": anna},
			{"chat_id": anna, "text": ""},
			{"chat_id": anna, "text": " \n\t"},
			{"chat_id": anna, "text": "<b> </b>", "parse_mode": "HTML"},
		} {
			s.call("sendMessage", params).refused(400, "Bad Request: message text is empty")
			s.rest(3e9)
		}
		s.call("sendMessage", fields{"text": "x"}).refused(400, "Bad Request: chat_id is empty")
		s.call("sendMessage", fields{"chat_id": 5, "text": "x"}).refused(400, "Bad Request: chat not found")
		s.call("sendMessage", fields{"chat_id": "@nobody", "text": "x"}).refused(400, "Bad Request: chat not found")
	})
}

func TestCaption_Above1024Units_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		sent, err := s.SayDocument(anna, anna, "notes.md", []byte("# Notes"), "")
		if err != nil {
			s.Fatal(err)
		}
		file := sent.Document.FileID
		for _, caption := range []string{strings.Repeat("🔔", 512), "<i>" + strings.Repeat("a", 1024) + "</i>"} {
			s.call("sendDocument", fields{"chat_id": anna, "document": file, "caption": caption, "parse_mode": "HTML"}).fine()
		}
		s.call("sendDocument", fields{"chat_id": anna, "document": file, "caption": strings.Repeat("a", 1025)}).
			refused(400, "Bad Request: message caption is too long")
		s.clean()
	})
}

func TestText_SurroundingSpace_IsTrimmedAndEntitiesShift(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		m := s.call("sendMessage", fields{"chat_id": anna, "text": "\n 🔔 <b>two </b> \n", "parse_mode": "HTML"}).message()
		if e := m.Entities; m.Text != "🔔 two" || len(e) != 1 || e[0].Offset != 3 || e[0].Length != 3 {
			s.Errorf("got %q %+v", m.Text, e)
		}
		m = s.call("sendMessage", fields{"chat_id": anna, "text": "\n<pre>  indented</pre>", "parse_mode": "HTML"}).message()
		if m.Text != "  indented" || m.Entities[0].Length != 10 {
			s.Errorf("got %q %+v", m.Text, m.Entities)
		}
		m = s.call("sendMessage", fields{"chat_id": anna, "text": "a\r\nb\x07c"}).message()
		if m.Text != "a\nb c" {
			s.Errorf("got %q", m.Text)
		}
	})
}

func TestText_ExplicitEntities_AreChecked(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		send := func(text, entities string) *reply {
			s.rest(2e9)
			return s.call("sendMessage", fields{"chat_id": anna, "text": text, "entities": entities})
		}
		m := send("🔔 rings", `[{"type":"bold","offset":3,"length":5}]`).message()
		if len(m.Entities) != 1 || m.Entities[0].Type != "bold" {
			s.Errorf("got %+v", m.Entities)
		}
		send("rings", `[{"type":"bold","offset":0,"length":6}]`).refused(400, "Bad Request: entity ends after the end of the text…")
		send("🔔", `[{"type":"bold","offset":1,"length":1}]`).refused(400, "Bad Request: entity is cut in the middle of a symbol…")
		send("a", `[{"type":"blink","offset":0,"length":1}]`).refused(400, "Bad Request: can't parse entities: unsupported type…")
		send("a", `[{`).refused(400, "Bad Request: can't parse entities: …")
	})
}

func TestText_InvalidUTF8_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		r, err := s.post("http://fake/bot1:TEST/sendMessage", "application/x-www-form-urlencoded", strings.NewReader("chat_id=1001&text=a%ff"))
		if err != nil {
			s.Fatal(err)
		}
		r.refused(400, "Bad Request: strings must be encoded in UTF-8")
	})
}

func TestText_Markdown_IsAViolation(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.call("sendMessage", fields{"chat_id": anna, "text": "*a*", "parse_mode": "MarkdownV2"}).
			refused(400, "Bad Request: can't parse entities: MarkdownV2 is not played by this server")
		s.broken("use HTML")
		s.call("sendMessage", fields{"chat_id": anna, "text": "a", "parse_mode": "BBCode"}).refused(400, "Bad Request: unsupported parse_mode")
	})
}
