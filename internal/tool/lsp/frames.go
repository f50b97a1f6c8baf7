package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// mostFrame is the size of the largest message that is read. A server with a
// larger one is not usable.
const mostFrame = 16 << 20

// lineReader reads messages with Content-Length headers and returns each as one line,
// which is the framing that jsonrpc reads.
type lineReader struct {
	in   *bufio.Reader
	rest []byte
}

func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		size, err := r.header()
		if err != nil {
			return 0, err
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r.in, body); err != nil {
			return 0, err
		}
		var line bytes.Buffer
		if err := json.Compact(&line, body); err != nil {
			return 0, fmt.Errorf("the language server sent invalid JSON: %w", err)
		}
		line.WriteByte('\n')
		r.rest = line.Bytes()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// header reads the header of a message and returns the length of its body.
func (r *lineReader) header() (int, error) {
	size := -1
	for {
		line, err := r.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return 0, errors.New("the language server sent a header that is too long")
		}
		if err != nil {
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && size >= 0 {
			return size, nil
		}
		name, value, _ := strings.Cut(text, ":")
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		size, err = strconv.Atoi(strings.TrimSpace(value))
		if err != nil || size < 0 || size > mostFrame {
			return 0, fmt.Errorf("the language server sent a message of %s bytes; the limit is %d", strings.TrimSpace(value), mostFrame)
		}
	}
}

// frameWriter writes each line, as jsonrpc writes it, as one message with a header.
type frameWriter struct{ out io.Writer }

func (w frameWriter) Write(p []byte) (int, error) {
	var frames bytes.Buffer
	for line := range bytes.Lines(p) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		fmt.Fprintf(&frames, "Content-Length: %d\r\n\r\n%s", len(line), line)
	}
	if _, err := w.out.Write(frames.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
