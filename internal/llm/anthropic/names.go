package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"sync"
)

// callNames assigns each call an id that the API accepts: only allowed
// characters, and unique in the conversation. The ids of other providers may
// violate both. An id depends only on the messages before it, so it stays the
// same as the conversation grows.
type callNames struct {
	taken map[string]bool
	last  map[string]string // ids of the last answer's calls, by their original id
}

// The patterns are compiled on first use, because most processes use only one
// provider.
var (
	callID    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })
	noNameRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-zA-Z0-9_-]+`) })
)

// beginAnswer starts the next answer. Results belong to the calls of the last
// answer.
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
	return own // a result without a call: the API rejects the request
}

// toolName returns the name of a called tool with only the allowed characters,
// and at most 128 of them. A model may have called a tool that does not exist,
// by an invalid name.
func toolName(name string) string {
	const most = 128
	name = noNameRun().ReplaceAllString(name, "_")
	return name[:min(len(name), most)]
}
