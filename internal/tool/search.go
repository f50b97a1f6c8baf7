package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	mostLine   = 400     // characters of a line in the output
	mostSearch = 1 << 20 // bytes of a line that are searched
	fastSearch = 4 << 10 // bytes that are searched at once, without checking ctx
	peeked     = 8000    // a zero byte within these makes a file binary, as in git
)

// search searches files one after the other and collects the output.
type search struct {
	root    *os.Root
	private Private
	re      *regexp.Regexp
	context int
	most    int // maximum number of matches

	out     strings.Builder
	matches int
	binary  int // files skipped
	long    int // lines not searched to their end

	before []string // lines that are context if the next one matches
	after  int      // lines still to show as context
	shown  int      // the last line shown of this file, -1 if none
}

// file searches one file. It keeps one line at a time in memory.
func (s *search) file(ctx context.Context, path string) error {
	f, _, err := openRegular(s.root, path, s.private)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r := bufio.NewReaderSize(f, 64<<10)
	if head, err := r.Peek(peeked); err != nil && !errors.Is(err, io.EOF) {
		return err
	} else if bytes.IndexByte(head, 0) >= 0 {
		s.binary++
		return nil
	}
	s.before, s.after, s.shown = s.before[:0], 0, -1
	for n := 1; ; n++ {
		line, err := s.next(ctx, r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		at := s.match(ctx, line)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.writeLine(shown(path), n, line, at); err != nil {
			return err
		}
	}
}

// next reads a line without its line ending, at most mostSearch bytes of it.
func (s *search) next(ctx context.Context, r *bufio.Reader) ([]byte, error) {
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
		if long == nil {
			return bytes.TrimSuffix(bytes.TrimSuffix(piece, []byte("\n")), []byte("\r")), nil
		}
		if long = append(long, piece...); left || len(long) > mostSearch {
			s.long++
			long = long[:mostSearch]
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(long, []byte("\n")), []byte("\r")), nil
	}
}

// match returns the location of the first match in a line, or nil. A long line
// is passed rune by rune, so that a stop can interrupt a slow expression.
func (s *search) match(ctx context.Context, line []byte) []int {
	if len(line) <= fastSearch {
		return s.re.FindIndex(line)
	}
	return s.re.FindReaderIndex(&runes{ctx: ctx, rest: line})
}

// runes reads the runes of a line. It returns io.EOF when ctx ends.
type runes struct {
	ctx  context.Context
	rest []byte
}

func (r *runes) ReadRune() (rune, int, error) {
	if len(r.rest) == 0 || r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRune(r.rest)
	r.rest = r.rest[size:]
	return c, size, nil
}

// writeLine writes a line that matches or is near a match. It returns errEnough
// at the first match beyond the limit, which proves that results are omitted.
func (s *search) writeLine(path string, n int, line []byte, at []int) error {
	switch {
	case at != nil && (s.matches == s.most || s.out.Len() > mostRead):
		return errEnough
	case at != nil:
		first := n - len(s.before)
		if s.context > 0 && s.out.Len() > 0 && first != s.shown+1 {
			s.out.WriteString("--\n")
		}
		for i, text := range s.before {
			fmt.Fprintf(&s.out, "%s-%d-%s\n", path, first+i, text)
		}
		fmt.Fprintf(&s.out, "%s:%d:%s\n", path, n, excerptAt(line, at[0]))
		s.matches++
		s.before, s.after, s.shown = s.before[:0], s.context, n
	case s.after > 0:
		fmt.Fprintf(&s.out, "%s-%d-%s\n", path, n, excerptAt(line, 0))
		s.after, s.shown = s.after-1, n
	case s.context > 0:
		if len(s.before) == s.context {
			s.before = append(s.before[:0], s.before[1:]...)
		}
		s.before = append(s.before, excerptAt(line, 0))
	}
	return nil
}

// note reports how many lines were searched only in part, or returns "".
func (s *search) note() string {
	if s.long == 0 {
		return ""
	}
	return fmt.Sprintf("[%d long %s searched only in the first %d bytes]\n", s.long, plural(s.long, "line"), mostSearch)
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
	return dots + cutLine(strings.ToValidUTF8(string(line), "\uFFFD"), mostLine)
}
