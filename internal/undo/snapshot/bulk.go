package snapshot

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord/internal/ignore"
)

// unit is a directory that git ignores. It is bulk if it exceeds a limit.
type unit struct {
	path  string
	old   *node
	files atomic.Int64
	bytes atomic.Int64
}

func (u *unit) over(l Limits) bool {
	return u != nil && (u.files.Load() > int64(l.BulkFiles) || u.bytes.Load() > l.BulkBytes)
}

// classify decides whether the bytes of a directory are kept. It returns false
// if the scan does not visit it.
func (w *walker) classify(t *task, name string) bool {
	switch {
	case t.bulk:
	case name == "node_modules" || name == ".venv":
		t.bulk = true
	case t.unit == nil && t.chain.Ignores(t.path, true):
		t.bulk = name == "target"
		t.unit = &unit{path: t.path, old: t.old}
	}
	if w.scope == KeptPart && (t.bulk || t.old != nil && t.old.bulk) {
		w.skip(t, Bulk)
		return false
	}
	if t.unit != nil && t.unit.path == t.path && !t.bulk {
		w.mu.Lock()
		w.units = append(w.units, t.unit)
		w.mu.Unlock()
	}
	return true
}

// markUnits adds an observation of each directory that has become bulk, or is
// bulk no longer.
func (s *scan) markUnits() {
	units := map[string]*unit{}
	for _, u := range s.units {
		units[u.path] = u
	}
	for i := range s.deltas {
		d := &s.deltas[i]
		if u := units[d.path]; u != nil {
			d.bulk = u.over(s.limits)
			delete(units, d.path)
		}
	}
	for path, u := range units {
		if u.old != nil && u.old.bulk != u.over(s.limits) {
			e := u.old.entry
			e.bulk = !e.bulk
			s.deltas = append(s.deltas, delta{path: path, entry: e})
		}
	}
}

// cacheSignature is the begin of a file CACHEDIR.TAG, which marks directories of
// files that a program can generate again (https://bford.info/cachedir/).
const cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

func (w *walker) isCache(dir string) bool {
	f, err := w.files.openFile(join(dir, "CACHEDIR.TAG"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, len(cacheSignature))
	_, err = f.ReadAt(text, 0)
	return err == nil && string(text) == cacheSignature
}

// ruleCache has the rules of gitignore files that have not changed.
type ruleCache struct {
	mu    sync.Mutex
	rules map[string]cachedRules
}

type cachedRules struct {
	entry
	rules ignore.Rules
}

func (c *ruleCache) read(files *files, path string, e entry) ignore.Rules {
	c.mu.Lock()
	cached, ok := c.rules[path]
	c.mu.Unlock()
	if ok && cached.sameStat(&e) {
		return cached.rules
	}
	f, err := files.openFile(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var text bytes.Buffer
	if _, err := io.Copy(&text, io.NewSectionReader(f, 0, 1<<20)); err != nil {
		return nil
	}
	rules := ignore.Parse(text.String())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rules[path] = cachedRules{e, rules}
	return rules
}
