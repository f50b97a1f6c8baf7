package search

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const (
	mostLine   = 400      // characters of a line in the output
	mostOutput = 50 << 10 // bytes of the output
)

// Output returns the result of a search: the lines that match, at most most of
// them, or the number of matches in each file if most is 0 and there are too
// many. ended reports that the search ended early.
func (s *Search) Output(ctx context.Context, most int, ended bool) (out, cut string, err error) {
	s.sort()
	total := fmt.Sprintf("%s in %s", plural.Count(s.total, "match"), plural.Count(len(s.Found), "file"))
	if ended {
		total = "more than " + total + "; the search ended there"
	}
	if most == 0 && s.total > mostInLines {
		return s.Counts(), fmt.Sprintf("[%s; narrow the search, or set max to get lines]\n", total), nil
	}
	if most == 0 {
		most = mostInLines
	}
	l := lineOutput{Search: s, most: most}
	for _, f := range s.Found {
		if err = l.file(ctx, f.path); err != nil {
			break
		}
	}
	if errors.Is(err, ErrEnough) {
		cut, err = fmt.Sprintf("[cut after %s: there are %s; narrow the search]\n", plural.Count(l.matches, "match"), total), nil
	}
	return l.out.String(), cut, err
}

// Note reports what was not searched, or returns "".
func (s *Search) Note() string {
	note := ""
	if s.long > 0 {
		note = fmt.Sprintf("[%s searched only in the first %d bytes]\n", plural.Count(s.long, "long line"), mostSearch)
	}
	if s.total == 0 && s.Binary > 0 {
		note += fmt.Sprintf("[%s not searched]\n", plural.Count(s.Binary, "binary file"))
	}
	return note
}

// lineOutput collects the lines that match, with the lines around them.
type lineOutput struct {
	*Search
	most int // maximum number of matches

	out     strings.Builder
	matches int
	before  []string // lines that are context if the next one matches
	after   int      // lines still to show as context
	last    int      // the last line shown of this file, -1 if none
}

// file adds the lines of one file. It keeps one line at a time in memory.
func (l *lineOutput) file(ctx context.Context, path string) error {
	f, _, err := workspace.OpenRegular(l.At.Root, path, l.Dirs.Private)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	name, r, long := workspace.Shown(l.Dirs.Reported(l.At.Root, path)), l.read(f), l.long
	defer func() { l.long = long }() // counted before
	l.before, l.after, l.last = l.before[:0], 0, -1
	for n := 1; ; n++ {
		line, err := l.next(ctx, r, n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		at := l.match(ctx, line)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := l.add(name, n, line, at); err != nil {
			return err
		}
	}
}

// add adds a line that matches or is near a match. It returns ErrEnough at the
// first match beyond the limit, which proves that results are omitted.
func (l *lineOutput) add(path string, n int, line []byte, at []int) error {
	switch {
	case at != nil && (l.matches == l.most || l.out.Len() > mostOutput):
		return ErrEnough
	case at != nil:
		first := n - len(l.before)
		if l.Context > 0 && l.out.Len() > 0 && first != l.last+1 {
			l.out.WriteString("--\n")
		}
		for i, text := range l.before {
			fmt.Fprintf(&l.out, "%s-%d-%s\n", path, first+i, text)
		}
		fmt.Fprintf(&l.out, "%s:%d:%s\n", path, n, excerptAt(line, at[0]))
		l.matches++
		l.before, l.after, l.last = l.before[:0], l.Context, n
	case l.after > 0:
		fmt.Fprintf(&l.out, "%s-%d-%s\n", path, n, excerptAt(line, 0))
		l.after, l.last = l.after-1, n
	case l.Context > 0:
		if len(l.before) == l.Context {
			l.before = append(l.before[:0], l.before[1:]...)
		}
		l.before = append(l.before, excerptAt(line, 0))
	}
	return nil
}

// read returns a buffered reader, which the next call uses again.
func (s *Search) read(r io.Reader) *bufio.Reader {
	if s.reader == nil {
		s.reader = bufio.NewReaderSize(r, 64<<10)
	}
	s.reader.Reset(r)
	return s.reader
}

// next reads line n without its line ending, at most mostSearch bytes of it.
func (s *Search) next(ctx context.Context, r *bufio.Reader, n int) ([]byte, error) {
	var long []byte
	left := false
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		piece, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			room := min(len(piece), mostSearch-len(long))
			left = left || room < len(piece)
			long = append(long, piece[:room]...)
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(piece)+len(long) == 0):
			return nil, err
		}
		if n == 1 && long == nil {
			piece = bytes.TrimPrefix(piece, []byte("\uFEFF"))
		}
		if long == nil {
			return trimEnd(piece), nil
		}
		if long = append(long, piece...); left || len(long) > mostSearch {
			s.long++
			long = long[:mostSearch]
		}
		return trimEnd(long), nil
	}
}

// trimEnd removes the line ending.
func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// excerptAt returns the part of a line to show: from its start, or from shortly
// before the match if that would be cut off.
func excerptAt(line []byte, match int) string {
	dots := ""
	if match > mostLine/2 && len(line) > mostLine {
		line, dots = line[match-mostLine/4:], "…"
		for len(line) > 0 && !utf8.RuneStart(line[0]) {
			line = line[1:]
		}
	}
	line = line[:min(len(line), (mostLine+1)*utf8.UTFMax)]
	return dots + workspace.CutLine(strings.ToValidUTF8(string(line), "\uFFFD"), mostLine)
}
