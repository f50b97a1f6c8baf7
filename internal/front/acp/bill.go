package acp

import "github.com/bellcord/bellcord"

// bill adds up what a session has cost, as far as its log was seen, in
// billionths of a dollar.
type bill struct {
	ended   int64                      // turns that have ended, as their receipts have it
	running int64                      // the running turn's requests that have ended
	step    *bellcord.Price            // of the model that is asked
	asides  map[string]*bellcord.Price // by what they are for
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
		b.ended += body.Receipt.Usage.CostNanoUSD // with what was cut off
	}
}

func (b *bill) total() int64 { return b.ended + b.running }

func costOf(p *bellcord.Price, u bellcord.Usage) int64 {
	if p == nil {
		return u.CostNanoUSD
	}
	return p.Of(u)
}
