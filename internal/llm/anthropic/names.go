package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"sync"
)

// callNames gives each call an id that the API takes: of its letters, and of no
// other call in the conversation. Those of other providers are neither. An id
// depends on what came before it and on nothing else, so that it stays the same
// as the conversation grows.
type callNames struct {
	taken map[string]bool
	last  map[string]string // of the calls of the last answer, by their own ids
}

// Compiled when they are first needed: not every start is for this provider.
var (
	callID    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })
	noNameRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-zA-Z0-9_-]+`) })
)

// beginAnswer is for the next answer: results belong to the calls of the last one.
func (n *callNames) beginAnswer() { n.last = map[string]string{} }

func (n *callNames) give(own string) string {
	base := own
	if !callID().MatchString(own) {
		sum := sha256.Sum256([]byte(own))
		base = "call_" + hex.EncodeToString(sum[:12])
	}
	id := base
	for i := 2; n.taken[id]; i++ {
		id = fmt.Sprintf("%s_%d", base, i)
	}
	n.taken[id] = true
	n.last[own] = id
	return id
}

func (n *callNames) of(own string) string {
	if id, known := n.last[own]; known {
		return id
	}
	return own // it answers nothing, and the API will say so
}

// toolName is the name of a tool that was called. A model may have called one
// that nobody has, by a name that nothing can have.
func toolName(name string) string {
	const most = 128
	name = noNameRun().ReplaceAllString(name, "_")
	return name[:min(len(name), most)]
}
