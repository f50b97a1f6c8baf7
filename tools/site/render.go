package main

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"slices"

	"github.com/yuin/goldmark/ast"
)

//go:embed style.css
var stylesheet []byte

//go:embed page.html
var frame string

var pageTemplate = template.Must(template.New("page").Parse(frame))

// render returns a page with its navigation.
func (s *site) render(p *page) ([]byte, error) {
	if err := s.settle(p); err != nil {
		return nil, err
	}
	wrong := s.raw(p)
	address(p.tree)
	var body, out bytes.Buffer
	if err := errors.Join(wrong, s.markdown.Renderer().Render(&body, p.text, p.tree)); err != nil {
		return nil, err
	}
	view := struct {
		Title, Name    string
		Body           template.HTML
		Chapters       []chapter
		Before, Behind *chapter
	}{Title: p.title, Name: p.name, Body: template.HTML(body.String()), Chapters: s.chapters} //nolint:gosec // our own documents
	if i := slices.IndexFunc(s.chapters, func(c chapter) bool { return c.source == p.source }); i >= 0 {
		if i > 0 {
			view.Before = &s.chapters[i-1]
		}
		if i+1 < len(s.chapters) {
			view.Behind = &s.chapters[i+1]
		}
	}
	err := pageTemplate.Execute(&out, view)
	return out.Bytes(), err
}

// raw replaces a page's HTML with the settled HTML.
func (s *site) raw(p *page) error {
	var wrong []error
	var found []ast.Node
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if k := n.Kind(); entering && (k == ast.KindHTMLBlock || k == ast.KindRawHTML) {
			found = append(found, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		text, err := s.settleMarkup(p, markupOf(n, p.text))
		wrong = append(wrong, err)
		replacement := ast.NewString(text)
		replacement.SetCode(true) // unchanged
		n.Parent().ReplaceChild(n.Parent(), n, replacement)
	}
	return errors.Join(wrong...)
}

func markupOf(n ast.Node, source []byte) (markup []byte) {
	switch n := n.(type) {
	case *ast.HTMLBlock:
		markup = n.Lines().Value(source)
		if n.HasClosure() {
			markup = append(markup, n.ClosureLine.Value(source)...)
		}
	case *ast.RawHTML:
		markup = n.Segments.Value(source)
	}
	return markup
}

// address gives every heading a link to itself.
func address(tree ast.Node) {
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		id, known := h.AttributeString("id")
		name, isText := id.([]byte)
		if known && isText {
			link := ast.NewLink()
			link.Destination = append([]byte("#"), name...)
			link.SetAttributeString("class", []byte("anchor"))
			link.SetAttributeString("aria-label", []byte("link to this heading"))
			link.AppendChild(link, ast.NewString([]byte("#")))
			h.AppendChild(h, link)
		}
		return ast.WalkSkipChildren, nil
	})
}
