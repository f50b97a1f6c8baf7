package proc

// ledger is empty on Windows: the system ends a job's processes when the
// keeper's process ends.
type ledger struct{}

func openLedger(string) (*ledger, error) { return &ledger{}, nil }

func (l *ledger) writeEntry(string, entry) error { return nil }

func (l *ledger) erase(string) {}

func (l *ledger) close() error { return nil }

func (l *ledger) reap(Options) []Ended { return nil }

func adoptOrphans() {}
