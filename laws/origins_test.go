package laws_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

var (
	everyOrigin = flag.Bool("origins", false, "hold every law with the stop sent over HTTP, too")
	everyNode   = flag.Bool("nodes", false, "hold every law on PostgreSQL with the stop coming from every origin, at every node")
)

// stopAnswer is the answer that the sender of a stop received.
type stopAnswer struct {
	answer bellcord.StopAnswer
	raw    []byte // the receipt as sent over the wire, if any
	body   []byte // the complete response body
	status int    // HTTP status, if it was an HTTP request
}

// origin is a way in which a stop reaches a turn.
type origin struct {
	name  string
	ready func(s *stage) // called before the prompt is sent
	// stop returns when the stop has been received; the returned function waits
	// for the answer.
	stop   func(s *stage, id bellcord.TurnID) func() stopAnswer
	cause  bellcord.Cause       // the cause as recorded for this origin
	queue  bellcord.QueueAction // action that the stop requests
	scope  bool                 // the stop names a scope instead of a turn
	http   bool
	mute   bool                    // the sender receives no answer
	link   link                    // connection of the receiving node to the turn's node
	late   time.Duration           // maximum time until the stop takes effect
	ends   map[string]bellcord.End // ends that differ from those of a stop by the core
	cannot map[string]string       // cut points that the origin cannot express, with the reason
	differ map[string][]string     // fields that differ from the core's receipt at a cut point, in addition to the cause
}

// Reasons why an origin cannot express a cut point.
const (
	tooQuick  = "before anything has come from anywhere else, the turn is past its start: see being claimed"
	noTurnYet = "it names what is there, and the turn is not"
	rowFirst  = "the store alone decides who was first, and this stop is in the store before the end is: see law 29, at the finish"
)

// heardLater lists the fields that depend on how much the model had sent. A
// stop through the store alone takes effect at the turn's next commit, when the
// model has sent more.
var heardLater = []string{"Kept.TextBytes", "Kept.ThinkingBytes", "Usage.OutputTokens", "UsageByModel[0].Usage.OutputTokens"}

// origins lists the origins of a stop. All others are compared with the first.
var origins = []origin{
	{
		name: "core", cause: by, queue: bellcord.QueueHold,
		stop: byCore(func(_ *stage, id bellcord.TurnID) bellcord.StopRequest { return bellcord.StopTurn(id, by) }),
	}, {
		name: "core, a session and its queue", cause: by, queue: bellcord.QueueDrop, scope: true,
		stop: byCore(func(s *stage, _ bellcord.TurnID) bellcord.StopRequest {
			return bellcord.StopRequest{Session: s.session, Queue: bellcord.QueueDrop, Cause: by}
		}),
		cannot: map[string]string{"before accept": noTurnYet},
	}, {
		name: "http, a turn", cause: by, queue: bellcord.QueueHold, http: true,
		stop:   byHTTP(func(_ *stage, id bellcord.TurnID) string { return "/v1/turns/" + string(id) + "/stop" }, ""),
		cannot: map[string]string{"starting": tooQuick},
	}, {
		name: "http, a session and its queue", cause: by, queue: bellcord.QueueDrop, scope: true, http: true,
		stop:   byHTTP(func(s *stage, _ bellcord.TurnID) string { return "/v1/sessions/" + string(s.session) + "/stop" }, bellcord.QueueDrop),
		cannot: map[string]string{"before accept": noTurnYet, "starting": tooQuick},
	}, {
		name: "http, everything", cause: by, queue: bellcord.QueueDrop, scope: true, http: true,
		stop:   byHTTP(func(*stage, bellcord.TurnID) string { return "/v1/stop" }, bellcord.QueueDrop),
		cannot: map[string]string{"before accept": noTurnYet, "starting": tooQuick},
	}, {
		name: "acp", cause: bellcord.Cause{By: "editor", Source: "acp", Reason: "session/cancel"}, queue: bellcord.QueueDrop, scope: true,
		ready: (*stage).openEditor, stop: byEditor, mute: true,
		cannot: map[string]string{"before accept": noTurnYet, "starting": tooQuick},
	}, {
		name: "the store alone", cause: by, queue: bellcord.QueueHold,
		stop: byStore, mute: true, late: usualSweep,
		cannot: map[string]string{"starting": tooQuick, "in settle": rowFirst},
		differ: map[string][]string{
			"in thinking": heardLater, "in text": heardLater, "in the second step": heardLater,
		},
	},
}

// silentAt returns the reason why the origin gets no answer about a turn at the
// cut point, empty if it gets one.
func (o origin) silentAt(c cut) string {
	if o.scope && c.name == "after the end" {
		return "nothing is there, and that is the answer: see law 4, which asks"
	}
	return o.cannot[c.name]
}

func byCore(request func(*stage, bellcord.TurnID) bellcord.StopRequest) func(*stage, bellcord.TurnID) func() stopAnswer {
	return func(s *stage, id bellcord.TurnID) func() stopAnswer {
		stopping := s.entrance().Stop(request(s, id))
		if len(s.nodes) > 1 {
			synctest.Wait() // it has progressed as far as it can without time passing
		}
		return func() stopAnswer {
			s.t.Helper()
			answers, err := stopping.Wait(s.t.Context())
			if err != nil {
				s.t.Fatalf("the stop answered %v, %v", answers, err)
			}
			as := stopAnswer{answer: bellcord.StopAnswer{State: api.NothingToStop}}
			for _, a := range answers {
				if a.Turn == id {
					as.answer = a
				}
			}
			return as
		}
	}
}

