package tool

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// backgroundLog is the file with the output of a background command. It keeps the
// newest output, at most twice the bytes of half, and begins with a line that says
// how much was left out.
type backgroundLog struct {
	file *os.File
	half int64

	mu      sync.Mutex
	size    int64
	omitted int64 // bytes of output, not counting the line that says so
	line    int64 // bytes of that line
}

// Write implements io.Writer. It never fails: a full disk must not hold the
// command up.
func (l *backgroundLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		part := rest[:min(int64(len(rest)), l.half/2)]
		rest = rest[len(part):]
		if l.size+int64(len(part)) > 2*l.half && l.shorten() != nil {
			return len(p), nil
		}
		n, err := l.file.WriteAt(part, l.size)
		l.size += int64(n)
		if err != nil {
			return len(p), nil //nolint:nilerr // what does not fit is lost
		}
	}
	return len(p), nil
}

// shorten moves the newest half to the beginning of the file, behind the line
// that says what is missing.
func (l *backgroundLog) shorten() error {
	keep := min(l.half, l.size-l.line)
	omitted := l.omitted + l.size - l.line - keep
	line := fmt.Appendf(nil, "[%d bytes of earlier output omitted]\n", omitted)
	// A part has at most a quarter of the bound, so what is dropped is longer than
	// the line: the copy goes to lower places and never overtakes what it reads.
	to := io.NewOffsetWriter(l.file, int64(len(line)))
	if _, err := io.Copy(to, io.NewSectionReader(l.file, l.size-keep, keep)); err != nil {
		return err
	}
	if _, err := l.file.WriteAt(line, 0); err != nil {
		return err
	}
	l.omitted, l.line, l.size = omitted, int64(len(line)), int64(len(line))+keep
	return l.file.Truncate(l.size)
}
