// Command recording draws a recording of a terminal: one animated SVG picture without scripts and
// embedded fonts, and stills of the moments that the recording marks. tools/recording/record makes
// a recording.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	from := flag.String("from", "", "`file` with the recording")
	moving := flag.String("moving", "", "`file` for the animated SVG of the whole recording (default none)")
	stills := flag.String("stills", "", "`directory` for an SVG of each marked moment (default none)")
	title := flag.String("title", "terminal", "title above the terminal")
	flag.Parse()
	if err := draw(*from, *moving, *stills, *title); err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func draw(from, moving, stills, title string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	r, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	if moving != "" {
		if err := writeFile(moving, film(title, r.frames)); err != nil {
			return err
		}
	}
	if stills == "" {
		return nil
	}
	for name, still := range r.marked {
		if err := writeFile(filepath.Join(stills, name+".svg"), film(title, []screen{still})); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path, text string) error {
	return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // the file is public
}
