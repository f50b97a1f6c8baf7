package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/permit"
)

const mostName = 64 // accepted by every provider

// names assigns tool names that match ^[a-zA-Z0-9_-]{1,64}$, each only once. It
// maps each name to its server and tool.
type names map[string]string

// pick returns the name for a tool. A name that was truncated or is already
// taken ends in a hash of the full name, so that it stays the same when other
// tools are added or removed. pick returns false for a tool that already has a
// name.
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

// MayBeOf reports whether a name in a rule, in which * matches anything, can
// match a tool of one of the servers.
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
