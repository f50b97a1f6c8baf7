package web

import (
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/auth"
)

// errOverloaded means that a request needs more memory than the server can
// spare.
var errOverloaded = errors.New("the server is overloaded: retry later")

// Limits on the bytes of request bodies that are in memory at once. A decoded
// body takes several times its size.
const (
	mostOfOwner = 64 << 20
	mostOfAll   = 256 << 20
	smallBody   = mostStop // not counted
)

// mostInFlight returns mostOfAll, or less if the memory is limited.
func mostInFlight() int64 {
	return min(mostOfAll, max(mostPrompt, debug.SetMemoryLimit(-1)/8))
}

// inFlight counts the bytes of bodies that are being read or processed, by
// owner.
type inFlight struct {
	most int64

	mu  sync.Mutex
	all int64
	by  map[string]int64
}

// reserve counts a body until release is called. It does not block: above the
// owner's limit it returns a TooManyError, above the limit of all owners
// errOverloaded.
func (f *inFlight) reserve(owner string, bytes int64) (release func(), err error) {
	if bytes <= smallBody {
		return func() {}, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.by[owner]+bytes > mostOfOwner:
		return nil, &auth.TooManyError{RetryAfter: time.Second}
	case f.all+bytes > f.most:
		return nil, errOverloaded
	}
	if f.by == nil {
		f.by = map[string]int64{}
	}
	f.all += bytes
	f.by[owner] += bytes
	return func() { f.give(owner, bytes) }, nil
}

func (f *inFlight) give(owner string, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all -= bytes
	if f.by[owner] -= bytes; f.by[owner] == 0 {
		delete(f.by, owner)
	}
}
