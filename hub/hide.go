package hub

import "github.com/bellcord/bellcord"

// withoutSecrets returns the body with hide applied to the text of a failure. The
// error text of a provider, an MCP server or a program may contain the key that
// was sent to it. All other text is recorded unchanged.
func withoutSecrets(b bellcord.Body, hide func(string) string) bellcord.Body {
	switch b := b.(type) {
	case bellcord.ModelRetryScheduled:
		b.Reason = hide(b.Reason)
		return b
	case bellcord.ToolCallRequested:
		b.ArgumentError = hide(b.ArgumentError)
		return b
	case bellcord.ToolCallEnded:
		if b.Failed || b.Outcome == bellcord.CallUnknown {
			b.Result = hide(b.Result)
		}
		return b
	}
	return b
}
