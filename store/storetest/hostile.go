package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var hostileChecks = []check{
	{"a value that the store cannot hold does not change the results of the other ops", hostileBatches},
	{"an append that the store rejects does not hold up the later appends of its turn", hostileAppend},
	{"an op that the store rejects has no effect", hostileEffect},
}

// fewBatches is the number of batches without Harness.Batches: enough for every
// value in every kind of op.
const fewBatches = 60

// hostileStrings are values that databases and encodings often reject. The first
// is noise, because an index can compress other long text.
func hostileStrings(r *rand.Rand) []string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	noise := make([]byte, 10_000)
	for i := range noise {
		noise[i] = letters[r.IntN(len(letters))]
	}
	return []string{string(noise), "a\x00b", "\xff", "\xed\xa0\x80 surrogate", strings.Repeat("\xff\x00", 5_000), `\ud800`, `\u0000`, awkward, ""}
}

// hostile puts hostile strings into the fields of ops. It uses every value in
// every kind of op in turn.
type hostile struct {
	*rand.Rand
	values []string
	value  string
	ops    int
}

func newHostile(seed uint64) *hostile {
	r := rand.New(rand.NewPCG(seed, 33))
	return &hostile{Rand: r, values: hostileStrings(r)}
}

// raw returns JSON with a hostile string: its bytes as they are, or escapes of
// unpaired surrogates and of zero, which text and jsonb of some databases reject.
func (h *hostile) raw() json.RawMessage {
	text := strings.NewReplacer("\x00", `\u0000`, "\t", `\t`, "\r", `\r`, "\n", `\n`, `"`, `\"`).Replace(h.value)
	if !json.Valid([]byte(`"` + text + `"`)) {
		text = `\ud800 \udc00\ud800 \u0000`
	}
	return json.RawMessage(`{"` + text + `":["` + text + `"]}`)
}

// fill returns a copy of an op or a body in which strings are hostile: the one
// with the given index, or all if it is negative. Empty lists and pointers get
// one element. total is the number of strings.
func (h *hostile) fill(v any, index int) (filled any, total int) {
	w := filling{hostile: h, index: index}
	out := w.walk(reflect.ValueOf(v), 0)
	return out.Interface(), w.seen
}

// filling is one walk through a value.
type filling struct {
	*hostile
	index, seen int
}

func (w *filling) hit() bool {
	w.seen++
	return w.index < 0 || w.index == w.seen-1
}

// deepest limits the walk, because some types contain themselves.
const deepest = 8

func (w *filling) walk(v reflect.Value, depth int) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	if depth > deepest {
		return out
	}
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		if w.hit() {
			out.SetBytes(w.raw())
		}
	case v.Kind() == reflect.String:
		if w.hit() {
			out.SetString(w.value)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(w.walk(v.Field(i), depth+1))
			}
		}
	case v.Kind() == reflect.Pointer:
		w.pointer(out, v, depth)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		w.slice(out, v, depth)
	case v.Kind() == reflect.Map:
		made := reflect.MakeMap(v.Type())
		made.SetMapIndex(w.walk(reflect.Zero(v.Type().Key()), depth+1), w.walk(reflect.Zero(v.Type().Elem()), depth+1))
		out.Set(made)
	case v.Kind() == reflect.Interface && !v.IsNil():
		out.Set(w.walk(v.Elem(), depth+1))
	}
	return out
}

func (w *filling) pointer(out, v reflect.Value, depth int) {
	if v.IsNil() {
		v = reflect.New(v.Type().Elem())
	}
	made := reflect.New(v.Type().Elem())
	made.Elem().Set(w.walk(v.Elem(), depth+1))
	out.Set(made)
}

func (w *filling) slice(out, v reflect.Value, depth int) {
	n := v.Len()
	if n == 0 && v.Type().Elem().Kind() != reflect.Interface {
		v, n = reflect.MakeSlice(v.Type(), 1, 1), 1
	}
	made := reflect.MakeSlice(v.Type(), n, n)
	for i := range n {
		made.Index(i).Set(w.walk(v.Index(i), depth+1))
	}
	out.Set(made)
}

