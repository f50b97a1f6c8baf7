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

// code is where the files are that are no pages.
const code = "https://github.com/bellcord/bellcord/"

// inMarkup finds addresses in markup that a document has itself.
var inMarkup = regexp.MustCompile(`(src|href|srcset)="([^"]+)"`)

// settle changes a page's links into those of the site. Each is looked up.
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

// settleMarkup does the same to addresses in a page's own markup, which is
// passed on as it is: they are those that still name the repository's folders.
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

// address is where a link of a page leads in the site.
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