// byStore stops as another process does. It receives no answer and reads the
// stored receipt.
func byStore(s *stage, id bellcord.TurnID) func() stopAnswer {
	s.stopFromOutside(id)
	return func() stopAnswer { return stopAnswer{} }
}

// Law 4: for every origin and every cut point, the stored receipt is equal to
// the core's in every field except the cause; and a caller over HTTP received
// the stored receipt, byte for byte.
func TestLaw04_EveryOriginAtEveryCutPoint_GivesTheSameReceipt(t *testing.T) {
	t.Parallel()
	for _, c := range cuts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var core bellcord.Receipt
			for _, on := range grounds(t) {
				for _, from := range origins {
					if from.link == sameNode || on.shared {
						t.Run(on.name+"/"+from.name, func(t *testing.T) { likeTheCore(t, setting{ground: on, from: from}, c, &core) })
					}
				}
			}
		})
	}
}

// likeTheCore plays a scene and compares its receipt with the core's, which the
// first scene stores in core.
func likeTheCore(t *testing.T, at setting, c cut, core *bellcord.Receipt) {
	t.Helper()
	if why := at.from.cannot[c.name]; why != "" {
		t.Skip(why)
	}
	onEvenStage(t, at, func(s *stage) {
		sc := s.stopAt(c)
		if core.Turn == "" && at.from.name == origins[0].name {
			*core = sc.receipt
		}
		sc.isLike(at.from, *core)
		if at.from.http {
			sc.checkReply(at.from)
		}
	})
}

// onEvenStage is onStage in a directory with a name of fixed length: the model
// receives the name, and its length affects the token count.
func onEvenStage(t *testing.T, at setting, play func(s *stage)) {
	t.Helper()
	const length = 200
	dir := t.TempDir()
	at.dir, at.format = filepath.Join(dir, strings.Repeat("x", max(1, length-len(dir)))), formats[0]
	if err := os.Mkdir(at.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	onStageAt(t, at, play)
}

// isLike compares the stored receipt with the core's.
func (sc scene) isLike(from origin, want bellcord.Receipt) {
	sc.t.Helper()
	if sc.receipt.Turn != sc.id || sc.receipt.Session != sc.session {
		sc.t.Errorf("the receipt is of %s in %s", sc.receipt.Turn, sc.receipt.Session)
	}
	if want.Turn == "" {
		sc.t.Fatal("the core left no receipt")
	}
	if end := from.endAt(sc.cut); sc.receipt.End != end {
		sc.t.Errorf("it ended %s, not %s", sc.receipt.End, end)
	}
	if want.Cause != nil {
		as := *want.Cause
		as.By, as.Source, as.Reason, as.Queue = from.cause.By, from.cause.Source, from.cause.Reason, ""
		if from.queue != bellcord.QueueHold {
			as.Queue = from.queue
		}
		want.Cause = &as
	}
	if want.Queue != "" {
		want.Queue = from.queue
	}
	for field, how := range differences("", reflect.ValueOf(inOrder(sc.receipt)), reflect.ValueOf(inOrder(want))) {
		if !slices.Contains(from.differ[sc.name], field) {
			sc.t.Errorf("%s is %s", field, how)
		}
	}
}

// inOrder sorts parallel calls and replaces question ids, so that receipts of
// different scenes can be compared.
func inOrder(r bellcord.Receipt) bellcord.Receipt {
	c := &r.Calls
	for _, calls := range []*[]bellcord.CallRef{&c.Stopped, &c.NotStarted, &c.Unknown} {
		*calls = slices.SortedFunc(slices.Values(*calls), func(a, b bellcord.CallRef) int { return strings.Compare(a.Call, b.Call) })
	}
	r.WithdrawnQuestions = slices.Repeat([]string{"one"}, len(r.WithdrawnQuestions))
	return r
}

// checkReply compares the HTTP response with the stored receipt.
func (sc scene) checkReply(from origin) {
	sc.t.Helper()
	state, status := bellcord.StopStateSettled, http.StatusOK
	switch {
	case sc.name == "before accept":
		state, status = bellcord.StopStateWaitingForTurn, http.StatusAccepted
	case sc.name == "after the end" && from.scope:
		state = api.NothingToStop
	case sc.name == "after the end":
		state = bellcord.StopStateAlreadyEnded
	}
	if sc.answer.State != state || sc.status != status {
		sc.t.Errorf("answered %d %s, want %d %s: %s", sc.status, sc.answer.State, status, state, sc.body)
	}
	onRecord, err := json.Marshal(sc.receipt)
	if err != nil {
		sc.t.Fatal(err)
	}
	if (state == bellcord.StopStateSettled || state == bellcord.StopStateAlreadyEnded) && !bytes.Equal(sc.raw, onRecord) {
		sc.t.Errorf("told      %s\non record %s", sc.raw, onRecord)
	}
	var turn struct {
		Receipt json.RawMessage `json:"receipt"`
	}
	r := sc.serve().roundTrip(http.MethodGet, "/v1/turns/"+string(sc.id), nil)
	if err := json.Unmarshal(r.body, &turn); err != nil || !bytes.Equal(turn.Receipt, onRecord) {
		sc.t.Errorf("asked again: %d %s, %v\non record %s", r.status, r.body, err, onRecord)
	}
}
