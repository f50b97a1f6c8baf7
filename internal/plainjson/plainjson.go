// Package plainjson formats JSON for people.
package plainjson

import "strings"

// Text returns JSON text with <, > and & as they are. Encoders of Go escape
// them as \u003c, \u003e and \u0026, for JSON within HTML. The result is
// equivalent JSON.
func Text(raw []byte) string { return plain.Replace(string(raw)) }

// plain replaces an escaped backslash by itself, so that the u0026 after it is
// not taken for an escape.
var plain = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">", `\u0026`, "&")
