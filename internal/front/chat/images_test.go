package chat_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

// png is the beginning of a PNG file, as long as 40 kB.
var png = append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 40<<10)...)

func (s *stage) attaches(data []byte) *stage {
	s.m.Apply(chat.Report{Of: chat.PasteImage{}, Image: &bellcord.Image{Type: "image/png", Data: data}})
	return s
}

func TestImages_CtrlV_AttachesAndSends(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	expectActions(t, s.press("ctrl+v"), chat.PasteImage{})
	s.attaches(png).has("image 1: 40 kB png · backspace at the start of the input removes it")
	p, is := s.enters("what is this?")[0].(chat.Prompt)
	if !is || len(p.Images) != 1 || p.Text != "what is this?" {
		t.Errorf("sent %+v", p)
	}
	s.hasNot("image 1")
}

func TestImages_WithoutText_AreSentWithASentence(t *testing.T) {
	t.Parallel()
	if p, is := newStage(t).attaches(png).press("enter")[0].(chat.Prompt); !is || len(p.Images) != 1 || p.Text != "See the image." {
		t.Errorf("sent %+v", p)
	}
}

func TestImages_Backspace_RemovesTheLast(t *testing.T) {
	t.Parallel()
	s := newStage(t).attaches(png).attaches(png).types("a")
	s.press("backspace")
	s.has("image 2: ")
	s.press("backspace")
	s.has("image 1: ")
	s.hasNot("image 2: ")
}

func TestImages_ModelWithoutImages_IsRefusedBeforeSending(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{TakesImages: func(string) bool { return false }, OwnFiles: true}).attaches(png)
	if got := s.enters("what is this?"); len(got) != 0 {
		t.Errorf("sent %+v", got)
	}
	s.has("openai/fake accepts no images. Nothing was sent.", "› what is this?", "image 1: ")
	s = stageWith(t, chat.Options{TakesImages: func(string) bool { return false }, OwnFiles: true})
	if got := s.enters("what is @a.png"); len(got) != 0 {
		t.Errorf("sent %+v", got)
	}
}

func TestImages_DroppedPath_AttachesTheFileOrIsText(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for text, path := range map[string]string{
		"/tmp/a.png": "/tmp/a.png", "'/tmp/a b.JPG' ": "/tmp/a b.JPG", `/tmp/a\ b.webp`: "/tmp/a b.webp", "file:///tmp/a%20b.gif": "/tmp/a b.gif",
	} {
		expectActions(t, s.m.Paste(text), chat.AttachImage{Path: path, Text: text})
	}
	for _, text := range []string{"see /tmp/a.png", "a.png", "/tmp/a.txt", "/tmp/a.png\n/tmp/b.png"} {
		expectActions(t, newStage(t).m.Paste(text))
	}
	s.m.Apply(chat.Report{Of: chat.AttachImage{Path: "/tmp/a.png", Text: "/tmp/a.png"}, Err: errors.New("no such file")})
	s.has("no image attached: no such file", "› /tmp/a.png")
}

func TestImages_Mentioned_AreReadWhenThePromptIsSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text.png"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := chat.New(chat.Options{Session: bellcord.Session{ID: "s", Dir: dir}, Now: noon, OwnFiles: true})
	for text, want := range map[string]string{"see @a.png and @none.png": "1 images", "see @text.png": "not a PNG"} {
		hub := &imageHub{}
		reports := make(chan chat.Report, 1)
		runner := &chat.Runner{Hub: hub, Report: func(r chat.Report) { reports <- r }}
		runner.Do(context.Background(), m.Submit(text)[0])
		r := <-reports
		switch {
		case want == "1 images" && (r.Err != nil || len(hub.sent.Images) != 1):
			t.Errorf("%q: %v, sent %d images", text, r.Err, len(hub.sent.Images))
		case want != "1 images" && (r.Err == nil || !strings.Contains(r.Err.Error(), want) || hub.sent.Text != ""):
			t.Errorf("%q: %v, sent %q", text, r.Err, hub.sent.Text)
		}
	}
}

// imageHub records the prompt.
type imageHub struct {
	chat.Hub
	sent chat.Prompt
}

func (h *imageHub) Prompt(_ context.Context, _ bellcord.SessionID, p chat.Prompt) error {
	h.sent = p
	return nil
}
