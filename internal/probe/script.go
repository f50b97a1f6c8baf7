package probe

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// script is a prompt and the nonce in it that identifies its model requests.
type script struct{ text, nonce string }

func newNonce() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return "probe-" + hex.EncodeToString(b[:])
}

const wordPace = 20 * time.Millisecond

// long returns a prompt for a turn that produces text for most of Patience. If
// a stop is lost, the turn still ends by itself within Patience, so the loss is
// visible.
func (t *trial) long() script { return t.talk(t.opts.Patience * 5 / 6) }

func (t *trial) talk(most time.Duration) script {
	nonce := newNonce()
	if !t.target.scripted() {
		return script{nonce + ": count from one to two thousand in words, a line for each. Use no tools.", nonce}
	}
	return script{fmt.Sprintf("%s [slow %d %s]", nonce, most/wordPace, wordPace), nonce}
}

// short returns a prompt for a turn that ends immediately.
func (t *trial) short() script {
	nonce := newNonce()
	if !t.target.scripted() {
		return script{nonce + ": answer with the one word ok. Use no tools.", nonce}
	}
	return script{fmt.Sprintf("%s [say %s]", nonce, shortReply(nonce)), nonce}
}

// shortReply returns the scripted answer of a short turn.
func shortReply(nonce string) string { return "answer-" + strings.TrimPrefix(nonce, "probe-") }

// sleepers returns a prompt for a turn with a shell command that starts two
// processes, which sleep for years. All of its processes have the token in
// their command lines. The command runs only once: an agent that drops a
// stopped turn may send its prompt again together with the next one, and the
// model would follow both.
func (t *trial) sleepers() (s script, token string) {
	n, _ := rand.Int(rand.Reader, big.NewInt(10_000_000)) // never fails
	token = fmt.Sprintf("4%07d", n)
	nonce := newNonce()
	once := onceOf(token)
	t.litter = append(t.litter, once)
	args := t.target.ShellArgs(fmt.Sprintf("mkdir %s && { sleep %s1 & sleep %s2; }", once, token, token))
	return script{fmt.Sprintf("%s [tool %s %s]", nonce, t.target.ShellTool, args), nonce}, token
}

// asleep waits until both processes are running. It returns false when the time
// is over or quit returns true.
func asleep(ctx context.Context, token string, within time.Duration, quit func() bool) bool {
	limited, done := context.WithTimeout(ctx, within)
	defer done()
	for limited.Err() == nil {
		if sleeping(token) >= 2 {
			return true
		}
		if quit() {
			return false
		}
		pause(limited, 10*time.Millisecond)
	}
	return false
}

// sleeping returns the number of sleeping processes with the token.
func sleeping(token string) int {
	n := 0
	for _, line := range holders(token) {
		if program, _, _ := strings.Cut(line, " "); path.Base(program) == "sleep" {
			n++
		}
	}
	return n
}

// began reports whether the command with the token is running or has run: it
// makes a directory first.
func (t *trial) began(token string) bool {
	_, err := os.Stat(filepath.Join(t.target.Dir, onceOf(token)))
	return err == nil || sleeping(token) > 0
}

// onceOf returns the name of the directory that a command with this token makes,
// so that it runs only once.
func onceOf(token string) string { return "probe-" + token }

// left waits up to one second until the model has no open request with this
// nonce, and reports whether it has none.
func (t *trial) left(ctx context.Context, nonce string) bool {
	limited, done := context.WithTimeout(ctx, time.Second)
	defer done()
	return t.target.Model.Wait(limited, func(all []fakemodel.Request) bool {
		for _, q := range all {
			if strings.Contains(q.Prompt, nonce) && q.Finished.IsZero() && q.Aborted.IsZero() {
				return false
			}
		}
		return true
	}) == nil
}

// requests returns the number of model requests with this nonce.
func (t *trial) requests(nonce string) int {
	n := 0
	for _, q := range t.target.Model.Requests() {
		if strings.Contains(q.Prompt, nonce) {
			n++
		}
	}
	return n
}
