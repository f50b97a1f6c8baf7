package store

import (
	"context"

	"github.com/bellcord/bellcord"
)

// UsageSummer is implemented by a Store that can add up usage without returning the
// usage of every turn.
type UsageSummer interface {
	// SumUsage returns the sum of what Spending returns.
	SumUsage(ctx context.Context, query SpendingQuery) (UsageSum, error)
}

// UsageSum is the usage of turns, by model, in the order in which the models were
// used first.
type UsageSum struct {
	Turns  int
	Models []bellcord.ModelUsage
}

// SumUsage adds up the usage of turns.
func SumUsage(all []Spending) UsageSum {
	var sum UsageSum
	turns, place := map[bellcord.TurnID]bool{}, map[string]int{}
	for _, v := range all {
		turns[v.Turn] = true
		i, known := place[v.Model]
		if !known {
			i = len(sum.Models)
			place[v.Model] = i
			sum.Models = append(sum.Models, bellcord.ModelUsage{Model: v.Model, Usage: bellcord.Usage{Exact: true}})
		}
		sum.Models[i].Usage = sum.Models[i].Add(v.Usage)
	}
	sum.Turns = len(turns)
	return sum
}
