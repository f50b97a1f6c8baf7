package tool

import (
	"os"
	"slices"
	"strings"
)

// ownSecrets are the keys that Bellcord itself is given: a command that a model
// wrote has no business with them.
var ownSecrets = []string{
	"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY",
	"BELLCORD_STORE", "BELLCORD_NATS", "BELLCORD_TOKEN",
}

// Environment is what commands get: ours, without our own secrets.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(ownSecrets, name)
	})
}
