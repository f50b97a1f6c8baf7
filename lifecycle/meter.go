package lifecycle

import (
	"slices"

	"github.com/bellcord/bellcord"
)

// meter adds up a turn's usage. A request without reported usage is estimated.
type meter struct {
	closed []bellcord.ModelUsage // by model, in order of first use
	step   *request
	asides map[string]*request // side requests, by purpose
}

// request is a model request that has not ended.
type request struct {
	model    string
	price    *bellcord.Price
	input    int64          // estimated input tokens
	reported bellcord.Usage // usage reported by the model so far
	output   int64          // bytes of output so far
}

// bytesPerToken is a rule of thumb for estimates, which are marked as such.
const bytesPerToken = 4

func (m *meter) observe(b bellcord.Body) {
	switch b := b.(type) {
	case bellcord.StepStarted:
		m.endRequest(m.step, nil)
		m.step = &request{model: b.Model, price: b.Price, input: b.EstimatedInput}
	case bellcord.UsageReported:
		if m.step != nil {
			m.step.reported = b.Usage
		}
	case bellcord.TextDelta:
		m.produced(len(b.Text))
	case bellcord.ThinkingDelta:
		m.produced(len(b.Text))
	case bellcord.ToolCallRequested:
		m.produced(len(b.Arguments))
	case bellcord.StepEnded:
		m.endRequest(m.step, b.Usage)
		m.step = nil
	case bellcord.SideRequestStarted:
		m.endRequest(m.asides[b.Purpose], nil)
		if m.asides == nil {
			m.asides = map[string]*request{}
		}
		m.asides[b.Purpose] = &request{model: b.Model, price: b.Price, input: b.EstimatedInput}
	case bellcord.SideRequestEnded:
		m.endRequest(m.asides[b.Purpose], &b.Usage)
		delete(m.asides, b.Purpose)
	}
}

func (m *meter) produced(bytes int) {
	if m.step != nil {
		m.step.output += int64(bytes)
	}
}

// endRequest adds the usage of a request, estimated if the model reported none.
func (m *meter) endRequest(r *request, reported *bellcord.Usage) {
	if r == nil {
		return
	}
	used := r.estimate()
	if reported != nil {
		used = *reported
		used.CostNanoUSD = r.cost(used)
	}
	i := slices.IndexFunc(m.closed, func(s bellcord.ModelUsage) bool { return s.Model == r.model })
	if i < 0 {
		m.closed = append(m.closed, bellcord.ModelUsage{Model: r.model, Usage: used})
		return
	}
	m.closed[i].Usage = m.closed[i].Add(used)
}

// estimate returns the request's usage so far: the reported usage, completed by
// estimates.
func (r *request) estimate() bellcord.Usage {
	u := r.reported
	if u.InputTokens == 0 {
		u.InputTokens = r.input
	}
	u.OutputTokens = max(u.OutputTokens, (r.output+bytesPerToken-1)/bytesPerToken)
	u.CostNanoUSD, u.Exact = r.cost(u), false
	return u
}

func (r *request) cost(u bellcord.Usage) int64 {
	if r.price == nil {
		return u.CostNanoUSD
	}
	return r.price.Of(u)
}

// total returns the usage of all requests, including those that have not ended.
func (m *meter) total() bellcord.Usage {
	sum := bellcord.Usage{Exact: true}
	for _, s := range m.closed {
		sum = sum.Add(s.Usage)
	}
	if m.step != nil {
		sum = sum.Add(m.step.estimate())
	}
	for _, r := range m.asides {
		sum = sum.Add(r.estimate())
	}
	return sum
}

// byModel returns the same usage by model, for the receipt.
func (m *meter) byModel() []bellcord.ModelUsage {
	sum := meter{closed: slices.Clone(m.closed)}
	sum.endRequest(m.step, nil)
	for _, r := range m.asides {
		sum.endRequest(r, nil)
	}
	return sum.closed
}
