package telegram_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// lastPrompt returns the last prompt that the agent received.
func (s *stage) lastPrompt() bellcord.Prompt {
	s.Helper()
	s.actor.mu.Lock()
	defer s.actor.mu.Unlock()
	if len(s.prompts) == 0 {
		s.Fatal("the agent was given nothing")
	}
	return s.prompts[len(s.prompts)-1]
}

// documents returns the names of the files that the bot has sent to a chat.
func (s *stage) documents(chat int64) (names []string) {
	for _, m := range s.gram.Chat(chat).Messages {
		if m.From.ID == 1 && m.Document != nil {
			names = append(names, m.Document.Name)
		}
	}
	return names
}

// dir returns the directory of Anna's newest session.
func (s *stage) dir() string {
	s.Helper()
	return s.sessions("anna")[0].Dir
}

func TestPicture_AnyName_ReachesTheModelWithItsDetectedType(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		_, err := s.gram.SayPhoto(anna, anna, "bell.png", picture(), "say What a bell.")
		s.must(err)
		s.pass(3 * time.Second)
		s.sees(anna, "What a bell.")
		_, err = s.gram.SayDocument(anna, anna, "bell.bmp", picture(), "")
		s.must(err)
		s.pass(3 * time.Second)
		for _, p := range s.prompts {
			if len(p.Images) != 1 || p.Images[0].Type != "image/png" || !bytes.Equal(p.Images[0].Data, picture()) {
				t.Errorf("the agent was given %d pictures: %+v", len(p.Images), p)
			}
		}
		if got := s.lastPrompt().Text; got != "(An image without text.)" {
			t.Errorf("a picture without words is %q", got)
		}
	})
}

func TestFile_PictureNameWithOtherContent_IsAttachedAsFile(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for _, name := range []string{"drawing.svg", "broken.png"} {
			_, err := s.gram.SayDocument(anna, anna, name, []byte("<svg></svg>"), "")
			s.must(err)
			s.pass(3 * time.Second)
			if p := s.lastPrompt(); len(p.Images) != 0 || p.Text != "(Attached file: "+filepath.Join("inbox", name)+")" {
				t.Errorf("%s was given as %+v", name, p)
			}
		}
	})
}

func TestFile_SameNameTwice_IsSavedWithoutOverwriting(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for n := range 3 {
			_, err := s.gram.SayDocument(anna, anna, "notes.txt", fmt.Append(nil, "notes ", n), "say Read.")
			s.must(err)
			s.pass(3 * time.Second)
		}
		for n, name := range []string{"notes.txt", "notes-1.txt", "notes-2.txt"} {
			got, err := os.ReadFile(filepath.Join(s.dir(), "inbox", name))
			if want := fmt.Sprint("notes ", n); err != nil || string(got) != want {
				t.Errorf("%s holds %q: %v", name, got, err)
			}
		}
		p := s.lastPrompt()
		if want := "say Read.\n\n(Attached file: " + filepath.Join("inbox", "notes-2.txt") + ")"; p.Text != want {
			t.Errorf("the agent was told %q", p.Text)
		}
		if len(p.Links) != 1 || !strings.HasPrefix(p.Links[0].URI, "file:///") || !strings.HasSuffix(p.Links[0].URI, "/inbox/notes-2.txt") {
			t.Errorf("the links are %+v", p.Links)
		}
	})
}

func TestFile_HostileName_StaysInTheInbox(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		names := []string{
			"../../x", "/etc/passwd", `..\..\y`, `C:\z`, "con:", "", ".", "..", "   ", "a/../../b",
			"line\nbreak", "nul\x00byte", "right\u202eleft.txt", "glocke-ü-🔔.txt",
			strings.Repeat("n", 300), strings.Repeat("ü", 200) + ".txt", "x." + strings.Repeat("e", 300),
		}
		for _, name := range names {
			_, err := s.gram.SayDocument(anna, anna, name, []byte("data"), "say Taken.")
			s.must(err)
			s.pass(3 * time.Second)
			if got := s.last(anna).Text; !strings.HasPrefix(got, "Taken.") {
				t.Errorf("%q is answered with %q", name, got)
			}
		}
		kept, err := os.ReadDir(filepath.Join(s.dir(), "inbox"))
		s.must(err)
		if len(kept) != len(names) {
			t.Errorf("of %d files the inbox has %d", len(names), len(kept))
		}
		for _, beside := range []string{s.dir(), filepath.Dir(s.dir())} {
			entries, err := os.ReadDir(beside)
			s.must(err)
			if len(entries) != 1 {
				t.Errorf("a file is outside of the inbox: %v", entries)
			}
		}
		for _, f := range kept {
			if strings.ContainsAny(f.Name(), "\n\u202e\\/:") {
				t.Errorf("a file is called %q", f.Name())
			}
		}
	})
}

