package chat

import "github.com/bellcord/bellcord/internal/plural"

// finished returns the blocks that are finished and were not returned before. A
// block is finished if it is fixed and all blocks before it are finished: blocks
// are printed in the order of the log, also if a later call ends first.
func (bs *blocks) finished() []*shown {
	from := bs.printed
	for bs.printed < len(bs.all) && bs.all[bs.printed].fixed() {
		bs.printed++
	}
	return bs.all[from:bs.printed]
}

// skipTurns marks all turns but the last ones as printed, and returns how many
// it has skipped.
func (bs *blocks) skipTurns(last int) int {
	n := len(bs.turns) - last
	if n <= 0 {
		return 0
	}
	bs.printed = max(bs.printed, bs.turns[n])
	return n
}

// resumedTurns is how many turns of a session that is opened are printed.
const resumedTurns = 3

// CaughtUp records that the log has been read to its end. Of what was read since
// Replay, Finished returns the last turns only.
func (m *Model) CaughtUp() {
	if !m.replaying {
		return
	}
	m.replaying = false
	if n := m.story.blocks.skipTurns(resumedTurns); n > 0 {
		m.story.lead = append(m.story.lead, "… "+plural.Count(n, "earlier turn")+" · ctrl+o shows all")
	}
}

// Finished returns the lines of the blocks that were finished since the last
// call, for a terminal that keeps them. They are laid out for the width once and
// returned once.
func (m *Model) Finished(width int) []string {
	if m.replaying || width < narrowest {
		return nil
	}
	var lines []string
	for _, words := range m.story.lead {
		lines = append(lines, wrap(styled(dim, harmless(words)), width)...)
	}
	m.story.lead = nil
	for _, b := range m.story.blocks.finished() {
		lines = append(lines, b.lines(width, m.unfolded)...)
	}
	return m.coloured(lines)
}

// Unfinished returns the lines of the blocks that Finished has not returned, for
// the end of the program.
func (m *Model) Unfinished(width int) []string {
	var lines []string
	if m.replaying || width < narrowest {
		return nil
	}
	for _, b := range m.story.blocks.all[m.story.blocks.printed:] {
		lines = append(lines, b.lines(width, m.unfolded)...)
	}
	return m.coloured(lines)
}
