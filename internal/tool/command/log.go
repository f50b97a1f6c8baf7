package command

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// Log is the file with the output of a background command. It keeps
// the newest output, at most 2*half bytes, and begins with a line that contains
// the number of omitted bytes.
type Log struct {
	File *os.File
	Half int64

	mu      sync.Mutex
	size    int64
	omitted int64 // bytes of output, not counting the first line
	line    int64 // length of the first line
}

// Write implements io.Writer. It never fails: a full disk must not block the
// command.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		part := rest[:min(int64(len(rest)), l.Half/2)]
		rest = rest[len(part):]
		if l.size+int64(len(part)) > 2*l.Half && l.shorten() != nil {
			return len(p), nil
		}
		n, err := l.File.WriteAt(part, l.size)
		l.size += int64(n)
		if err != nil {
			return len(p), nil //nolint:nilerr // output that cannot be written is dropped
		}
	}
	return len(p), nil
}

// shorten moves the newest half bytes to the beginning of the file, after the
// line with the number of omitted bytes.
func (l *Log) shorten() error {
	keep := min(l.Half, l.size-l.line)
	omitted := l.omitted + l.size - l.line - keep
	line := fmt.Appendf(nil, "[%d bytes of earlier output omitted]\n", omitted)
	// A part has at most a quarter of the maximum size, so more is dropped than
	// the line is long: the copy moves to lower offsets and never overwrites bytes
	// that it still has to read.
	to := io.NewOffsetWriter(l.File, int64(len(line)))
	if _, err := io.Copy(to, io.NewSectionReader(l.File, l.size-keep, keep)); err != nil {
		return err
	}
	if _, err := l.File.WriteAt(line, 0); err != nil {
		return err
	}
	l.omitted, l.line, l.size = omitted, int64(len(line)), int64(len(line))+keep
	return l.File.Truncate(l.size)
}
