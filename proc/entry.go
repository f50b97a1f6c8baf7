package proc

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
}
