package nearest_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/nearest"
)

func TestName_MisspelledWord_ReturnsClosestCandidate(t *testing.T) {
	t.Parallel()
	tools := []string{"shell", "read_file", "write_file", "edit_file", "list_dir", "glob", "grep", "fetch"}
	for _, c := range []struct{ word, want string }{
		{"shel", "shell"},
		{"Shell", "shell"},
		{"hsell", "shell"},
		{"read", "read_file"},
		{"edit_fiel", "edit_file"},
		{"gerp", "grep"},
		{"bash", ""},
		{"x", ""},
		{"", ""},
	} {
		if got := nearest.Name(c.word, tools); got != c.want {
			t.Errorf("Name(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
