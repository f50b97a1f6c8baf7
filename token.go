package bellcord

// Scope is a permission of a token on a server's API.
type Scope string

// The scopes. ScopeAdmin includes all others, in the sessions of every owner.
const (
	ScopeRead   Scope = "read"
	ScopePrompt Scope = "prompt"
	ScopeStop   Scope = "stop"
	ScopeUndo   Scope = "undo" // undo the changes of turns to files, and redo them
	ScopeAdmin  Scope = "admin"
)

// ScopeNames returns the scopes as text.
func ScopeNames(scopes []Scope) []string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return names
}
