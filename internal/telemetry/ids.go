package telemetry

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/bellcord/bellcord"
)

// IDs generates the ids of traces. A turn's trace has the turn's id, so that
// the trace can be found from the turn. The root span's id is derived from it,
// too. Therefore a turn that outlived its process has one trace: spans of the
// dead process are children of the root span that the next process exports.
//
// IDs implements IDGenerator of the SDK.
type IDs struct{}

type turnKey struct{}

// ofTurn returns a context for the trace of a turn.
func ofTurn(id bellcord.TurnID) context.Context {
	return context.WithValue(context.Background(), turnKey{}, id)
}

// NewIDs returns the ids of a turn's trace and root span if ctx is from
// ofTurn. Otherwise, and for a turn id that is not a valid trace id, it
// returns random ids.
func (g IDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	turn, _ := ctx.Value(turnKey{}).(bellcord.TurnID)
	var of trace.TraceID
	if id, err := hex.DecodeString(strings.ReplaceAll(string(turn), "-", "")); err == nil && len(id) == len(of) {
		copy(of[:], id)
	}
	for !of.IsValid() {
		binary.BigEndian.PutUint64(of[:8], rand.Uint64())
		binary.BigEndian.PutUint64(of[8:], rand.Uint64())
	}
	root := trace.SpanID(of[8:])
	if !root.IsValid() {
		root = g.NewSpanID(ctx, of)
	}
	return of, root
}

// NewSpanID returns a random id.
func (IDs) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	for !id.IsValid() {
		binary.BigEndian.PutUint64(id[:], rand.Uint64())
	}
	return id
}
