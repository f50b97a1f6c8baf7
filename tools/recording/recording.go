package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A recording is text. Each screen begins with a record separator and its time in milliseconds,
// followed by the cursor (column,row,shown) and the rows as tmux captures them. A group separator
// and a name mark the previous screen.
const (
	screenBegins = "\x1e"
	markBegins   = "\x1d"
)

// screen is the content of a terminal, from a moment on.
type screen struct {
	at     time.Duration
	cursor cursor
	rows   []string
}

type cursor struct {
	column, row int
	shown       bool
}

type recording struct {
	frames []screen
	marked map[string]screen
}

func parse(text string) (recording, error) {
	r := recording{marked: map[string]screen{}}
	_, rest, _ := strings.Cut(text, screenBegins)
	for part := range strings.SplitSeq(rest, screenBegins) {
		body, marks, _ := strings.Cut(part, markBegins)
		s, err := parseScreen(body)
		if err != nil {
			return r, fmt.Errorf("screen %d: %w", len(r.frames)+1, err)
		}
		r.addScreen(s)
		for name := range strings.SplitSeq(marks, markBegins) {
			if name = strings.TrimSpace(name); name != "" {
				r.marked[name] = s
			}
		}
	}
	if len(r.frames) == 0 {
		return r, errors.New("the recording has no screens")
	}
	return r, nil
}

// addScreen adds a screen unless it shows the same as the previous one.
func (r *recording) addScreen(s screen) {
	if n := len(r.frames); n > 0 && r.frames[n-1].cursor == s.cursor && slices.Equal(r.frames[n-1].rows, s.rows) {
		return
	}
	r.frames = append(r.frames, s)
}

func parseScreen(body string) (screen, error) {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if len(lines) < 2 {
		return screen{}, errors.New("the screen ends before its rows")
	}
	var ms int64
	if _, err := fmt.Sscan(lines[0], &ms); err != nil {
		return screen{}, fmt.Errorf("time: %w", err)
	}
	s := screen{at: time.Duration(ms) * time.Millisecond, rows: lines[2:]}
	shown := 0
	if _, err := fmt.Sscanf(lines[1], "%d,%d,%d", &s.cursor.column, &s.cursor.row, &shown); err != nil {
		return screen{}, fmt.Errorf("cursor: %w", err)
	}
	s.cursor.shown = shown == 1
	return s, nil
}
