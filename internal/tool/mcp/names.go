package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const mostName = 64 // what every provider accepts

// names gives out tool names: ^[a-zA-Z0-9_-]{1,64}$, each once. It remembers
// whose each is.
type names map[string]string

// pick names a tool. A name that had to be cut, or that another tool has, ends
// in a hash of the full one, so that it stays the same when other tools come
// and go. It refuses a tool that has a name already.
func (n names) pick(server, tool string) (string, bool) {
	whole := server + "\x00" + tool
	name := "mcp_" + clean(server) + "_" + clean(tool)
	if owner, taken := n[name]; len(name) > mostName || taken && owner != whole {
		sum := sha256.Sum256([]byte(whole))
		tail := "_" + hex.EncodeToString(sum[:4])
		name = name[:min(len(name), mostName-len(tail))] + tail
	}
	if _, taken := n[name]; taken {
		return "", false
	}
	n[name] = whole
	return name, true
}

func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
