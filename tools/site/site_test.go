package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository creates a small repository without errors, and applies the changes.
func repository(t *testing.T, changes map[string]string) string {
	t.Helper()
	files := map[string]string{
		"README.md":           "# Bellcord\n\n<img src=\"docs/pictures/a.png\" width=\"40\">\n\n[Begin](docs/install.md#then-this) [Licence](LICENSE)\n",
		"LICENSE":             "free\n",
		"docs/README.md":      "# Documents\n\n- [Install](install.md)\n- [Tests](dev/tests.md)\n",
		"docs/dev/tests.md":   "# Tests\n\n[Install](../install.md#then-this)\n",
		"docs/install.md":     "# Install\n\n## Then: `this`\n\n## Then: this\n\n![a](pictures/a.png) [up](../README.md) [here](#then-this-1)\n",
		"docs/pictures/a.png": "a picture",
	}
	maps.Copy(files, changes)
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSite_ValidDocuments_AreWrittenWithPicturesAndLinks(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "site")
	if n, err := build(repository(t, nil), out); err != nil || n != 4 {
		t.Fatalf("%d pages, %v", n, err)
	}
	for name, want := range map[string][]string{
		"index.html":     {`src="pictures/a.png"`, `href="install.html#then-this"`, `href="` + code + `blob/main/LICENSE"`, `aria-current="page"`},
		"install.html":   {`id="then-this"`, `href="#then-this"`, `href="index.html"`, `install.html#then-this-1`, "Install · Bellcord"},
		"contents.html":  {`href="install.html"`, `href="tests.html"`},
		"tests.html":     {`href="install.html#then-this"`},
		"pictures/a.png": {"a picture"},
		"style.css":      {"prefers-color-scheme"},
	} {
		text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		}
		for _, s := range want {
			if !strings.Contains(string(text), s) {
				t.Errorf("%s does not have %s:\n%s", name, s, text)
			}
		}
		if strings.Contains(string(text), "<script") {
			t.Errorf("%s has a script", name)
		}
	}
}

func TestSite_BrokenLink_WritesNothing(t *testing.T) {
	t.Parallel()
	for wrong, document := range map[string]string{
		"no such file":              "# Install\n\n[gone](gone.md)\n\n# Then: this\n",
		"has no such heading":       "# Install\n\n[gone](#gone)\n\n# Then: this\n",
		"leads outside":             "# Install\n\n[out](../../secret)\n\n# Then: this\n",
		"pictures/b.png":            "# Install\n\n![b](pictures/b.png)\n\n# Then: this\n",
		"pictures/c.png":            "# Install\n\nin <img src=\"pictures/c.png\"> a line\n\n# Then: this\n",
		"docs/install.md has no ti": "no title\n\n## Then: this\n",
	} {
		out := filepath.Join(t.TempDir(), "site")
		_, err := build(repository(t, map[string]string{"docs/install.md": document}), out)
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", wrong, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%q: the site was written", wrong)
		}
	}
	twice := repository(t, map[string]string{"docs/dev/install.md": "# Install\n"})
	if _, err := build(twice, t.TempDir()); err == nil || !strings.Contains(err.Error(), "would both be install.html") {
		t.Errorf("two documents with one name: %v", err)
	}
	if _, err := build(repository(t, map[string]string{"docs/lonely.md": "# Lonely\n"}), t.TempDir()); err == nil || !strings.Contains(err.Error(), "does not list docs/lonely.md") {
		t.Errorf("a document that nobody finds: %v", err)
	}
}

func TestSite_DocumentsOfRepository_AreValid(t *testing.T) {
	t.Parallel()
	if n, err := build(filepath.Join("..", ".."), filepath.Join(t.TempDir(), "site")); err != nil || n < 20 {
		t.Errorf("%d pages, %v", n, err)
	}
}
