package chat

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// meter counts what the running turn has used, from the events read so far:
// exact if the model has reported it, estimated otherwise.
type meter struct {
	ended  bellcord.Usage
	cost   int64
	open   bellcord.Usage // of the current request, as the model has reported it
	bytes  int            // of its answer since the report
	price  *bellcord.Price
	asides map[string]*bellcord.Price // prices of side requests, by purpose

	mostTokens, mostCost int64 // the largest totals so far
}

// perToken is the approximate number of bytes per token.
const perToken = 4

// read counts an event.
func (m *meter) read(b bellcord.Body) {
	m.count(b)
	open := m.estimate()
	m.mostTokens = max(m.mostTokens, m.ended.Total()+open.Total())
	m.mostCost = max(m.mostCost, m.cost+costOf(m.price, open))
}

func (m *meter) count(b bellcord.Body) {
	switch b := b.(type) {
	case bellcord.StepStarted:
		m.price, m.open, m.bytes = b.Price, bellcord.Usage{InputTokens: b.EstimatedInput}, 0
	case bellcord.UsageReported:
		m.open, m.bytes = b.Usage, 0
	case bellcord.TextDelta:
		m.bytes += len(b.Text)
	case bellcord.ThinkingDelta:
		m.bytes += len(b.Text)
	case bellcord.StepEnded:
		if b.Usage != nil {
			m.open, m.bytes = *b.Usage, 0
		}
		m.closeStep(m.price, m.estimate())
		m.open, m.bytes = bellcord.Usage{}, 0
	case bellcord.SideRequestStarted:
		if m.asides == nil {
			m.asides = map[string]*bellcord.Price{}
		}
		m.asides[b.Purpose] = b.Price
	case bellcord.SideRequestEnded:
		m.closeStep(m.asides[b.Purpose], b.Usage)
	}
}

// estimate returns the usage of the current request. As the receipt does, it counts
// the tokens of the whole answer: rounded up for each part, they would be more.
func (m *meter) estimate() bellcord.Usage {
	u := m.open
	u.OutputTokens += int64(m.bytes+perToken-1) / perToken
	return u
}

func (m *meter) closeStep(p *bellcord.Price, u bellcord.Usage) {
	m.ended = m.ended.Add(u)
	m.cost += costOf(p, u)
}

// total returns the tokens used so far, and their cost in billionths of a US
// dollar. Neither decreases: if a report is lower than the estimate before it, the
// estimate stays until the count exceeds it. The receipt has the exact numbers.
func (m *meter) total() (tokens, cost int64) { return m.mostTokens, m.mostCost }

func costOf(p *bellcord.Price, u bellcord.Usage) int64 {
	if p == nil {
		return u.CostNanoUSD
	}
	return p.Of(u)
}

// contextUse is how much of the model's context the conversation fills, in
// tokens; zero if that is unknown.
type contextUse struct {
	used, size int64
	model      string
}

// readContext follows the size of the context: the model's own report if there is
// one, an estimate before it. A hosted agent reports both numbers itself.
func (s *story) readContext(b bellcord.Body) {
	c := &s.context
	switch b := b.(type) {
	case bellcord.UsageReported:
		if b.Context != nil {
			c.used, c.size = b.Context.UsedTokens, b.Context.SizeTokens
		}
	case bellcord.StepStarted:
		if s.hosted() || s.window == nil {
			return
		}
		if b.Model != c.model {
			c.model, c.size = b.Model, s.window(b.Model)
		}
		c.used = b.EstimatedInput
	case bellcord.StepEnded:
		if !s.hosted() && b.Usage != nil {
			c.used = b.Usage.InputTokens + b.Usage.OutputTokens
		}
	case bellcord.ConversationCleared, bellcord.ConversationCompacted:
		c.used = 0
	}
}

// String returns how full the context is, such as "ctx 31%", or "".
func (c contextUse) String() string {
	if c.used == 0 || c.size == 0 {
		return ""
	}
	return fmt.Sprintf("ctx %d%%", 100*c.used/c.size)
}

// costs describes what a session has used, by model.
func costs(spent []bellcord.ModelUsage) string {
	if len(spent) == 0 {
		return "No usage yet."
	}
	var lines []string
	total := bellcord.Usage{Exact: true}
	for _, s := range spent {
		lines = append(lines, s.Model+": "+used(s.Usage))
		total = total.Add(s.Usage)
	}
	if len(spent) > 1 {
		lines = append(lines, "total: "+used(total))
	}
	return strings.Join(lines, "\n")
}

func used(u bellcord.Usage) string {
	text := fmt.Sprintf("%s in (%s cached), %s out", tokens(u.InputTokens), tokens(u.CacheReadTokens), tokens(u.OutputTokens))
	if u.CostNanoUSD > 0 {
		text += ", " + money(u.CostNanoUSD)
	}
	if !u.Exact {
		text += ", estimated"
	}
	return text
}

// spending is the cost of the turns that have ended, in billionths of a US dollar.
type spending struct {
	total     int64
	estimated bool // a part of it is estimated
}

func (s *spending) add(u bellcord.Usage) {
	s.total += u.CostNanoUSD
	s.estimated = s.estimated || u.CostNanoUSD > 0 && !u.Exact
}
