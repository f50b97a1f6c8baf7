package tool

import (
	"os"
	"slices"
	"strings"
)

// Bellcord itself is given these: no program that it starts has any business
// with the passwords, and no command that a model wrote with the keys of models.
var (
	passwords = []string{"BELLCORD_STORE", "BELLCORD_NATS", "BELLCORD_TOKEN", "BELLCORD_TELEGRAM_TOKEN"}
	modelKeys = []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"}
)

// Environment is what commands get: ours, without our own secrets.
func Environment() []string { return without(ProgramEnvironment(), modelKeys) }

// ProgramEnvironment is what programs may get that the owner's settings name:
// ours, without our own passwords.
func ProgramEnvironment() []string { return without(os.Environ(), passwords) }

func without(pairs, names []string) []string {
	return slices.DeleteFunc(pairs, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(names, name)
	})
}
