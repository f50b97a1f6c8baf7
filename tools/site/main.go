// Command site converts the documents to HTML pages: no scripts, one stylesheet, every heading with
// an address. A broken link or a missing picture is an error, and so is a document that the
// contents do not link to.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", ".", "`directory` of the repository")
	out := flag.String("out", "dist/site", "`directory` to write; its content is removed first")
	flag.Parse()
	n, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", n, *out)
}

// build writes nothing unless every page is valid.
func build(root, out string) (int, error) {
	s, err := read(root)
	if err != nil {
		return 0, err
	}
	files := map[string][]byte{"style.css": stylesheet}
	var wrong []error
	for _, p := range s.pages {
		text, err := s.render(p)
		files[p.name] = text
		wrong = append(wrong, err)
	}
	if err := errors.Join(append(wrong, s.unnamed()...)...); err != nil {
		return 0, err
	}
	return len(s.pages), s.writeSite(out, files)
}