// opTemplates returns one op of each kind in a hostile owner's session. Their ids
// exist, so that the store reaches the other values.
func (h *hostile) opTemplates(t claimed, queued bellcord.TurnID) []store.Op {
	s := t.session
	body := everyBody()[h.IntN(len(everyBody()))]
	at := now()
	return []store.Op{
		store.PutSession{Session: bellcord.Session{ID: s, Owner: "mallory", Created: at, Updated: at}},
		store.PutSession{Session: bellcord.Session{ID: bellcord.NewSessionID(), Created: at, Updated: at}},
		store.DeleteSession{ID: bellcord.NewSessionID()},
		accept(s),
		claim(s, queued),
		store.AppendEvents{Session: t.session, Turn: t.turn, Fence: t.fence, N: 1, Bodies: []bellcord.Body{body}, At: at},
		store.AppendEvents{Session: s, Bodies: []bellcord.Body{body}, At: at},
		store.EditTurn{Session: s, Turn: queued, Text: "text", At: at},
		store.RecordStop{Turn: t.turn, Cause: stopBy("mallory", bellcord.StopNow)},
		store.RecordStop{Turn: bellcord.NewTurnID(), Owner: "mallory", Cause: stopBy("mallory", bellcord.StopNow)},
		store.RecordStops{Session: s, Owner: "mallory", Cause: stopBy("mallory", bellcord.StopNow)},
		t.ends(bellcord.EndDone),
		t.ends(bellcord.EndStopped),
	}
}

// next returns the next op: with one hostile string, with hostile strings in all
// fields except the ids in its first level, or in all fields.
func (h *hostile) next(templates []store.Op) store.Op {
	op := templates[h.ops%len(templates)]
	h.value = h.values[h.ops/len(templates)%len(h.values)]
	h.ops++
	_, strings := h.fill(op, none)
	switch h.IntN(4) {
	case 0:
		all, _ := h.fill(op, everything)
		return all.(store.Op)
	case 1, 2:
		all, _ := h.fill(op, everything)
		out := reflect.New(reflect.TypeOf(op)).Elem()
		out.Set(reflect.ValueOf(all))
		for _, name := range []string{"ID", "Session", "Turn"} {
			if f := out.FieldByName(name); f.IsValid() && f.Kind() == reflect.String {
				f.Set(reflect.ValueOf(op).FieldByName(name))
			}
		}
		return out.Interface().(store.Op)
	}
	one, _ := h.fill(op, h.IntN(max(1, strings)))
	return one.(store.Op)
}

// Indexes for fill: all strings, and none, to count them.
const (
	everything = -1
	none       = 1 << 30
)

// honestOwner sends ops that must succeed.
type honestOwner struct {
	*node
	turn claimed
	n    int64 // number of the turn's last append
	want int   // events of the session so far
}

func (o *honestOwner) ops() []store.Op {
	o.n++
	o.want += 4 // one for each append, and the accepted turn
	return []store.Op{
		o.turn.appendTexts(o.n, "one"),
		note(o.turn.session, "a title"),
		store.RecordStop{Turn: bellcord.NewTurnID(), Cause: stopBy("anna", bellcord.StopNow)},
		accept(o.turn.session),
		store.PutSession{Session: bellcord.Session{ID: o.turn.session, Title: "a title", Created: now(), Updated: now()}, Existing: true},
		note(o.turn.session, "another title"),
	}
}

// mallory creates a session with a running and a queued turn in one commit.
func (n *node) mallory() (claimed, bellcord.TurnID) {
	at := now()
	s := bellcord.Session{ID: bellcord.NewSessionID(), Owner: "mallory", Created: at, Updated: at}
	runs, waits := accept(s.ID), accept(s.ID)
	results := n.do(store.PutSession{Session: s}, runs, claim(s.ID, runs.Turn), waits)
	return claimed{s.ID, runs.Turn, results[2].Fence}, waits.Turn
}

