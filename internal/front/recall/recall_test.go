package recall_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/bellcord/bellcord/internal/front/recall"
)

func TestPrompts_Added_AreLoadedByProjectInOrder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "history")
	shop, site := recall.Of(dir, "/work/shop"), recall.Of(dir, "/work/site")
	add(t, shop, "first", "two\nlines", "two\nlines", "first")
	add(t, site, "of another project")
	expect(t, shop, "first", "two\nlines", "first")
	expect(t, site, "of another project")
	expect(t, recall.Of(dir, "/work/new"))
	for _, path := range files(t, dir) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v), want 0600", path, info.Mode(), err)
		}
	}
}

func TestPrompts_MoreThanAreKept_LosesTheOldest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := recall.Of(dir, "p")
	var all []string
	for i := range 2*recall.Most + 10 {
		all = append(all, fmt.Sprint("prompt ", i))
	}
	add(t, p, all...)
	expect(t, p, all[len(all)-recall.Most:]...)
	if info, err := os.Stat(files(t, dir)[0]); err != nil || info.Size() > 25*recall.Most {
		t.Errorf("the file has %d bytes (%v): older prompts are still in it", info.Size(), err)
	}
}

func TestPrompts_LastWriteWasInterrupted_KeepsTheOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := recall.Of(dir, "p")
	add(t, p, "complete")
	f, err := os.OpenFile(files(t, dir)[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`"incompl`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	add(t, p, "after it")
	expect(t, p, "complete", "after it")
}

func TestPrompts_SeveralWriters_LoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				if err := recall.Of(dir, "p").Add(fmt.Sprint(i, " ", j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, err := recall.Of(dir, "p").Load(); err != nil || len(got) != 400 {
		t.Errorf("%d prompts are there (%v), want 400", len(got), err)
	}
}

func add(t *testing.T, p recall.Prompts, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := p.Add(text); err != nil {
			t.Fatal(err)
		}
	}
}

func expect(t *testing.T, p recall.Prompts, want ...string) {
	t.Helper()
	if got, err := p.Load(); err != nil || !slices.Equal(got, want) {
		t.Errorf("Load returned %d prompts (%.200q), %v; want %d (%.200q)", len(got), got, err, len(want), want)
	}
}

// files returns the files of prompts in a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("files %v, %v", paths, err)
	}
	return paths
}
