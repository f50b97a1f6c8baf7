//go:build unix

package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// look is how the terminal shows a character.
type look struct {
	colour   int // the SGR code of the foreground; 0 is the terminal's default
	reversed bool
}

// The colours of the tests, as SGR codes.
const (
	noColour = 0
	green    = 32
	yellow   = 33
	blue     = 34
	magenta  = 35
	cyan     = 36
)

var sgr = regexp.MustCompile(`^\x1b\[([0-9;]*)m`)

// looks returns the looks of the characters of a text where it is last on the
// screen. Neighbours with the same look are one, and spaces have none.
func (c *talk) looks(text string) []look {
	c.t.Helper()
	plain, all, now := "", []look(nil), look{} // all has the look of each byte of plain
	for rest := c.tmux("capture-pane", "-p", "-e"); rest != ""; {
		if m := sgr.FindStringSubmatch(rest); m != nil {
			now, rest = now.after(m[1]), rest[len(m[0]):]
			continue
		}
		plain, all, rest = plain+rest[:1], append(all, now), rest[1:]
	}
	from := strings.LastIndex(plain, text)
	if from < 0 {
		c.t.Fatalf("%q is not on the screen:\n%s", text, plain)
	}
	var found []look
	for i := from; i < from+len(text); i++ {
		if plain[i] != ' ' {
			found = append(found, all[i])
		}
	}
	return slices.Compact(found)
}

// after returns the look after an SGR sequence with these codes.
func (l look) after(codes string) look {
	for code := range strings.SplitSeq(codes, ";") {
		switch n, _ := strconv.Atoi(code); {
		case n == 0:
			l = look{}
		case n == 7:
			l.reversed = true
		case n == 27:
			l.reversed = false
		case n == 39:
			l.colour = noColour
		case n >= 30 && n < 38:
			l.colour = n
		}
	}
	return l
}

// shows compares the looks of texts on the screen.
func (c *talk) shows(want map[string][]look) {
	c.t.Helper()
	for text, looks := range want {
		if got := c.looks(text); !slices.Equal(got, looks) {
			c.t.Errorf("%q has the looks %v, expected %v", text, got, looks)
		}
	}
}

// entersLines types a prompt of several lines and sends it.
func (c *talk) entersLines(lines ...string) {
	for i, line := range lines {
		if i > 0 {
			c.types("C-j")
		}
		if line != "" {
			c.types("-l", line)
		}
	}
	c.types("Enter")
}

func TestChat_EditQuestion_ColoursItsDiffAndReversesChangedWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	linesFile(t, filepath.Join(w.dir, "list.txt"))
	c := w.chats()
	c.enters(`[tool edit_file {"path":"list.txt","old":"line k","new":"line K\nline extra"}]`)
	c.sees("? Edit list.txt?")
	c.sees("  12 + line extra\n")
	c.shows(map[string][]look{
		"− line k":     {{colour: yellow}, {yellow, true}},
		"+ line K":     {{colour: green}, {green, true}},
		"+ line extra": {{colour: green}},
		"  line j":     {{}},
	})
}

func TestChat_Theme_SelectsTheColoursOfCodeAndDiffs(t *testing.T) {
	t.Parallel()
	for theme, colours := range map[string]struct{ keyword, text, number, added, removed int }{
		"dark":  {magenta, green, cyan, green, yellow},
		"light": {blue, green, blue, green, magenta},
		"plain": {},
	} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			linesFile(t, filepath.Join(w.dir, "list.txt"))
			c := w.chats("--config", w.writeFile("config.toml", "theme = \""+theme+"\"\n", 0o600))
			c.entersLines("[say Look:", "", "```go", `return "words", 7531`, "```", "", "That is all.]")
			c.sees("● done")
			c.enters(`[tool edit_file {"path":"list.txt","old":"line k","new":"line K"}]`)
			c.sees("? Edit list.txt?")
			c.sees("  11 + line K\n")
			c.shows(map[string][]look{
				"return":   {{colour: colours.keyword}},
				`"words"`:  {{colour: colours.text}},
				"7531":     {{colour: colours.number}},
				"− line k": {{colour: colours.removed}, {colours.removed, true}},
				"+ line K": {{colour: colours.added}, {colours.added, true}},
			})
		})
	}
}
