package acpnet_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acpbridge"
	"github.com/bellcord/bellcord/internal/testkit/short"
	"github.com/bellcord/bellcord/internal/websocket"
)

// lineWire is the editor's end of a bridge.
type lineWire struct {
	out io.WriteCloser

	mu   sync.Mutex
	conn *websocket.Conn // of the bridge
	down bool            // the server cannot be reached
}

func (w *lineWire) send(message []byte) error {
	_, err := w.out.Write(append(message, '\n'))
	return err
}

func (w *lineWire) cut() { _ = w.out.Close() }

// lose cuts the connection of the bridge.
func (w *lineWire) lose(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
	if w.conn != nil {
		w.conn.Cut()
	}
}

var errDown = errors.New("no route to host")

// bridge starts a bridge and returns its editor, and the bridge's result.
func (s *stage) bridge(user string, change func(*acpbridge.Config)) (*client, <-chan error) {
	s.t.Helper()
	c, ended, hello := s.bridgeWith(user, change, obj{"protocolVersion": 1, "clientCapabilities": obj{}})
	if err := hello.failure(); err != nil {
		s.t.Fatal(err)
	}
	return c, ended
}

// bridgeWith is bridge with the parameters of initialize. It also returns the
// response.
func (s *stage) bridgeWith(user string, change func(*acpbridge.Config), hello obj) (*client, <-chan error, frame) {
	s.t.Helper()
	in, out := io.Pipe()
	read, write := io.Pipe()
	c := newClient(s.t)
	w := &lineWire{out: out}
	c.wire = w
	config := acpbridge.Config{In: in, Out: write, Patience: patient, Dial: func(ctx context.Context) (*websocket.Conn, error) {
		w.mu.Lock()
		down := w.down
		w.mu.Unlock()
		if down {
			return nil, errDown
		}
		conn, err := websocket.Dial(ctx, &http.Client{}, s.url, http.Header{"Authorization": {"Bearer " + s.tokens[user]}}, acpbridge.MostMessage)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.conn = conn
		return conn, err
	}}
	if change != nil {
		change(&config)
	}
	ended := make(chan error, 1)
	go func() {
		err := acpbridge.Run(context.Background(), config)
		_ = write.Close()
		ended <- err
	}()
	go func() {
		lines := bufio.NewScanner(read)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			c.take(lines.Bytes())
		}
		c.end(io.EOF)
	}()
	s.t.Cleanup(w.cut)
	return c, ended, c.request("initialize", hello)
}

// The editor behind a bridge does not notice that connections are lost: it gets
// every update and every response once.
func TestBridge_ConnectionsCutDuringTurns_EditorNoticesNothing(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	s := newStage(t, nil)
	c, ended := s.bridge("anna", nil)
	w := c.wire.(*lineWire)
	session := c.newSession(nil)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
	lost, turns := 0, 0
	for lost < *cuts/2 {
		turns++
		begin := len(c.seen())
		id := c.send("session/prompt", prompt(session, "work 6", ""))
		for range 1 + random.IntN(3) {
			more := random.IntN(25)
			f, _, err := c.find(func(f frame) bool { return isAnswer(id)(f) || len(c.seen()) >= begin+more })
			if err != nil {
				t.Fatal(err)
			}
			if isAnswer(id)(f) {
				break
			}
			w.lose(false)
			lost++
			begin = len(c.seen())
		}
		if f := c.answer(id); f.Result["stopReason"] != "end_turn" {
			t.Fatalf("seed %d, turn %d: answered %+v", seed, turns, f)
		}
	}
	answers := map[string]int{}
	var got []mark
	for _, f := range c.seen() {
		if f.Method == "" {
			answers[string(f.ID)]++
		}
		if f.kind() == "user_message_chunk" {
			t.Errorf("the editor's prompt came back: %+v", f)
		}
		if m, is := markOf(f); is {
			got = append(got, m)
		}
	}
	for id, n := range answers {
		if n != 1 {
			t.Errorf("request %s has %d answers", id, n)
		}
	}
	if want := expected(s.log(session)); !slices.Equal(got, want) {
		t.Errorf("seed %d: got\n%v\nwant\n%v", seed, got, want)
	}
	if s.ran() != turns {
		t.Errorf("%d prompts, but the agent ran %d times", turns, s.ran())
	}
	t.Logf("%d cuts in %d turns, %d updates compared", lost, turns, len(got))
	w.cut()
	if err := <-ended; err != nil {
		t.Errorf("the bridge ended with %v", err)
	}
}

