package snapshot

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// emptySum is the checksum of no bytes. They need no place in the pack.
var emptySum = tree.Sum(sha256.Sum256(nil))

var (
	errNoBudget = errors.New("the undo storage has reached its budget")
	errNoDisk   = errors.New("the disk has too little free space")
)

// pack appends bytes to segments. Bytes count only after their places are in
// the log; all others are removed by trim. Its methods need the lock of the
// workspace; add can be called by several goroutines.
type pack struct {
	dir     string
	segment int64 // size limit

	mu      sync.Mutex
	file    *os.File // current segment, nil if there is none
	number  uint64
	size    int64
	created bool
	dirty   []*os.File // full segments that are not synced
	room    int64      // bytes that can be added
	noDisk  bool
	added   []blob // since the last flush
	pending map[tree.Sum]struct{}
}

func segmentPath(dir string, number uint64) string {
	return filepath.Join(dir, fmt.Sprintf(packPattern, number))
}

// add appends bytes, unless the index has them.
func (p *pack) add(x *index, sum tree.Sum, data []byte) error {
	if _, stored := x.blobs[sum]; stored || len(data) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, stored := p.pending[sum]; stored {
		return nil
	}
	switch {
	case p.noDisk:
		return errNoDisk
	case int64(len(data)) > p.room:
		return errNoBudget
	}
	return p.append(sum, data)
}

// append appends bytes without a check of the free space.
func (p *pack) append(sum tree.Sum, data []byte) error {
	n := int64(len(data))
	if p.file == nil || p.size+n > p.segment {
		if err := p.next(); err != nil {
			return err
		}
	}
	if _, err := p.file.WriteAt(data, p.size); err != nil {
		p.noDisk = true // nothing more is kept in this scan
		return errors.Join(err, p.file.Truncate(p.size))
	}
	at("pack written")
	p.added = append(p.added, blob{sum, place{p.number, p.size, n}})
	p.pending[sum] = struct{}{}
	p.size += n
	p.room -= n
	return nil
}

// next creates the next segment.
func (p *pack) next() error {
	f, err := os.OpenFile(segmentPath(p.dir, p.number+1), os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		p.noDisk = true
		return err
	}
	if p.file != nil {
		p.dirty = append(p.dirty, p.file)
	}
	p.file, p.number, p.size, p.created = f, p.number+1, 0, true
	return nil
}

// flush makes the added bytes durable and returns their places.
func (p *pack) flush() ([]blob, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.added) == 0 {
		return nil, nil
	}
	var err error
	for _, f := range p.dirty {
		err = errors.Join(err, syncFile(f), f.Close())
	}
	p.dirty = nil
	err = errors.Join(err, syncFile(p.file))
	if p.created {
		err = errors.Join(err, syncDir(p.dir))
		p.created = false
	}
	if err != nil {
		return nil, fmt.Errorf("sync the undo pack: %w", err)
	}
	at("pack synced")
	added := p.added
	p.added = nil
	return added, nil
}

// closeSegment closes the files. Bytes that were added after the last flush are lost.
func (p *pack) closeSegment() {
	for _, f := range p.dirty {
		_ = f.Close()
	}
	if p.file != nil {
		_ = p.file.Close()
	}
	p.file, p.dirty = nil, nil
}

// ends returns the end of the used part of each segment.
func (x *index) ends() map[uint64]int64 {
	ends := map[uint64]int64{}
	for _, p := range x.blobs {
		ends[p.segment] = max(ends[p.segment], p.offset+p.size)
	}
	return ends
}

// openPack returns the pack for one operation. Bytes that no record refers to
// are removed: they were added by an operation that did not end.
func openPack(dir string, segment int64, x *index) (*pack, error) {
	p := &pack{dir: dir, segment: segment, pending: map[tree.Sum]struct{}{}}
	ends := x.ends()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var number uint64
		if _, err := fmt.Sscanf(e.Name(), packPattern, &number); err != nil {
			continue
		}
		name := filepath.Join(dir, e.Name())
		end, used := ends[number]
		if !used {
			if err := os.Remove(name); err != nil {
				return nil, err
			}
			continue
		}
		if info, err := os.Stat(name); err == nil && info.Size() > end {
			if err := os.Truncate(name, end); err != nil {
				return nil, err
			}
		}
	}
	for number := range ends {
		p.number = max(p.number, number)
	}
	if end := ends[p.number]; end > 0 && end < segment {
		f, err := os.OpenFile(segmentPath(dir, p.number), os.O_RDWR, 0)
		if err == nil {
			p.file, p.size = f, end
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return p, nil
}

// readBlob returns the bytes at a place, if they have the checksum.
func readBlob(dir string, sum tree.Sum, at place) ([]byte, error) {
	f, err := os.Open(segmentPath(dir, at.segment))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, at.size)
	if _, err := f.ReadAt(data, at.offset); err != nil {
		return nil, err
	}
	if tree.Sum(sha256.Sum256(data)) != sum {
		return nil, fmt.Errorf("%s: the bytes at %d are damaged", f.Name(), at.offset)
	}
	return data, nil
}

// refuses returns the reason why no more bytes of a size are accepted.
func (p *pack) refuses(size int64) Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.noDisk:
		return DiskFull
	case size > p.room:
		return ByteBudget
	}
	return Kept
}
