package hub_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/realdir"
)

// A link that is at the path later, or leads elsewhere, does not move the session.
func TestSession_DirectoryNamedByALink_IsKeptByItsRealPath(t *testing.T) {
	t.Parallel()
	top := realdir.Resolve(t.TempDir())
	for _, dir := range []string{"one", "two", "other"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(dir, filepath.Join(top, "to-"+dir)); err != nil {
			t.Skip("links cannot be created: ", err)
		}
		if runtime.GOOS == "windows" && realdir.Resolve(filepath.Join(top, "to-"+dir)) != filepath.Join(top, dir) {
			t.Skip("links cannot be told from directories, as in Wine")
		}
	}
	at := func(name string) string { return filepath.Join(top, name) }
	h := hubAt(t, t.TempDir())
	s, err := h.NewSession(t.Context(), bellcord.Session{Dir: at("to-one"), AdditionalDirs: []string{at("to-two"), at("missing")}})
	if err != nil || s.Dir != at("one") || !slices.Equal(s.AdditionalDirs, []string{at("two"), at("missing")}) {
		t.Fatalf("%+v, %v", s, err)
	}
	if got := stored(t, h, s.ID); got.Dir != s.Dir || !slices.Equal(got.AdditionalDirs, s.AdditionalDirs) {
		t.Errorf("the store has %+v", got)
	}
	if s, err = h.Configure(s.ID, bellcord.SessionUpdated{Dir: at("to-two"), AdditionalDirs: &[]string{at("to-one")}}); err != nil || s.Dir != at("two") || !slices.Equal(s.AdditionalDirs, []string{at("one")}) {
		t.Errorf("%+v, %v", s, err)
	}
	if err := os.Rename(at("two"), at("away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", at("two")); err != nil {
		t.Fatal(err)
	}
	if s, err = h.OpenSession(t.Context(), s.ID); err != nil || s.Dir != at("two") {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = h.Configure(s.ID, bellcord.SessionUpdated{Title: "t"}); err != nil || s.Dir != at("two") {
		t.Errorf("%+v, %v", s, err)
	}
}
