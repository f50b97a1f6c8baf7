//go:build !linux

package proc

// LimitsBy returns "": this system offers no means that limits a command
// together with its descendants.
func LimitsBy() string { return "" }

func (p *container) limit(Limits, string, bool) {}

func (p *container) limited() (means, reached string) { return "", "" }

func machineMemory() int64 { return 0 }