func hostileBatches(b *bench) {
	n, h := b.node(), newHostile(33)
	batches := b.Batches
	if batches == 0 {
		batches = fewBatches
	}
	s := n.session()
	honest := &honestOwner{node: n, turn: n.running(s), want: 2}
	rejected := 0
	for i := range batches {
		if i%500 == 0 && i > 0 { // another place: SQLite looks through all early stops at each stop
			checkHonest(b, honest)
			n = (&bench{T: b.T, Harness: b.Harness, place: b.Place(b.T)}).node()
			s = n.session()
			honest = &honestOwner{node: n, turn: n.running(s), want: 2}
		}
		rejected += hostileBatch(b, h, honest)
		if b.Failed() {
			b.Fatalf("batch %d", i)
		}
	}
	checkHonest(b, honest)
	b.Logf("%d batches, %d hostile ops rejected, 0 honest ops refused, 0 batches failed", batches, rejected)
}

func checkHonest(b *bench, o *honestOwner) {
	b.Helper()
	if got := len(o.log(o.turn.session)); got != o.want {
		b.Errorf("%d of %d honest events are in the log", got, o.want)
	}
}

// hostileBatch commits honest ops with hostile ones among them. It returns the
// number of rejected ops.
func hostileBatch(b *bench, h *hostile, honest *honestOwner) (rejected int) {
	running, queued := honest.mallory()
	ops, isHonest := honest.ops(), []bool{true, true, true, true, true, true}
	var sent []string
	for range 1 + h.IntN(3) {
		op := h.next(h.opTemplates(running, queued))
		at := h.IntN(len(ops) + 1)
		ops, isHonest = slices.Insert(ops, at, op), slices.Insert(isHonest, at, false)
		sent = append(sent, fmt.Sprintf("%.300q", fmt.Sprintf("%+v", op)))
	}
	results := honest.do(ops...)
	for i, r := range results {
		switch {
		case !isHonest[i] && errors.Is(r.Err, bellcord.ErrRejected):
			rejected++
		case isHonest[i] && r.Err != nil:
			b.Errorf("an honest %T was refused: %v; hostile ops: %s", ops[i], r.Err, sent)
		}
	}
	return rejected
}

func hostileAppend(b *bench) {
	n, h := b.node(), newHostile(34)
	for i, body := range everyBody() {
		t, _ := n.mallory()
		h.value = h.values[i%len(h.values)]
		spoiled, _ := h.fill(body, everything)
		bad := store.AppendEvents{Session: t.session, Turn: t.turn, Fence: t.fence, N: 1, Bodies: []bellcord.Body{spoiled.(bellcord.Body)}, At: now()}
		results := n.do(bad, t.appendTexts(2, "two"), t.appendTexts(3, "three"), t.ends(bellcord.EndFailed))
		for k, r := range results[1:] {
			if r.Err != nil {
				b.Errorf("body %d, %s: op %d after it: %v", i, body.Kind(), k+1, r.Err)
			}
		}
	}
}

// hostileEffect checks that rejected ops add nothing, and that a turn whose
// receipt is rejected can still be ended with another one.
func hostileEffect(b *bench) {
	n, h := b.node(), newHostile(35)
	noise := h.values[0]
	s := n.session()
	t := n.running(s)
	end := t.ends(bellcord.EndDone)
	end.Receipt.UsageByModel = []bellcord.ModelUsage{{Model: noise}}
	before := len(n.log(s))
	results := n.do(note(n.session(), "innocent"), end)
	if results[0].Err != nil {
		b.Errorf("the other op: %v", results[0].Err)
	}
	if results[1].Err == nil {
		return // this store can hold it
	}
	if !errors.Is(results[1].Err, bellcord.ErrRejected) {
		b.Errorf("the receipt was answered with %v, want ErrRejected", results[1].Err)
	}
	if got := len(n.log(s)); got != before {
		b.Errorf("the log has %d events after a rejected end, and %d before it", got, before)
	}
	if r := n.record(t.turn); r.State != bellcord.StateRunning {
		b.Errorf("the turn is %s after a rejected end", r.State)
	}
	n.ok(t.ends(bellcord.EndFailed))
}
