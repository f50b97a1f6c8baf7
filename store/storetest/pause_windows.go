package storetest

func (p *process) pause()  { p.b.Skip("a process cannot be paused with a signal on this system") }
func (p *process) resume() {}
