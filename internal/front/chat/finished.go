package chat

import "github.com/bellcord/bellcord/internal/plural"

// finished returns the blocks that are finished and were not returned before. A
// block is finished if it is fixed and all blocks before it are finished: blocks
// are printed in the order of the log, also if a later call ends first.
func (s *story) finished() []*shown {
	from := s.printed
	for s.printed < len(s.blocks) && s.blocks[s.printed].fixed() {
		s.printed++
	}
	return s.blocks[from:s.printed]
}

// skipTurns marks all turns but the last ones as printed, and returns how many
// it has skipped.
func (s *story) skipTurns(last int) int {
	n := len(s.turns) - last
	if n <= 0 {
		return 0
	}
	s.printed = max(s.printed, s.turns[n])
	return n
}

// resumedTurns is how many turns of a session that is opened are printed.
const resumedTurns = 3

// Replay records that the log of the session is being read from its beginning.
// Until CaughtUp, Finished returns nothing.
func (m *Model) Replay() { m.replaying = true }

// CaughtUp records that the log has been read to its end. Of what was read since
// Replay, Finished returns the last turns only.
func (m *Model) CaughtUp() {
	if !m.replaying {
		return
	}
	m.replaying = false
	if n := m.story.skipTurns(resumedTurns); n > 0 {
		m.lead = append(m.lead, "… "+plural.Count(n, "earlier turn")+" · ctrl+o shows all")
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
	for _, words := range m.lead {
		lines = append(lines, wrap(styled(dim, harmless(words)), width)...)
	}
	m.lead = nil
	for _, b := range m.story.finished() {
		lines = append(lines, b.lines(width, m.open)...)
	}
	return m.colouredAll(lines)
}

// Unfinished returns the lines of the blocks that Finished has not returned, for
// the end of the program.
func (m *Model) Unfinished(width int) []string {
	var lines []string
	if m.replaying || width < narrowest {
		return nil
	}
	for _, b := range m.story.blocks[m.story.printed:] {
		lines = append(lines, b.lines(width, m.open)...)
	}
	return m.colouredAll(lines)
}
