package probe

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"path"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// script is a prompt and the word in it by which the model's records know it.
type script struct{ text, nonce string }

func newNonce() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return "probe-" + hex.EncodeToString(b[:])
}

const wordPace = 20 * time.Millisecond

// long is a turn that talks for a while: most of the patience for a stop, so
// that a stop that was lost is seen to be lost by a turn that ends by itself.
func (t *trial) long() script { return t.talk(t.opts.Patience * 5 / 6) }

func (t *trial) talk(most time.Duration) script {
	nonce := newNonce()
	if t.target.Model == nil {
		return script{nonce + ": count from one to two thousand in words, a line for each. Use no tools.", nonce}
	}
	return script{fmt.Sprintf("%s [slow %d %s]", nonce, most/wordPace, wordPace), nonce}
}

// short is a turn that is over at once.
func (t *trial) short() script {
	nonce := newNonce()
	if t.target.Model == nil {
		return script{nonce + ": answer with the one word ok. Use no tools.", nonce}
	}
	return script{fmt.Sprintf("%s [say %s]", nonce, shortReply(nonce)), nonce}
}

// shortReply is the answer of a short turn that follows its script.
func shortReply(nonce string) string { return "answer-" + strings.TrimPrefix(nonce, "probe-") }

// sleepers is a turn whose shell runs two processes that sleep for years. All
// its processes have the token in their command lines. They run once only: an
// agent that forgets a stopped turn may send its prompt again, glued to the next
// one, and the model would do what both say.
func (t *trial) sleepers() (s script, token string) {
	n, _ := rand.Int(rand.Reader, big.NewInt(10_000_000)) // never fails
	token = fmt.Sprintf("4%07d", n)
	nonce := newNonce()
	once := "probe-" + token
	t.litter = append(t.litter, once)
	args := t.target.ShellArgs(fmt.Sprintf("mkdir %s && { sleep %s1 & sleep %s2; }", once, token, token))
	return script{fmt.Sprintf("%s [tool %s %s]", nonce, t.target.ShellTool, args), nonce}, token
}

// asleep waits until both sleepers run; quit ends the wait early.
func asleep(ctx context.Context, token string, within time.Duration, quit func() bool) bool {
	limited, done := context.WithTimeout(ctx, within)
	defer done()
	for limited.Err() == nil {
		sleeping := 0
		for _, line := range holders(token) {
			if program, _, _ := strings.Cut(line, " "); path.Base(program) == "sleep" {
				sleeping++
			}
		}
		if sleeping >= 2 {
			return true
		}
		if quit() {
			return false
		}
		pause(limited, 10*time.Millisecond)
	}
	return false
}

// left waits until the model has no request with this nonce under way.
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

// requests counts the model's requests with this nonce.
func (t *trial) requests(nonce string) int {
	n := 0
	for _, q := range t.target.Model.Requests() {
		if strings.Contains(q.Prompt, nonce) {
			n++
		}
	}
	return n
}
