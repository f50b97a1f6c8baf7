package proc

// ledger is empty here: the system ends a job's processes with its keeper.
type ledger struct{}

func openLedger(string) (*ledger, error) { return &ledger{}, nil }

func (l *ledger) writeEntry(string, entry) error { return nil }

func (l *ledger) erase(string) {}

func (l *ledger) close() error { return nil }

func (l *ledger) reap(Options) []Ended { return nil }

func adoptOrphans() {}
