package bellcord

import (
	"slices"
	"time"
)

// Usage counts tokens. Exact is false where a stop cut off the model's own
// number and ours is an estimate (law 27).
type Usage struct {
	Input      int64 `json:"input"`                 // all of it, from a cache or not
	CacheRead  int64 `json:"cache_read,omitempty"`  // of the input, what a cache had
	CacheWrite int64 `json:"cache_write,omitempty"` // of the input, what a cache has now
	Output     int64 `json:"output"`                // thinking included
	Cost       int64 `json:"cost,omitempty"`        // in billionths of a dollar; 0 where no price is known
	Exact      bool  `json:"exact"`
}

// Price of a model's tokens, each in billionths of a dollar: 3 dollars for a
// million are 3000.
type Price struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// Of is what the usage costs.
func (p Price) Of(u Usage) int64 {
	plain := u.Input - u.CacheRead - u.CacheWrite
	return plain*p.Input + u.CacheRead*p.CacheRead + u.CacheWrite*p.CacheWrite + u.Output*p.Output
}

// Add returns the sum; it is exact if both are.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Output: u.Output + v.Output, Cost: u.Cost + v.Cost, Exact: u.Exact && v.Exact,
	}
}

// Total is what a token budget is held against.
func (u Usage) Total() int64 { return u.Input + u.Output }

// Spent is what was used of one model.
type Spent struct {
	Model string `json:"model"`
	Usage
}

// Spending is what one turn used of one model. It outlives its session.
type Spending struct {
	At      time.Time // the turn's end
	Turn    TurnID
	Session SessionID
	Spent
}

// SpendingQuery selects spendings: of one session, of one owner (all when empty), from a time
// on (all when zero).
type SpendingQuery struct {
	Session SessionID
	Owner   string
	Since   time.Time
}

// meter adds up what a turn uses. A request that has not told its usage counts
// as an estimate from what is known of it.
type meter struct {
	closed []Spent // by model, in the order of first use
	step   *request
	asides map[string]*request // by what they are for
}

// request is one to a model that has not ended.
type request struct {
	model  string
	price  *Price
	input  int64 // our estimate
	told   Usage // by the model so far
	output int64 // bytes it has produced
}

// bytesPerToken is the usual rule of thumb, for estimates that are flagged as such.
const bytesPerToken = 4

func (m *meter) observe(b Body) {
	switch b := b.(type) {
	case StepStarted:
		m.end(m.step, nil)
		m.step = &request{model: b.Model, price: b.Price, input: b.Input}
	case Metered:
		if m.step != nil {
			m.step.told = b.Usage
		}
	case Said:
		m.produced(len(b.Text))
	case Thought:
		m.produced(len(b.Text))
	case Called:
		m.produced(len(b.Args))
	case StepEnded:
		m.end(m.step, b.Usage)
		m.step = nil
	case AsideStarted:
		m.end(m.asides[b.For], nil)
		if m.asides == nil {
			m.asides = map[string]*request{}
		}
		m.asides[b.For] = &request{model: b.Model, price: b.Price, input: b.Input}
	case AsideEnded:
		m.end(m.asides[b.For], &b.Usage)
		delete(m.asides, b.For)
	}
}

func (m *meter) produced(bytes int) {
	if m.step != nil {
		m.step.output += int64(bytes)
	}
}

// end counts a request; known is nil where the model did not tell.
func (m *meter) end(r *request, known *Usage) {
	if r == nil {
		return
	}
	used := r.estimate()
	if known != nil {
		used = *known
		used.Cost = r.cost(used)
	}
	i := slices.IndexFunc(m.closed, func(s Spent) bool { return s.Model == r.model })
	if i < 0 {
		m.closed = append(m.closed, Spent{Model: r.model, Usage: used})
		return
	}
	m.closed[i].Usage = m.closed[i].Add(used)
}

// estimate is what the request has cost so far, as far as one can know.
func (r *request) estimate() Usage {
	u := r.told
	if u.Input == 0 {
		u.Input = r.input
	}
	u.Output = max(u.Output, (r.output+bytesPerToken-1)/bytesPerToken)
	u.Cost, u.Exact = r.cost(u), false
	return u
}

func (r *request) cost(u Usage) int64 {
	if r.price == nil {
		return u.Cost
	}
	return r.price.Of(u)
}

// total is all of it, what has not ended included.
func (m *meter) total() Usage {
	sum := Usage{Exact: true}
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

// byModel is the same by model, for the receipt.
func (m *meter) byModel() []Spent {
	sum := meter{closed: slices.Clone(m.closed)}
	sum.end(m.step, nil)
	for _, r := range m.asides {
		sum.end(r, nil)
	}
	return sum.closed
}
