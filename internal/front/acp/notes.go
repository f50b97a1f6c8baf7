package acp

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// unknownContext is the context size reported for a model of unknown size.
const unknownContext = 128_000

func (s *Server) contextSize(model string) int64 {
	if known := s.config.Load().ContextSize; known != nil {
		if size := known(model); size > 0 {
			return size
		}
	}
	return unknownContext
}

// used reports how full the context is, and the session's cost so far unless it
// is zero.
func (e *encoder) used(u bellcord.Usage) {
	update := acp.UsageUpdate{Used: u.Total(), Size: max(e.size(e.model), u.Total())}
	if cost := e.bill.total(); cost > 0 {
		const dollar = 1e9
		update.Cost = acp.Cost{Amount: float64(cost) / dollar, Currency: "USD"}
	}
	e.send(update)
}

// retrying explains a pause to the user. A replay omits it, because the pause
// is over.
func (e *encoder) retrying(b bellcord.ModelRetryScheduled) {
	if !e.replaying {
		e.think(sentence(b.Reason) + "; retrying in " + inSeconds(b.RetryIn) + ".\n")
	}
}

// compacted shows that the conversation was compacted. Blank lines separate
// this from other text, because a client joins the pieces of a message.
func (e *encoder) compacted(b bellcord.ConversationCompacted) {
	line := "Compacted: the conversation so far is now a summary of " + plural(len(strings.Fields(b.Summary)), "word") + ".\n\n"
	if e.hasText {
		line = "\n\n" + line
	}
	e.writeText(line)
}

// sentence returns text in one line, capitalized and without a final period.
func sentence(text string) string {
	text = strings.TrimRight(strings.Join(strings.Fields(text), " "), ".")
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return "The model request failed"
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

func inSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
