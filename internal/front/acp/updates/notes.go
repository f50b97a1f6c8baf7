package updates

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/plural"
)

// used reports how full the context is, and the session's cost so far unless it
// is zero.
func (e *Encoder) used(u bellcord.Usage) {
	update := acp.UsageUpdate{Used: u.Total(), Size: max(e.Size(e.model), u.Total())}
	if cost := e.bill.total(); cost > 0 {
		const dollar = 1e9
		update.Cost = acp.Cost{Amount: float64(cost) / dollar, Currency: "USD"}
	}
	e.Send(update)
}

// retrying explains a pause to the user. A replay omits it, because the pause
// is over.
func (e *Encoder) retrying(b bellcord.ModelRetryScheduled) {
	switch {
	case e.Replaying:
	case e.Shows.Notices:
		e.Send(acp.Notice{Severity: acp.NoticeWarning, Title: sentence(b.Reason), Description: "Retrying in " + inSeconds(b.RetryIn) + "."})
	default:
		e.think(sentence(b.Reason) + "; retrying in " + inSeconds(b.RetryIn) + ".\n")
	}
}

// scanned shows the scan that the turn waits for: as thinking, or as one notice.
// Neither is part of the answer, and a replay omits it.
func (e *Encoder) scanned(b bellcord.FilesScanned) {
	first := !e.scans
	e.scans = !b.Done
	switch {
	case e.Replaying, b.Done:
	case !e.Shows.Notices:
		e.think(sentence(b.Text()) + ".\n")
	case first:
		e.Send(acp.Notice{Severity: acp.NoticeInfo, Title: sentence(b.Text())})
	}
}

// recovered shows what was found of a lost turn: as a notice, or as thinking. A
// replay contains it, because it belongs to the turn's receipt.
func (e *Encoder) recovered(b bellcord.ProcessesRecovered) {
	if !e.Shows.Notices {
		e.think(sentence(b.Text()) + ".\n")
		return
	}
	severity := acp.NoticeInfo
	if len(b.Processes.Survivors) > 0 {
		severity = acp.NoticeWarning
	}
	e.Send(acp.Notice{Severity: severity, Title: sentence(b.Text())})
}

// compacted shows that the conversation was compacted. Blank lines separate
// this from other text, because a client joins the pieces of a message.
func (e *Encoder) compacted(ev bellcord.Event, b bellcord.ConversationCompacted) {
	if e.Shows.Compaction {
		e.Send(acp.CompactionUpdate{CompactionID: fmt.Sprintf("compaction-%d", ev.Seq), Status: acp.CompactionCompleted, Summary: []acp.ContentBlock{acp.Text(b.Summary)}})
		return
	}
	line := "Compacted: the conversation so far is now a summary of " + plural.Count(len(strings.Fields(b.Summary)), "word") + ".\n\n"
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
