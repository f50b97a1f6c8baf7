package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// A bot opens a journal with any content, rewrites it with complete lines only,
// and leaves it unchanged when it is opened again.
func FuzzAnyJournalIsOpenedAndOpenedAgainTheSame(f *testing.F) {
	f.Add([]byte(`{"handled":[1,2]}` + "\n" + `{"at":5,"update":{"update_id":3,"message":{"text":"x"}}}` + "\n"))
	f.Add([]byte(`{"at":5,"update":{"update_id":3}}` + "\n" + `{"handled":[3]}` + "\n" + `{"at":5,"upd`))
	f.Add([]byte("\x00\x00\n{}\nnull\n{\"update\":null}\n{\"update\":{\"update_id\":-1}}\n\xff"))
	f.Add([]byte(`{"update":{"update_id":4},"handled":[4,4,5]}` + "\r\n" + `{"update":{"update_id":6, "a" : "<&>` + "\u2028" + `"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "updates-1.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		once := reopened(t, path)
		for text := range strings.Lines(once) {
			if !json.Valid([]byte(text)) || !strings.HasSuffix(text, "\n") {
				t.Errorf("it left %q", text)
			}
		}
		if twice := reopened(t, path); twice != once {
			t.Errorf("it was\n%q\nand is\n%q", once, twice)
		}
	})
}

func reopened(t *testing.T, path string) string {
	b, err := wire.New(wire.Config{Token: "1:TEST", Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
