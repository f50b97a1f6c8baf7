package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/permit"
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
	name := permit.MCPPrefix + clean(server) + "_" + clean(tool)
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

// MayBeOf reports whether a name in a rule, in which * stands for anything, can
// be that of a tool of one of the servers.
func MayBeOf(servers []string, name string) bool {
	before, _, wild := strings.Cut(name, "*")
	return slices.ContainsFunc(servers, func(server string) bool {
		prefix := permit.MCPPrefix + clean(server) + "_"
		prefix = prefix[:min(len(prefix), mostName-9)] // the rest may be a hash
		return strings.HasPrefix(before, prefix) || wild && strings.HasPrefix(prefix, before)
	})
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
