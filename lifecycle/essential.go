package lifecycle

import (
	"github.com/bellcord/bellcord"
)

// Essential returns the part of a receipt that every store can hold, for a turn
// whose receipt a store has rejected: a turn always has an end. It contains no
// text, no list of files and no long name. Processes that may still be running
// are kept, and whether the processes are known at all. Of the ended ones, the
// first are kept.
func Essential(r bellcord.Receipt, rejection error) bellcord.Receipt {
	e := bellcord.Receipt{
		Turn: r.Turn, Session: r.Session, End: r.End, RaceWinner: r.RaceWinner, Times: r.Times,
		Queue: r.Queue, HeldTurns: r.HeldTurns, DroppedTurns: r.DroppedTurns,
		Usage: r.Usage, Kept: r.Kept, Incomplete: r.Incomplete, AgentAbandoned: r.AgentAbandoned,
		Error: "the receipt is shortened: " + bellcord.ValidName(rejection.Error()),
	}
	if c := r.Cause; c != nil {
		e.Cause = &bellcord.Cause{Kind: c.Kind, By: bellcord.ValidName(c.By), Source: bellcord.ValidName(c.Source), At: c.At, Mode: c.Mode, Queue: c.Queue}
	}
	e.Calls.Finished = r.Calls.Finished
	e.Processes.Proof, e.Processes.Unknown = r.Processes.Proof, r.Processes.Unknown
	if r.Processes.Node != "" {
		e.Processes.Node = bellcord.ValidName(r.Processes.Node)
	}
	e.Processes.Ended = named(r.Processes.Ended[:min(len(r.Processes.Ended), maxEssentialEnded)])
	e.Processes.Survivors = named(r.Processes.Survivors)
	e.Processes.Unconfirmed = named(r.Processes.Unconfirmed)
	e.Processes.Background = named(r.Processes.Background)
	for _, u := range r.UsageByModel {
		u.Model = bellcord.ValidName(u.Model)
		e.UsageByModel = append(e.UsageByModel, u)
	}
	return e
}

// maxEssentialEnded is the number of ended processes in a shortened receipt.
const maxEssentialEnded = 100

// named returns processes with names that every store can hold.
func named(all []bellcord.Process) []bellcord.Process {
	var short []bellcord.Process
	for _, p := range all {
		short = append(short, bellcord.Process{PID: p.PID, Name: bellcord.ValidName(p.Name), How: p.How})
	}
	return short
}
