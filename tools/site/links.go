package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// code is the address of files that are not pages.
const code = "https://github.com/bellcord/bellcord/"

// inMarkup matches addresses in a document's HTML.
var inMarkup = regexp.MustCompile(`(src|href|srcset)="([^"]+)"`)

// settle replaces a page's links with those of the site, and checks each.
func (s *site) settle(p *page) error {
	var wrong []error
	change := func(to string) string {
		place, err := s.address(p, to)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %q: %w", p.source, to, err))
		}
		return place
	}
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(change(string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(change(string(n.Destination)))
		}
		return ast.WalkContinue, nil
	})
	return errors.Join(wrong...)
}

// settleMarkup does the same for addresses in a page's HTML, which is otherwise passed through
// unchanged.
func (s *site) settleMarkup(p *page, markup []byte) ([]byte, error) {
	var wrong []error
	done := inMarkup.ReplaceAllFunc(markup, func(found []byte) []byte {
		parts := inMarkup.FindSubmatch(found)
		to, err := s.address(p, string(parts[2]))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %q: %w", p.source, parts[2], err))
		}
		return fmt.Appendf(nil, `%s="%s"`, parts[1], to)
	})
	return done, errors.Join(wrong...)
}

// address returns the address in the site to which a page's link leads.
func (s *site) address(p *page, to string) (string, error) {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return to, nil
	}
	file, anchor, _ := strings.Cut(to, "#")
	place := p.source
	if file != "" {
		place = path.Join(path.Dir(p.source), file)
	}
	if target := s.bySource[place]; target != nil {
		return target.at(anchor)
	}
	if strings.HasPrefix(place, "..") {
		return "", errors.New("the link leads outside the repository")
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(place)))
	switch {
	case err != nil:
		return "", errors.New("no such file")
	case path.Dir(place) == "docs/pictures":
		s.pictures[place] = "pictures/" + path.Base(place)
		return s.pictures[place], nil
	case info.IsDir():
		return code + "tree/main/" + place, nil
	}
	return code + "blob/main/" + place, nil
}

func (p *page) at(anchor string) (string, error) {
	switch {
	case anchor == "":
		return p.name, nil
	case !p.anchors[anchor]:
		return "", fmt.Errorf("%s has no such heading", p.source)
	}
	return p.name + "#" + anchor, nil
}
