package updates

import "github.com/bellcord/bellcord"

// bill adds up the cost of a session from the events read so far, in billionths
// of a US dollar.
type bill struct {
	ended   int64                      // cost of ended turns, from their receipts
	running int64                      // cost of the running turn's finished requests
	step    *bellcord.Price            // price of the current step's model
	asides  map[string]*bellcord.Price // prices of side requests, by purpose
}

func (b *bill) read(body bellcord.Body) {
	switch body := body.(type) {
	case bellcord.StepStarted:
		b.step = body.Price
	case bellcord.StepEnded:
		if body.Usage != nil {
			b.running += costOf(b.step, *body.Usage)
		}
	case bellcord.SideRequestStarted:
		if b.asides == nil {
			b.asides = map[string]*bellcord.Price{}
		}
		b.asides[body.Purpose] = body.Price
	case bellcord.SideRequestEnded:
		b.running += costOf(b.asides[body.Purpose], body.Usage)
		delete(b.asides, body.Purpose)
	case bellcord.TurnEnded:
		b.ended += body.Receipt.Usage.CostNanoUSD // includes requests that were cut off
	}
}

func (b *bill) total() int64 { return b.ended + b.running }

func costOf(p *bellcord.Price, u bellcord.Usage) int64 {
	if p == nil {
		return u.CostNanoUSD
	}
	return p.Of(u)
}