func TestFile_InboxIsSymlink_IsRefused(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say Hello.")
		s.pass(3 * time.Second)
		s.must(os.Symlink(outside, filepath.Join(s.dir(), "inbox")))
		_, err := s.gram.SayDocument(anna, anna, "x.txt", []byte("data"), "say Taken.")
		s.must(err)
		s.pass(3 * time.Second)
		s.sees(anna, "Hello.", "✗ Something went wrong. The server's log has the details.")
		if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
			t.Errorf("outside there is %v: %v", entries, err)
		}
	})
}

func TestFile_TooLarge_IsReportedWithoutATurn(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		_, err := s.gram.SayDocument(anna, anna, "large.bin", make([]byte, 20<<20+1), "say Never.")
		s.must(err)
		s.pass(5 * time.Second)
		s.sees(anna, "✗ That file is too large. The limit is 20 MB.")
		if got := s.given(); len(got) != 0 {
			t.Errorf("the agent was given %q", got)
		}
	})
}

func TestFileCommand_PathInOrOutsideTheDirectory_SendsOnlyFilesInside(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "/file report.txt")
		s.pass(3 * time.Second)
		s.sendText(anna, "write report.txt")
		s.pass(3 * time.Second)
		dir := s.dir()
		s.must(os.WriteFile(filepath.Join(filepath.Dir(dir), "secret.txt"), []byte("secret"), 0o600))
		s.must(os.Symlink(filepath.Join("..", "secret.txt"), filepath.Join(dir, "link.txt")))
		s.must(os.WriteFile(filepath.Join(dir, "empty.txt"), nil, 0o600))
		for _, path := range []string{"report.txt", "./report.txt", filepath.Join(dir, "report.txt")} {
			s.sendText(anna, "/file "+path)
			s.pass(3 * time.Second)
		}
		if got := s.documents(anna); !slices.Equal(got, []string{"report.txt", "report.txt", "report.txt"}) {
			t.Errorf("it has sent %q", got)
		}
		outside := filepath.Join(filepath.Dir(dir), "secret.txt")
		for _, path := range []string{"../secret.txt", outside, "link.txt", "x/../../secret.txt", ".", "empty.txt", "nothing.txt"} {
			s.sendText(anna, "/file "+path)
			s.pass(3 * time.Second)
			if got := s.last(anna).Text; got != "I can't send "+path+": it must be a file in the session's directory, not empty, of at most 50 MB." {
				t.Errorf("%s is answered with %q", path, got)
			}
		}
		if got := s.documents(anna); len(got) != 3 {
			t.Errorf("it has sent %q", got)
		}
	})
}

func TestFileButton_AnswerNamesFile_WorksAfterSessionChange(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "write report.txt\nwrite second.md\nsay See `report.txt`, `report.txt`, `second.md`, `missing.txt`, `../up.txt` and `report`.")
		s.pass(3 * time.Second)
		m := s.last(anna)
		if m.Markup == nil || len(m.Markup.Rows) != 2 {
			t.Fatalf("it offers %+v", m.Markup)
		}
		first := s.button(m, "📎 report.txt")
		s.press(anna, anna, "📎 second.md")
		s.pass(3 * time.Second)
		s.sendText(anna, "/new")
		s.pass(4 * time.Second)
		s.sendText(anna, "say Elsewhere.")
		s.pass(4 * time.Second)
		_, err := s.gram.Press(anna, first)
		s.must(err)
		s.pass(3 * time.Second)
		if got := s.documents(anna); !slices.Equal(got, []string{"second.md", "report.txt"}) {
			t.Errorf("it has sent %q", got)
		}
	})
}

func TestAnswer_TooLongForMessages_IsSentAsFileWithItsBeginning(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, `repeat 400 The bell is rung once more, and nobody asks why.\n\n`)
		s.pass(8 * time.Second)
		got := s.bot(anna)
		if len(got) != 2 || !strings.HasPrefix(got[0], "The bell is rung") || !strings.HasSuffix(got[0], "… the full answer is in the file below.") || len(got[0]) > 1200 {
			t.Errorf("the chat shows %q", got)
		}
		if got := s.documents(anna); !slices.Equal(got, []string{"answer.md"}) {
			t.Errorf("the files are %q", got)
		}
		at := slices.IndexFunc(s.gram.Chat(anna).Messages, func(m fakegram.Message) bool { return m.Document != nil })
		if size := s.gram.Chat(anna).Messages[at].Document.Size; size < 400*50-2 { // the final line breaks are trimmed
			t.Errorf("the file has %d bytes", size)
		}
	})
}
