package proc

import "strconv"

// entry is a running command in the ledger.
type entry struct {
	PID    int      `json:"pid"` // 0 before it has started
	Start  uint64   `json:"start"`
	Owner  string   `json:"owner"`
	Name   string   `json:"name"`
	Marker string   `json:"marker"`
	Stamp  uint64   `json:"stamp,omitempty"`
	Cgroup string   `json:"cgroup,omitempty"`
	Limits []string `json:"limits,omitempty"` // groups of version 1
	Place  string   `json:"place"`            // the boot (and container) in which the pid is valid
	Helper bool     `json:"helper,omitempty"` // as Command.Helper
	Serves []string `json:"serves,omitempty"` // as Running.Serve

	// Set by the keeper that ends the processes of a dead one.
	Found    []Ended  `json:"found,omitempty"`    // before the first signal
	Report   *Report  `json:"report,omitempty"`   // the last result
	Attempts int      `json:"attempts,omitempty"` // how many results there were
	Gone     GoneWith `json:"gone,omitempty"`
}

// recovery returns the result in the entry.
func (e entry) recovery() Recovery {
	return Recovery{
		ID: e.Marker + "." + strconv.Itoa(e.Attempts), Owners: append([]string{e.Owner}, e.Serves...),
		Ended: e.Report.Ended, Survivors: e.Report.Survivors, Proof: e.Report.Proof, Gone: e.Gone,
	}
}
