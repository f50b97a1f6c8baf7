package proc

// Mark says who belonged to a running command at one moment.
type Mark struct{ there map[ident]bool }

// Mark notes who belongs to the command now: those whom EndSince will leave
// alone.
func (r *Running) Mark() Mark {
	m := Mark{there: make(map[ident]bool)}
	for _, p := range r.pen.look() {
		m.there[p.ident] = true
	}
	return m
}

// Since returns who has come from the command since the mark and is alive.
func (r *Running) Since(m Mark) []Ended {
	var all []Ended
	for _, p := range (&part{r.pen, m}).look() {
		all = append(all, Ended{PID: p.pid, Name: p.name, Owner: r.command.Owner})
	}
	return all
}

// EndSince ends, by the ladder, whatever has come from the command since the
// mark, and leaves the command itself and what it had before: a server goes on,
// what it did for one request does not. The proof is a look that found nobody.
func (r *Running) EndSince(m Mark, force <-chan struct{}) Report {
	report := ladder(&part{r.pen, m}, r.keeper.opts.Grace, force)
	own(report.Ended, r.command.Owner)
	own(report.Survivors, r.command.Owner)
	return report
}

// crowd is whom a ladder ends.
type crowd interface {
	look() []process         // the living
	empty() bool             // that nobody is
	ask(list []process) bool // to end; false when there is no way to ask
	kill() []process         // all of them; returns whom it met
	proof() string
}

// part is those in a pen who came after a mark.
type part struct {
	pen  *pen
	mark Mark
}

func (p *part) look() []process {
	var young []process
	for _, one := range p.pen.look() {
		if !p.mark.there[one.ident] && !one.dead {
			young = append(young, one)
		}
	}
	return young
}

func (p *part) empty() bool { return len(p.look()) == 0 }

func (p *part) ask(list []process) bool { return askThese(list) }

func (p *part) kill() []process {
	all := p.look()
	killThese(all)
	return all
}

func (p *part) proof() string { return p.pen.proof() }
