package snapshot

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// exclude returns the reason why the bytes of a candidate are not read.
func (s *scan) exclude(c *candidate) Reason {
	switch {
	case !c.hasBytes():
		return Special
	case c.state.Size > s.limits.File:
		return TooLarge
	case c.bulk || c.unit.over(s.limits):
		return Bulk
	}
	return Kept
}

// unread returns the observation of a candidate whose bytes are not read. It
// returns false if the index has it already.
func (c *candidate) unread(why Reason) (delta, bool) {
	if c.old != nil && c.old.sameStat(&c.entry) && (c.old.state.Hashed || c.old.reason == why) {
		return delta{}, false
	}
	e := c.entry
	e.reason = why
	return delta{c.path, e, c.baseline}, true
}

// sortOut divides the candidates: it adds observations of those whose bytes are
// not kept, and returns the others, by path.
func (s *scan) sortOut() []candidate {
	var eligible []candidate
	for i := range s.candidates {
		c := &s.candidates[i]
		why := s.exclude(c)
		if why == Kept {
			eligible = append(eligible, *c)
		} else if d, isNew := c.unread(why); isNew {
			s.deltas = append(s.deltas, d)
		}
	}
	s.candidates = nil
	return eligible
}

// chunks divides candidates into parts of at most size bytes, or one candidate.
func chunks(all []candidate, size int64) [][]candidate {
	var parts [][]candidate
	start, sum := 0, int64(0)
	for i := range all {
		if n := all[i].state.Size; i > start && sum+n > size {
			parts = append(parts, all[start:i])
			start, sum = i, 0
		}
		sum += all[i].state.Size
	}
	return append(parts, all[start:])
}

// hash reads the candidates in parallel and adds their bytes to the pack. After
// the deadline it reads no more.
func (s *scan) hash(ctx context.Context, all []candidate, p *pack) ([]delta, error) {
	var next atomic.Int64
	results := make([][]delta, s.limits.Workers)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			var b buffer
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(all) {
					return
				}
				if d, ok := s.observe(&all[n], p, &b); ok {
					results[i] = append(results[i], d)
				}
			}
		})
	}
	wg.Wait()
	return slices.Concat(results...), ctx.Err()
}

// observe reads one candidate. It returns false if there is nothing new.
func (s *scan) observe(c *candidate, p *pack, b *buffer) (delta, bool) {
	if time.Now().After(s.deadline) {
		return c.unread(TimeBudget)
	}
	if why := p.refuses(c.state.Size); why != Kept {
		return c.unread(why)
	}
	at("hash")
	started := time.Now()
	e, data, err := s.read(c, b)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return delta{path: c.path}, true
	case errors.Is(err, errTooLarge):
		e.reason = TooLarge
		return delta{c.path, e, c.baseline}, true
	case err != nil:
		return c.unread(Unreadable)
	}
	e.state.Hashed, e.state.Sum, e.state.Size = true, sha256.Sum256(data), int64(len(data))
	e.racy = e.racy || max(e.ctime, e.mtime) >= started.Add(-racyWindow).UnixNano()
	if err := p.add(s.index, e.state.Sum, data); err != nil {
		if errors.Is(err, errNoBudget) {
			return c.unread(ByteBudget)
		}
		return c.unread(DiskFull)
	}
	s.progress.bytes.Add(int64(len(data)))
	return delta{c.path, e, c.baseline}, true
}

var errTooLarge = errors.New("file too large")

// read returns the bytes of a file or the target of a symbolic link, and its
// metadata at that time. If the file is changed meanwhile, it is read again; if
// it still changes, the entry is racy.
func (s *scan) read(c *candidate, b *buffer) (e entry, data []byte, err error) {
	if c.state.Kind == tree.Symlink {
		target, err := s.files.readlink(c.path)
		if err != nil {
			return e, nil, err
		}
		return c.entry, []byte(target), nil
	}
	f, err := s.files.openFile(c.path)
	if err != nil {
		return e, nil, err
	}
	defer func() { _ = f.Close() }()
	for range 3 {
		before, err := f.stat()
		if err != nil {
			return e, nil, err
		}
		if before.state.Kind != tree.File {
			return e, nil, errors.New("not a regular file")
		}
		if data, err = readUpTo(f, before.state.Size, s.limits.File, b); err != nil {
			return before, nil, err
		}
		if e, err = f.stat(); err != nil {
			return e, nil, err
		}
		if e.sameStat(&before) && e.state.Size == int64(len(data)) {
			return e, data, nil
		}
	}
	e.racy = true
	return e, data, nil
}

// readUpTo reads size bytes of a file from its begin, at most limit bytes. A file
// that has grown is not read to its end: its size shows it.
func readUpTo(f io.ReaderAt, size, limit int64, b *buffer) ([]byte, error) {
	if size > limit {
		return nil, errTooLarge
	}
	if int64(len(b.data)) < size {
		b.data = make([]byte, max(2*size, 64<<10))
	}
	n, err := f.ReadAt(b.data[:size], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b.data[:n], nil
}
