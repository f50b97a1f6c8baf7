package drive

import (
	"context"
	"fmt"
)

// Comparison is one feature of an agent, alone and behind Bellcord.
type Comparison struct {
	Feature string  `json:"feature"`
	Bare    Finding `json:"bare"`
	Behind  Finding `json:"behind"`
	Lost    string  `json:"lost,omitempty"`   // what is missing behind; "" if nothing is
	Reason  string  `json:"reason,omitempty"` // why it is missing on purpose; "" if it is not an exception
}

// Compare drives an agent both ways, first alone, and returns the findings in the
// order of Names, with the version of the agent.
func Compare(ctx context.Context, p Place, k Kit) (all []Comparison, version string, err error) {
	found := map[Way]Results{}
	for _, way := range []Way{Bare, Behind} {
		results, reported, err := lookOnce(ctx, p, k, way)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", way, err)
		}
		found[way] = results
		if way == Bare {
			version = reported
		}
	}
	for _, name := range Names() {
		c := Comparison{Feature: name, Bare: found[Bare].Findings[name], Behind: found[Behind].Findings[name]}
		var missing []string
		if c.Lost, missing = Lost(c.Bare, c.Behind); c.Lost != "" {
			c.Reason = Excused(name, k.name, missing)
		}
		all = append(all, c)
	}
	return all, version, nil
}

func lookOnce(ctx context.Context, p Place, k Kit, way Way) (Results, string, error) {
	ctx, done := context.WithTimeout(ctx, Bound)
	defer done()
	v, leave, err := Open(ctx, p, k, way)
	if err != nil {
		return Results{}, "", err
	}
	defer leave()
	results, err := v.Look()
	return results, v.Version(), err
}
