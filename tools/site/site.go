package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// contents links to every document, in the order of the navigation.
const contents = "docs/README.md"

// page is a document, identified by its path in the repository.
type page struct {
	source  string // docs/install.md
	name    string // install.html
	title   string
	text    []byte
	tree    ast.Node
	anchors map[string]bool
}

type site struct {
	root     string
	markdown goldmark.Markdown
	pages    []*page
	bySource map[string]*page
	chapters []chapter
	pictures map[string]string // from paths in the repository to those in the site
}

// chapter is an entry of the navigation.
type chapter struct {
	Title, Name string
	source      string
}

// read reads all documents before any is rendered, because links need every page's headings.
func read(root string) (*site, error) {
	s := &site{
		root: root, bySource: map[string]*page{}, pictures: map[string]string{},
		// The documents are trusted: their HTML is passed through.
		markdown: goldmark.New(goldmark.WithExtensions(extension.GFM),
			goldmark.WithParserOptions(parser.WithAutoHeadingID()), goldmark.WithRendererOptions(html.WithUnsafe())),
	}
	sources := []string{filepath.Join(root, "README.md")}
	for _, dir := range []string{"docs", "docs/dev"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.md"))
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	for _, file := range sources {
		if err := s.readPage(file); err != nil {
			return nil, err
		}
	}
	if s.bySource[contents] == nil || s.bySource["README.md"] == nil {
		return nil, fmt.Errorf("%s or README.md is missing", contents)
	}
	s.chapters = s.chaptersOf(s.bySource[contents])
	return s, nil
}

func (s *site) readPage(file string) error {
	source, err := filepath.Rel(s.root, file)
	if err != nil {
		return err
	}
	p := &page{source: filepath.ToSlash(source), anchors: map[string]bool{}}
	switch p.source {
	case "README.md":
		p.name = "index.html"
	case contents:
		p.name = "contents.html"
	default:
		p.name = strings.TrimSuffix(path.Base(p.source), ".md") + ".html"
	}
	if p.text, err = os.ReadFile(file); err != nil {
		return err
	}
	for _, other := range s.pages {
		if other.name == p.name {
			return fmt.Errorf("%s and %s would both be %s", other.source, p.source, p.name)
		}
	}
	p.tree = s.markdown.Parser().Parse(text.NewReader(p.text), parser.WithContext(parser.NewContext(parser.WithIDs(&slugs{taken: p.anchors}))))
	if p.title = titleOf(p); p.title == "" {
		return fmt.Errorf("%s has no title", p.source)
	}
	s.pages = append(s.pages, p)
	s.bySource[p.source] = p
	return nil
}

func titleOf(p *page) (title string) {
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 1 {
			return words(h, p.text)
		}
	}
	return ""
}

// words returns the text in a node, without its markup.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// chaptersOf returns the links of the contents, each page once.
func (s *site) chaptersOf(p *page) []chapter {
	all := []chapter{{Title: "Bellcord", Name: "index.html", source: "README.md"}}
	seen := map[string]bool{"README.md": true, contents: true}
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		to := s.bySource[path.Join(path.Dir(p.source), string(link.Destination))]
		if to != nil && !seen[to.source] {
			seen[to.source] = true
			all = append(all, chapter{words(link, p.text), to.name, to.source})
		}
		return ast.WalkContinue, nil
	})
	return all
}

// unnamed returns an error for each document that the contents do not link to.
func (s *site) unnamed() (wrong []error) {
	named := map[string]bool{contents: true}
	for _, c := range s.chapters {
		named[c.source] = true
	}
	for _, p := range s.pages {
		if !named[p.source] {
			wrong = append(wrong, fmt.Errorf("%s does not list %s", contents, p.source))
		}
	}
	return wrong
}

// writeSite writes the site and replaces any previous one.
func (s *site) writeSite(out string, files map[string][]byte) error {
	for from, to := range s.pictures {
		picture, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(from)))
		if err != nil {
			return err
		}
		files[to] = picture
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(filepath.Join(out, "pictures"), 0o755)); err != nil { //nolint:gosec // a site is public
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, filepath.FromSlash(name)), text, 0o644); err != nil { //nolint:gosec // the same
			return err
		}
	}
	return nil
}
