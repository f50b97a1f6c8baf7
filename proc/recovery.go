package proc

import "slices"

// Recovery describes what a keeper found of a command that a dead keeper had
// started, and ended.
type Recovery struct {
	ID        string   // the same for the same result, also in another process
	Owners    []string // of the command, and those that it served when its keeper died
	Ended     []Ended
	Survivors []Ended
	Proof     string   // as in Report; "" if Gone is set
	Gone      GoneWith // set if the processes were not looked for
}

// GoneWith is the reason why the processes of a dead keeper were not looked for.
type GoneWith string

// The reasons: the machine has restarted since, so they have ended; or they ran
// in a container that is not the one of this process.
const (
	GoneWithBoot      GoneWith = "boot"
	GoneWithContainer GoneWith = "container"
)

// Recovered returns the results of Open and Reap that were not passed to Forget,
// also those of keepers that died before they could. It is empty unless
// Options.KeepReports is set.
func (k *Keeper) Recovered() []Recovery {
	k.deadMu.Lock()
	defer k.deadMu.Unlock()
	var all []Recovery
	for _, l := range k.dead {
		for _, e := range l.entries() {
			if e.Report != nil {
				all = append(all, e.recovery())
			}
		}
	}
	return all
}

// Forget removes results that the caller has recorded. Survivors stay in the
// ledger: the next keeper tries to end them again.
func (k *Keeper) Forget(recorded []Recovery) {
	k.deadMu.Lock()
	defer k.deadMu.Unlock()
	for _, l := range k.dead {
		for name, e := range l.entries() {
			same := func(r Recovery) bool { return e.Report != nil && r.ID == e.recovery().ID }
			if slices.ContainsFunc(recorded, same) && len(e.Report.Survivors) == 0 {
				l.erase(name)
			}
		}
	}
	k.dead = slices.DeleteFunc(k.dead, func(l *ledger) bool {
		left := slices.ContainsFunc(l.results(), func(r Recovery) bool {
			return !slices.ContainsFunc(recorded, func(known Recovery) bool { return known.ID == r.ID })
		})
		if !left {
			k.logClose(l)
		}
		return !left
	})
}

// Reap ends the processes of keepers that have died since Open. It reports
// whether no other keeper is doing this at the same time: only then the
// processes of all dead keepers have ended or are among the survivors.
func (k *Keeper) Reap() (complete bool) {
	if k.ledger == nil {
		return true
	}
	k.deadMu.Lock()
	defer k.deadMu.Unlock()
	held := make(map[string]bool)
	for _, l := range k.dead {
		held[l.id] = true
	}
	found := k.ledger.reap(k.opts, held)
	k.dead, k.died = append(k.dead, found.held...), append(k.died, found.labels...)
	return !found.elsewhere
}

// Died reports whether Open or Reap has found a dead keeper with the label. Its
// processes have then ended, are survivors, or are gone.
func (k *Keeper) Died(label string) bool {
	k.deadMu.Lock()
	defer k.deadMu.Unlock()
	return slices.Contains(k.died, label)
}

// Alone reports whether no other living keeper uses the ledger. It returns false if
// that is not known.
func (k *Keeper) Alone() bool {
	if k.ledger == nil {
		return false
	}
	k.deadMu.Lock()
	defer k.deadMu.Unlock()
	dead := make(map[string]bool)
	for _, l := range k.dead {
		dead[l.id] = true
	}
	return k.ledger.alone(dead)
}

// found is what a keeper found of dead ones in their ledger.
type found struct {
	held      []*ledger // parts with results, locked; only with Options.KeepReports
	labels    []string  // of the dead keepers
	ended     []Ended
	elsewhere bool // another keeper is ending processes of a dead one
}

func (k *Keeper) logClose(l *ledger) {
	if err := l.close(); err != nil {
		k.opts.Logger.Warn("cannot close the process ledger of a dead bellcord process", "err", err)
	}
}

// Serve records that the command, such as an agent, works for another owner
// until the returned function is called. If this keeper dies meanwhile, the
// recovery of the command names the owner.
func (r *Running) Serve(owner string) (done func()) {
	r.serve(func(all []string) []string { return append(all, owner) })
	return func() {
		r.serve(func(all []string) []string {
			if i := slices.Index(all, owner); i >= 0 {
				return slices.Delete(all, i, i+1)
			}
			return all
		})
	}
}

func (r *Running) serve(change func([]string) []string) {
	r.noteMu.Lock()
	defer r.noteMu.Unlock()
	r.serves = change(r.serves)
	if r.noted != "" { // its entry exists
		r.noteLocked(r.noted)
	}
}
