package search

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const (
	mostSearch  = 1 << 20 // bytes of a line that are searched, and of a file that are read at once
	fastSearch  = 4 << 10 // bytes that are searched at once, without checking ctx
	mostInLines = 50      // matches that are returned as lines unless max is set
	mostTotal   = 10_000  // matches after which a search ends
	mostFiles   = 200     // files that are returned with their number of matches
)

// Search counts the matches in files, and then returns the matching lines of
// the newest ones, or the counts if there are too many.
type Search struct {
	Expression
	At      workspace.Target
	Dirs    workspace.Dirs
	Context int

	Found  []searched
	total  int
	Binary int // files skipped
	long   int // lines not searched to their end
	buffer []byte
	reader *bufio.Reader
}

// searched is a file with matches.
type searched struct {
	path     string
	modified time.Time
	matches  int
}

// File counts the matches in an entry of a walk.
func (s *Search) File(ctx context.Context, e Entry) error {
	f, err := e.Dir.Open(e.Name())
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil {
		err = workspace.Regular(e.Path, info)
	}
	if err == nil && workspace.Refuses(e.anchors, info, nil) {
		err = fmt.Errorf("%s: %w", workspace.Shown(e.Path), workspace.ErrPrivate)
	}
	if err == nil {
		err = s.Dirs.Private.Readable(s.At.Root.Name(), e.real)
	}
	if err != nil {
		return err
	}
	return s.count(ctx, f, info, e.Path)
}

// Only counts the matches in the target, which is a file.
func (s *Search) Only(ctx context.Context) error {
	f, info, err := workspace.OpenRegular(s.At.Root, s.At.Path, s.Dirs.Private)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.count(ctx, f, info, s.At.Path)
}

// count records the number of matches in an open file. It returns ErrEnough
// when the total is too large.
func (s *Search) count(ctx context.Context, f *os.File, info fs.FileInfo, path string) error {
	if s.buffer == nil {
		s.buffer = make([]byte, 64<<10)
	}
	if want := info.Size() + 1; want > int64(len(s.buffer)) && len(s.buffer) < mostSearch+1 {
		s.buffer = make([]byte, min(max(want, 2*int64(len(s.buffer))), mostSearch+1))
	}
	n, err := io.ReadFull(f, s.buffer)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	data := s.buffer[:n]
	if bytes.IndexByte(data[:min(n, workspace.Peeked)], 0) >= 0 {
		s.Binary++
		return nil
	}
	matches := 0
	if n < len(s.buffer) {
		matches, err = s.inData(ctx, bytes.TrimPrefix(data, []byte("\uFEFF")))
	} else {
		matches, err = s.inStream(ctx, io.MultiReader(bytes.NewReader(data), f))
	}
	if matches > 0 {
		s.Found = append(s.Found, searched{path, info.ModTime(), matches})
		s.total += matches
	}
	if err == nil && s.total >= mostTotal {
		return ErrEnough
	}
	return err
}

// inData counts the lines that match in a whole file.
func (s *Search) inData(ctx context.Context, data []byte) (matches int, err error) {
	if s.missing(data) {
		return 0, nil
	}
	for len(data) > 0 && s.total+matches < mostTotal {
		if ctx.Err() != nil {
			return matches, context.Cause(ctx)
		}
		size := wholeLines(data)
		part := data[:size]
		data = data[size:]
		if s.lines != nil && size <= fastSearch && bytes.IndexByte(part, '\r') < 0 && !s.lines.Match(part) {
			continue
		}
		for line := range bytes.SplitAfterSeq(part, []byte("\n")) {
			if len(line) > 0 && s.total+matches < mostTotal && s.match(ctx, trimEnd(line)) != nil {
				matches++
			}
		}
	}
	if ctx.Err() != nil {
		return matches, context.Cause(ctx)
	}
	return matches, nil
}

// wholeLines returns the size of the lines at the beginning of data that are
// searched at once: as many as fit in fastSearch, but at least one.
func wholeLines(data []byte) int {
	if len(data) <= fastSearch {
		return len(data)
	}
	if end := bytes.LastIndexByte(data[:fastSearch], '\n'); end >= 0 {
		return end + 1
	}
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end + 1
	}
	return len(data)
}

// inStream counts the lines that match in a file that is too large to read at
// once.
func (s *Search) inStream(ctx context.Context, r io.Reader) (matches int, err error) {
	lines := s.read(r)
	for n := 1; s.total+matches < mostTotal; n++ {
		line, err := s.next(ctx, lines, n)
		if errors.Is(err, io.EOF) {
			return matches, nil
		}
		if err != nil {
			return matches, err
		}
		if s.match(ctx, line) != nil && ctx.Err() == nil {
			matches++
		}
	}
	return matches, nil
}

// match returns the location of the first match in a line, or nil. A long line
// is passed rune by rune, so that a stop can interrupt a slow expression.
func (s *Search) match(ctx context.Context, line []byte) []int {
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

// sort puts the newest files first.
func (s *Search) sort() {
	slices.SortStableFunc(s.Found, func(a, b searched) int { return b.modified.Compare(a.modified) })
}

// Counts returns the files with their number of matches.
func (s *Search) Counts() string {
	var out strings.Builder
	for i, f := range s.Found {
		if i == mostFiles {
			fmt.Fprintf(&out, "[and %s]\n", plural.Count(len(s.Found)-i, "more file"))
			break
		}
		fmt.Fprintf(&out, "%s (%s)\n", workspace.Shown(s.Dirs.Reported(s.At.Root, f.path)), plural.Count(f.matches, "match"))
	}
	return out.String()
}
