package proc

// Mark is the set of processes that belonged to a running command at one
// moment.
type Mark struct{ existing map[ident]bool }

// Mark returns the processes that belong to the command now. EndSince does not
// end them.
func (r *Running) Mark() Mark {
	m := Mark{existing: make(map[ident]bool)}
	for _, p := range r.container.scan() {
		m.existing[p.ident] = true
	}
	return m
}

// Since returns the living processes that the command has started since the
// mark.
func (r *Running) Since(m Mark) []Ended {
	var all []Ended
	for _, p := range (&part{r.container, m}).scan() {
		all = append(all, Ended{PID: p.pid, Name: p.name, Owner: r.command.Owner})
	}
	return all
}

// EndSince ends, by the ladder, all processes that the command has started
// since the mark. The command itself and its earlier processes go on: a server
// keeps running, but the processes that it started for one request end. The
// proof is a scan that found none of them.
func (r *Running) EndSince(m Mark, force <-chan struct{}) Report {
	report := ladder(&part{r.container, m}, r.keeper.opts.Grace, force)
	own(report.Ended, r.command.Owner)
	own(report.Survivors, r.command.Owner)
	return report
}

// crowd is the set of processes that a ladder ends.
type crowd interface {
	scan() []process               // returns the living processes
	empty() bool                   // reports whether no process is alive
	terminate(list []process) bool // sends SIGTERM; false if that is not possible
	kill() []process               // kills all processes and returns them
	proof() string
}

// part is the set of processes in a container that were started after a mark.
type part struct {
	container *container
	mark      Mark
}

func (p *part) scan() []process {
	var young []process
	for _, one := range p.container.scan() {
		if !p.mark.existing[one.ident] && !one.dead {
			young = append(young, one)
		}
	}
	return young
}

func (p *part) empty() bool { return len(p.scan()) == 0 }

func (p *part) terminate(list []process) bool { return terminateEach(list) }

func (p *part) kill() []process {
	all := p.scan()
	killThese(all)
	return all
}

func (p *part) proof() string { return p.container.partProof() }
