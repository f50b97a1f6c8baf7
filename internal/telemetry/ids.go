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

// IDs makes the ids of traces: a turn's trace has the turn's id, so whoever
// knows a turn finds its trace. The root span's id comes from it too. So a
// turn that outlived its process has one trace: what the dead process told of
// it hangs below the root that the next one tells.
//
// It is an IDGenerator of the SDK.
type IDs struct{}

type turnKey struct{}

// ofTurn says whose trace is begun.
func ofTurn(id bellcord.TurnID) context.Context {
	return context.WithValue(context.Background(), turnKey{}, id)
}

// NewIDs returns the ids of a turn's trace and root span, where ctx is a
// turn's; else, and for an id that no trace can have, random ones.
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
