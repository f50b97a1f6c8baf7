package child

import (
	"io"
	"sync"
)

// pipe is a Writer. It buffers, without a limit, the records that the agent has
// not read yet.
type pipe struct {
	out  io.WriteCloser
	mu   sync.Mutex
	wait []byte
	more chan struct{} // holds a token while there may be something to write
	quit chan struct{}
	once sync.Once
}

func newPipe(out io.WriteCloser) *pipe {
	p := &pipe{out: out, more: make(chan struct{}, 1), quit: make(chan struct{})}
	go p.writeInput()
	return p
}

// Write implements Writer.
func (p *pipe) Write(record []byte) {
	p.mu.Lock()
	p.wait = append(p.wait, record...)
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// writeInput writes the buffered records. It returns when the pipe is closed or
// a write fails.
func (p *pipe) writeInput() {
	for {
		select {
		case <-p.quit:
			return
		case <-p.more:
		}
		p.mu.Lock()
		record := p.wait
		p.wait = nil
		p.mu.Unlock()
		if _, err := p.out.Write(record); err != nil {
			return
		}
	}
}

func (p *pipe) close() {
	p.once.Do(func() { close(p.quit) })
}
