package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const (
	mostRead    = 50 << 10 // bytes that one call returns
	mostLines   = 2000     // lines that one call returns
	mostWidth   = 2000     // characters of a line that one call returns
	mostCounted = 64 << 20 // bytes after the last line returned in which lines are counted
)

// pastEnd is returned for an offset after the last line. It is the number of
// lines.
type pastEnd int

func (n pastEnd) Error() string { return fmt.Sprintf("offset is after the last line, %d", int(n)) }

// numbered returns up to limit lines of r from line first on, each with its
// number, and a note if lines are missing. It returns "" for an empty r.
func numbered(ctx context.Context, r io.Reader, first, limit int) (string, error) {
	if limit == 0 || limit > mostLines {
		limit = mostLines
	}
	in := lineReader{ctx: ctx, r: bufio.NewReaderSize(r, 64<<10)}
	var out strings.Builder
	n, crlf := 0, false
	for {
		line, size, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out.String(), err
		}
		if n++; n < first {
			continue
		}
		if n == 1 {
			size -= len(line) - len(bytes.TrimPrefix(line, []byte("\uFEFF")))
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		text := fmt.Sprintf("%d→%s\n", n, narrowed(line, size))
		if n == first+limit || out.Len()+len(text) > mostRead {
			return in.missing(out.String(), first, n, crlf)
		}
		out.WriteString(text)
		crlf = crlf || in.crlf
	}
	if n < first && first > 1 {
		return "", pastEnd(n)
	}
	if first > 1 {
		fmt.Fprintf(&out, "[lines %d-%d of %d]\n", first, n, n)
	}
	return out.String() + crlfNote(crlf), nil
}

// missing adds a note to the lines before line next, which was read but not
// returned: the number of lines, and where to continue.
func (l *lineReader) missing(text string, first, next int, crlf bool) (string, error) {
	rest, all, err := l.count()
	if err != nil {
		return text, err
	}
	more := ""
	if !all {
		more = "more than "
	}
	return text + fmt.Sprintf("[lines %d-%d of %s%d; continue with offset %d]\n", first, next-1, more, next+rest, next) + crlfNote(crlf), nil
}

func crlfNote(crlf bool) string {
	if crlf {
		return "[the lines end in CRLF]\n"
	}
	return ""
}

// narrowed returns the beginning of a line of size bytes as valid text.
func narrowed(line []byte, size int) string {
	text := valid(string(line))
	cut := workspace.CutLine(text, mostWidth)
	if cut == text && size == len(line) {
		return text
	}
	return fmt.Sprintf("%s [cut: the line has %d bytes]", cut, size)
}

// lineReader reads lines of any length, and keeps only the beginning of each.
type lineReader struct {
	ctx  context.Context
	r    *bufio.Reader
	line []byte
	crlf bool // whether the last line ended in CRLF
}

// next returns the beginning of a line and its size, both without the line
// ending. The bytes are valid until the next call.
func (l *lineReader) next() (line []byte, size int, err error) {
	l.line, l.crlf = l.line[:0], false
	for {
		if l.ctx.Err() != nil {
			return nil, 0, context.Cause(l.ctx)
		}
		piece, err := l.r.ReadSlice('\n')
		size += len(piece)
		room := min(len(piece), (mostWidth+1)*utf8.UTFMax-len(l.line))
		l.line = append(l.line, piece[:room]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && size > 0:
			return l.line, size, nil
		case err != nil:
			return nil, 0, err
		}
		end := 1
		if bytes.HasSuffix(piece, []byte("\r\n")) {
			end, l.crlf = 2, true
		}
		size -= end
		return l.line[:min(len(l.line), size)], size, nil
	}
}

// count returns the number of lines that were not read, and whether these are
// all.
func (l *lineReader) count() (lines int, all bool, err error) {
	buffer := make([]byte, 64<<10)
	ended := true
	for size := 0; size < mostCounted; {
		if l.ctx.Err() != nil {
			return 0, false, context.Cause(l.ctx)
		}
		n, err := l.r.Read(buffer)
		size += n
		lines += bytes.Count(buffer[:n], []byte("\n"))
		if n > 0 {
			ended = bytes.HasSuffix(buffer[:n], []byte("\n"))
		}
		if errors.Is(err, io.EOF) {
			if !ended {
				lines++
			}
			return lines, true, nil
		}
		if err != nil {
			return 0, false, err
		}
	}
	return lines, false, nil
}