// A cancel that the editor sends while there is no connection stops the prompt
// when there is one again.
func TestBridge_CancelWithoutConnection_StopsThePromptLater(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c, _ := s.bridge("anna", nil)
	w := c.wire.(*lineWire)
	session := c.newSession(nil)
	for range 5 {
		id := c.send("session/prompt", prompt(session, "hang on", ""))
		begin := len(c.seen())
		c.await("text", func(frame) bool { return len(c.seen()) > begin })
		w.lose(true)
		c.notify("session/cancel", obj{"sessionId": session})
		next := c.send("session/prompt", prompt(session, "say next", ""))
		w.lose(false)
		if f := c.answer(id); f.Result["stopReason"] != "cancelled" {
			t.Fatalf("answered %+v", f)
		}
		if f := c.answer(next); f.Result["stopReason"] != "end_turn" {
			t.Fatalf("the prompt after the cancel was answered %+v", f)
		}
	}
}

// A question is shown once, although its connection was lost, and its answer
// arrives.
func TestBridge_QuestionDuringACut_IsAskedOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c, _ := s.bridge("anna", nil)
	w := c.wire.(*lineWire)
	session := c.newSession(nil)
	for i := range 3 {
		id := c.send("session/prompt", prompt(session, "ask the question", ""))
		isQuestion := func(f frame) bool { return f.Method == "session/request_permission" }
		count := func() (n int, last frame) {
			for _, f := range c.seen() {
				if isQuestion(f) {
					n, last = n+1, f
				}
			}
			return n, last
		}
		c.await("the question", func(frame) bool { n, _ := count(); return n == i+1 })
		w.lose(i == 1) // the second time, it is answered without a connection
		_, f := count()
		c.respond(session, f.ID, obj{"outcome": obj{"outcome": "selected", "optionId": "yes"}})
		w.lose(false)
		if f := c.answer(id); f.Result["stopReason"] != "end_turn" {
			t.Fatalf("answered %+v", f)
		}
		if n, _ := count(); n != i+1 {
			t.Errorf("%d questions were shown, want %d", n, i+1)
		}
	}
}

func TestBridge_EditorLeaves_TurnsContinueUnlessItChoseStop(t *testing.T) {
	t.Parallel()
	for _, stop := range []bool{false, true} {
		t.Run(fmt.Sprint("stop ", stop), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			c, ended := s.bridge("anna", func(with *acpbridge.Config) { with.StopOnDisconnect = stop })
			session, turn := c.newSession(nil), string(bellcord.NewTurnID())
			c.send("session/prompt", prompt(session, "hang on", turn))
			c.awaitText("on")
			c.wire.cut()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			r, err := s.hub.Turn(t.Context(), bellcord.TurnID(turn))
			if err != nil || (r.Receipt != nil) != stop {
				t.Errorf("the turn is %+v, %v", r, err)
			}
		})
	}
}

func TestBridge_ServerGone_FailsThePromptAndEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c, ended := s.bridge("anna", func(with *acpbridge.Config) { with.Patience = 300 * time.Millisecond })
	session := c.newSession(nil)
	id := c.send("session/prompt", prompt(session, "hang on", ""))
	c.awaitText("on")
	c.wire.(*lineWire).lose(true)
	if f := c.answer(id); f.Error == nil {
		t.Errorf("answered %+v", f)
	}
	if err := <-ended; !errors.Is(err, errDown) {
		t.Errorf("the bridge ended with %v", err)
	}
}

// The bridge restores sessions of version 1 only, so it offers no other version.
func TestBridge_ClientOffersVersion2_NegotiatesVersion1(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	_, _, f := s.bridgeWith("anna", nil, obj{"protocolVersion": 2, "info": obj{"name": "zed", "version": "1"}, "clientCapabilities": obj{}})
	if err := f.failure(); err != nil || f.Result["protocolVersion"] != 1.0 {
		t.Errorf("negotiated %v, %v", f.Result, err)
	}
}
