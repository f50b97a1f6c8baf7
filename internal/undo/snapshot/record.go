package snapshot

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"time"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// The kinds of records in the base file and in the log.
const (
	recordDeltas  = iota + 1 // observations of paths
	recordBlobs              // places of bytes in the pack
	recordOpened             // a call was opened
	recordTouched            // paths that an open call has touched; in the base file only
	recordEnded              // a call ended, with its result
	recordDropped            // ended calls were removed
	recordSegment            // a segment of the pack was removed
)

var (
	checksums    = crc32.MakeTable(crc32.Castagnoli)
	errMalformed = errors.New("malformed record")
)

// frameHeader is the length of the payload and its checksum.
const frameHeader = 8

// frame appends a record to out: length, checksum, payload.
func frame(out, payload []byte) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(payload)))
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(payload, checksums))
	return append(out, payload...)
}

// nextFrame returns the first record of data and its length with the header. It
// returns false if the record is incomplete or its checksum is wrong.
func nextFrame(data []byte) (payload []byte, size int, ok bool) {
	if len(data) < frameHeader {
		return nil, 0, false
	}
	n := int(binary.LittleEndian.Uint32(data))
	if n == 0 || n > len(data)-frameHeader {
		return nil, 0, false
	}
	payload = data[frameHeader : frameHeader+n]
	return payload, frameHeader + n, crc32.Checksum(payload, checksums) == binary.LittleEndian.Uint32(data[4:])
}

// encoder appends values to a payload.
type encoder struct{ data []byte }

func (e *encoder) uint(v uint64)  { e.data = binary.AppendUvarint(e.data, v) }
func (e *encoder) int(v int64)    { e.data = binary.AppendVarint(e.data, v) }
func (e *encoder) text(s string)  { e.uint(uint64(len(s))); e.data = append(e.data, s...) }
func (e *encoder) sum(s tree.Sum) { e.data = append(e.data, s[:]...) }

func (e *encoder) flags(all ...bool) {
	var v uint64
	for i, f := range all {
		if f {
			v |= 1 << i
		}
	}
	e.uint(v)
}

func (e *encoder) state(s tree.State) {
	e.text(string(s.Kind))
	e.uint(uint64(s.Mode))
	e.int(s.Size)
	e.flags(s.Hashed)
	if s.Hashed {
		e.sum(s.Sum)
	}
}

func (e *encoder) delta(d *delta) {
	e.text(d.path)
	e.state(d.state)
	e.int(d.mtime)
	e.int(d.ctime)
	e.uint(d.inode)
	e.uint(uint64(d.reason))
	e.flags(d.racy, d.unlisted, d.bulk, d.baseline)
}

func (e *encoder) call(c Call) {
	e.text(c.ID)
	e.text(c.Turn)
	e.text(c.Session)
	e.flags(c.Loose)
}

func (e *encoder) gaps(all []Gap) {
	e.uint(uint64(len(all)))
	for _, g := range all {
		e.text(g.Path)
		e.uint(uint64(g.Reason))
	}
}

func (e *encoder) changes(all []tree.Change) {
	e.uint(uint64(len(all)))
	for _, c := range all {
		e.text(c.Path)
		e.state(c.Before)
		e.state(c.After)
		e.flags(c.Kept)
		e.text(c.Reason)
		e.text(string(c.Certainty))
	}
}

// decoder reads the values of a payload in the order in which they were
// appended. After the first malformed value, all values are zero and err is set.
type decoder struct {
	data []byte
	err  error
}

func (d *decoder) fail() { d.data, d.err = nil, errMalformed }

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.data)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.data)) {
		d.fail()
		return nil
	}
	taken := d.data[:n]
	d.data = d.data[n:]
	return taken
}

// length reads the length of a list. Each element has at least one byte.
func (d *decoder) length() int {
	n := d.uint()
	if n > uint64(len(d.data)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.take(d.uint())) }

func (d *decoder) sum() (s tree.Sum) {
	copy(s[:], d.take(uint64(len(s))))
	return s
}

func (d *decoder) flags(all ...*bool) {
	v := d.uint()
	for i, f := range all {
		*f = v&(1<<i) != 0
	}
}

// kind returns the constant of a kind, which needs no memory for each path.
func (d *decoder) kind() tree.Kind {
	switch k := d.take(d.uint()); tree.Kind(k) {
	case tree.Absent:
		return tree.Absent
	case tree.File:
		return tree.File
	case tree.Symlink:
		return tree.Symlink
	case tree.Directory:
		return tree.Directory
	case tree.Other:
		return tree.Other
	case tree.Repository:
		return tree.Repository
	}
	d.fail()
	return tree.Absent
}

func (d *decoder) state() (s tree.State) {
	s.Kind = d.kind()
	s.Mode = fs.FileMode(d.uint())
	s.Size = d.int()
	d.flags(&s.Hashed)
	if s.Hashed {
		s.Sum = d.sum()
	}
	return s
}

func (d *decoder) delta() (v delta) {
	v.path = d.text()
	v.state = d.state()
	v.mtime, v.ctime, v.inode = d.int(), d.int(), d.uint()
	v.reason = Reason(d.uint())
	d.flags(&v.racy, &v.unlisted, &v.bulk, &v.baseline)
	return v
}

func (d *decoder) call() (c Call) {
	c.ID, c.Turn, c.Session = d.text(), d.text(), d.text()
	d.flags(&c.Loose)
	return c
}

func (d *decoder) gaps() []Gap {
	var all []Gap
	for range d.length() {
		all = append(all, Gap{Path: d.text(), Reason: Reason(d.uint())})
	}
	return all
}

func (d *decoder) changes() []tree.Change {
	var all []tree.Change
	for range d.length() {
		c := tree.Change{Path: d.text(), Before: d.state(), After: d.state()}
		d.flags(&c.Kept)
		c.Reason, c.Certainty = d.text(), tree.Certainty(d.text())
		all = append(all, c)
	}
	return all
}

func encodeTime(e *encoder, t time.Time) { e.int(t.UnixNano()) }

func decodeTime(d *decoder) time.Time { return time.Unix(0, d.int()) }
