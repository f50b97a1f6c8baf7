package client_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/bellcord/bellcord/client"
)

// most is the maximum length of lines in these tests: reading 64 MiB takes
// seconds with the race detector.
const most = 1 << 20

// readAll returns the messages of a stream, as id=data, and its final error.
func readAll(in io.Reader) (got []string, retry time.Duration, err error) {
	m := client.NewMessages(in, most)
	for {
		id, data, err := m.Next()
		if err != nil {
			return got, m.Retry(), err
		}
		got = append(got, id+"="+data)
	}
}

func TestMessages_EventStream_IsParsedAsSpecified(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stream string
		want         []string
		retry        time.Duration
	}{
		{"lines that end with LF", "id: 1\ndata: a\n\nid: 2\ndata: b\n\n", []string{"1=a", "2=b"}, 0},
		{"lines that end with CR", "id: 1\rdata: a\r\rid: 2\rdata: b\r\r", []string{"1=a", "2=b"}, 0},
		{"lines that end with both", "id: 1\r\ndata: a\r\n\r\nid: 2\r\ndata: b\r\n\r\n", []string{"1=a", "2=b"}, 0},
		{"all of them", "data: a\r\ndata: b\rdata: c\n\r\n", []string{"=a\nb\nc"}, 0},
		{"comments", ": \n:\n: data: no\ndata: a\n: in between\n\n", []string{"=a"}, 0},
		{"several lines of data", "data: a\ndata:\ndata: b\n\n", []string{"=a\n\nb"}, 0},
		{"one space is not data, a second is", "data:a\n\ndata:  a\n\n", []string{"=a", "= a"}, 0},
		{"colons in data", "data: {\"a\":1}\n\n", []string{`={"a":1}`}, 0},
		{"a name without a colon", "data\n\ndata\ndata\n\n", []string{"=", "=\n"}, 0},
		{"an id stays for the messages behind it", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []string{"7=a", "7=b", "=c"}, 0},
		{"an id without data is no message but stays", "id: 7\n\ndata: b\n\n", []string{"7=b"}, 0},
		{"an id with a zero byte is none", "id: 7\nid: 8\x00\ndata: a\n\n", []string{"7=a"}, 0},
		{"fields that nobody knows", "event: x\nfoo: y\nData: z\ndata: a\n\n", []string{"=a"}, 0},
		{"a pause to keep", "retry: 1000\n\ndata: a\n\n", []string{"=a"}, time.Second},
		{"pauses that are none", "retry: 1s\nretry: -5\nretry:\nretry: 99999999999999999999\n\n", nil, 0},
		{"a byte order mark", "\ufeffdata: a\n\n\ufeffdata: b\n\n", []string{"=a"}, 0},
		{"what has no end is no message", "data: a\n\ndata: b\n", []string{"=a"}, 0},
		{"a line that has no end", "data: a\n\ndata: b", []string{"=a"}, 0},
		{"nothing", "", nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for how, in := range map[string]io.Reader{
				"at once": strings.NewReader(test.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(test.stream)),
			} {
				got, retry, err := readAll(in)
				if !slices.Equal(got, test.want) || retry != test.retry || !errors.Is(err, io.EOF) {
					t.Errorf("%s: %q, retry %v, %v; want %q, %v", how, got, retry, err, test.want, test.retry)
				}
			}
		})
	}
}

func TestMessages_LineEndsWithCR_DoesNotWaitForTheNextByte(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer r.Close()
	go w.Write([]byte("data: a\r\r"))
	if _, data, err := client.NewMessages(r, most).Next(); data != "a" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestMessages_LineOrMessageTooLong_ReturnsAnError(t *testing.T) {
	t.Parallel()
	if client.MostLine != 64<<20 {
		t.Errorf("a server's line may have %d bytes", client.MostLine)
	}
	long := strings.Repeat("x", most-len("data: "))
	got, _, err := readAll(strings.NewReader("data: " + long + "\n\n"))
	if len(got) != 1 || len(got[0]) != len(long)+1 || !errors.Is(err, io.EOF) {
		t.Errorf("%d messages, %v", len(got), err)
	}
	for name, text := range map[string]string{
		"one more":                  "data: " + long + "x\n\n",
		"a comment":                 ":" + long + long + "\n\n",
		"more in several lines":     "data: " + long + "\ndata: 1234567\n\n",
		"a line without an end":     long + long,
		"lines without a blank one": strings.Repeat("data: "+long[:9999]+"\n", 200),
	} {
		if _, _, err := readAll(strings.NewReader(text)); !errors.Is(err, client.ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzAnEventStreamMeansTheSameHoweverItArrives(f *testing.F) {
	for _, seed := range []string{"id: 1\r\ndata: a\r\n\r\n", "data: a\rdata: b\n\n\r", ":\n\ufeffretry: 5\n\ndata\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		atOnce, retry, _ := readAll(strings.NewReader(string(stream)))
		pieces, again, _ := readAll(iotest.OneByteReader(strings.NewReader(string(stream))))
		if !slices.Equal(atOnce, pieces) || retry != again {
			t.Errorf("%q: %q, %v at once; %q, %v byte by byte", stream, atOnce, retry, pieces, again)
		}
	})
}
