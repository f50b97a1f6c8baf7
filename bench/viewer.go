package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// viewer is a connection that watches a session with as little work as possible: thousands of
// viewers share two cores with the measured server.
type viewer struct {
	conn  net.Conn
	last  int64 // sequence number
	words *atomic.Int64
	lost  *atomic.Int64            // events that were missing or received twice
	lags  func(took time.Duration) // nil: not sampled
}

// watch connects and requests a session's events. It does not read them.
func (v *viewer) watch(ctx context.Context, addr, token, session string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	v.conn = conn
	_, err = fmt.Fprintf(conn, "GET /v1/sessions/%s/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", session, addr, token)
	return err
}

func (v *viewer) read() error {
	lines := bufio.NewReaderSize(v.conn, 4<<10)
	for {
		line, err := lines.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // a long event: only its beginning matters
			_, err = lines.ReadSlice('\n')
		}
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return err
		case bytes.HasPrefix(line, []byte("id: ")):
			seq, _ := strconv.ParseInt(string(bytes.TrimSpace(line[4:])), 10, 64)
			if seq != v.last+1 {
				v.lost.Add(max(1, seq-v.last-1))
			}
			v.last = seq
		case bytes.HasPrefix(line, []byte("data: ")):
			v.countWords(line)
		}
	}
}

// countWords counts the words of an event. If the viewer is sampled, it also measures their age.
func (v *viewer) countWords(line []byte) {
	_, text, is := bytes.Cut(line, []byte(`"kind":"text_delta","body":{"text":"`))
	if !is {
		return
	}
	text, _, _ = bytes.Cut(text, []byte(`"`))
	words := bytes.Fields(text)
	v.words.Add(int64(len(words)))
	if v.lags == nil {
		return
	}
	now := time.Now().UnixNano()
	for _, word := range words {
		if at, err := strconv.ParseInt(string(word), 10, 64); err == nil {
			v.lags(time.Duration(now - at))
		}
	}
}
