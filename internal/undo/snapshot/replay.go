package snapshot

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// place is where bytes are in the pack.
type place struct {
	segment uint64
	offset  int64
	size    int64
}

// blob is a place and the checksum of the bytes there.
type blob struct {
	sum tree.Sum
	place
}

func deltasRecord(deltas []delta) []byte {
	e := &encoder{data: []byte{recordDeltas}}
	e.uint(uint64(len(deltas)))
	for i := range deltas {
		e.delta(&deltas[i])
	}
	return e.data
}

func blobsRecord(blobs []blob) []byte {
	e := &encoder{data: []byte{recordBlobs}}
	e.uint(uint64(len(blobs)))
	for _, b := range blobs {
		e.sum(b.sum)
		e.uint(b.segment)
		e.int(b.offset)
		e.int(b.size)
	}
	return e.data
}

func openedRecord(c *openCall) []byte {
	e := &encoder{data: []byte{recordOpened}}
	e.call(c.Call)
	e.text(c.handle)
	e.flags(c.exact != nil)
	e.uint(uint64(len(c.exact)))
	for _, path := range c.exact {
		e.text(path)
	}
	e.gaps(c.gaps)
	e.changes(c.loose)
	encodeTime(e, c.at)
	return e.data
}

func touchedRecord(c *openCall) []byte {
	e := &encoder{data: []byte{recordTouched}}
	e.text(c.ID)
	e.uint(uint64(len(c.touched)))
	for path, t := range c.touched {
		e.text(path)
		e.state(t.before)
		e.uint(uint64(t.reason))
		e.flags(t.disputed)
	}
	return e.data
}

func endedRecord(c *endedCall) []byte {
	e := &encoder{data: []byte{recordEnded}}
	e.call(c.Call)
	encodeTime(e, c.at)
	e.changes(c.result.Changes)
	e.gaps(c.result.Gaps)
	e.text(c.handle)
	return e.data
}

func droppedRecord(ids []string) []byte {
	e := &encoder{data: []byte{recordDropped}}
	e.uint(uint64(len(ids)))
	for _, id := range ids {
		e.text(id)
	}
	return e.data
}

func segmentRecord(segment uint64) []byte {
	e := &encoder{data: []byte{recordSegment}}
	e.uint(segment)
	return e.data
}

// replay applies a record to the index. It returns the changes that happened
// while no call was open.
func (x *index) replay(payload []byte) ([]tree.Change, error) {
	var between []tree.Change
	d := &decoder{data: payload[1:]}
	switch payload[0] {
	case recordDeltas:
		deltas := make([]delta, d.length())
		for i := range deltas {
			deltas[i] = d.delta()
		}
		if d.err == nil {
			between = x.apply(deltas)
		}
	case recordBlobs:
		for range d.length() {
			b := blob{d.sum(), place{d.uint(), d.int(), d.int()}}
			x.blobs[b.sum] = b.place
		}
	case recordOpened:
		c := &openCall{Call: d.call(), handle: d.text(), touched: map[string]*touch{}}
		exact := false
		d.flags(&exact)
		if exact {
			c.exact = []string{}
		}
		for range d.length() {
			c.exact = append(c.exact, d.text())
		}
		c.gaps, c.loose = d.gaps(), d.changes()
		if len(d.data) > 0 { // otherwise an earlier version has written it
			c.at = decodeTime(d)
		}
		x.open[c.ID] = c
	case recordTouched:
		c := x.open[d.text()]
		for range d.length() {
			path, t := d.text(), &touch{before: d.state(), reason: Reason(d.uint())}
			d.flags(&t.disputed)
			if c != nil {
				c.touched[path] = t
			}
		}
	case recordEnded:
		c := &endedCall{Call: d.call(), at: decodeTime(d)}
		c.result.Changes, c.result.Gaps = d.changes(), d.gaps()
		if len(d.data) > 0 {
			c.handle = d.text()
		}
		delete(x.open, c.ID)
		x.ended[c.ID] = c
	case recordDropped:
		for range d.length() {
			delete(x.ended, d.text())
		}
	case recordSegment:
		segment := d.uint()
		for sum, p := range x.blobs {
			if p.segment == segment {
				delete(x.blobs, sum)
			}
		}
	default:
		return nil, fmt.Errorf("record of the unknown kind %d: it was written by a newer version", payload[0])
	}
	return between, d.err
}

// dump returns the records that rebuild the index. Records are short enough for
// their frames.
func (x *index) dump() []byte {
	const chunk = 1 << 14
	var out []byte
	deltas := []delta{{path: "", entry: x.root.entry, baseline: true}}
	for path, n := range x.root.all("") {
		deltas = append(deltas, delta{path: path, entry: n.entry, baseline: true})
	}
	slices.SortFunc(deltas, func(a, b delta) int { return cmp.Compare(a.path, b.path) })
	for part := range slices.Chunk(deltas, chunk) {
		out = frame(out, deltasRecord(part))
	}
	blobs := make([]blob, 0, len(x.blobs))
	for sum, p := range x.blobs {
		blobs = append(blobs, blob{sum, p})
	}
	for part := range slices.Chunk(blobs, chunk) {
		out = frame(out, blobsRecord(part))
	}
	for _, c := range x.open {
		out = frame(out, openedRecord(c))
		out = frame(out, touchedRecord(c))
	}
	for _, c := range x.ended {
		out = frame(out, endedRecord(c))
	}
	return out
}
