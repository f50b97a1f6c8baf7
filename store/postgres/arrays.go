package postgres

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgtype"
)

// array is an array parameter in PostgreSQL's binary format. pgx encodes a slice
// element by element with reflection, into a buffer that it grows from 256 bytes;
// for the rows of a commit, that costs as much as everything else together.
type array struct {
	n    int
	data []byte // the elements, each after its length
}

func (a *array) addText(s string) {
	a.data = append(a.length(len(s)), s...)
}

func (a *array) addBytes(b []byte) {
	a.data = append(a.length(len(b)), b...)
}

func (a *array) addNumber(n int64) {
	a.data = binary.BigEndian.AppendUint64(a.length(8), uint64(n))
}

func (a *array) length(size int) []byte {
	a.n++
	return binary.BigEndian.AppendUint32(a.data, uint32(size))
}

// empty removes all elements and keeps the memory.
func (a *array) empty() { a.n, a.data = 0, a.data[:0] }

// arrayElements maps the array types that array supports to their elements.
var arrayElements = map[uint32]uint32{
	pgtype.TextArrayOID:  pgtype.TextOID,
	pgtype.Int8ArrayOID:  pgtype.Int8OID,
	pgtype.ByteaArrayOID: pgtype.ByteaOID,
}

// arrayCodec encodes *array, and everything else like the codec of pgx.
type arrayCodec struct{ pgtype.Codec }

// PreferredFormat implements pgtype.Codec.
func (arrayCodec) PreferredFormat() int16 { return pgtype.BinaryFormatCode }

// PlanEncode implements pgtype.Codec.
func (c arrayCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, is := value.(*array); is && format == pgtype.BinaryFormatCode {
		return arrayPlan{arrayElements[oid]}
	}
	return c.Codec.PlanEncode(m, oid, format, value)
}

// arrayPlan encodes an *array with elements of a type.
type arrayPlan struct{ element uint32 }

// Encode implements pgtype.EncodePlan.
func (p arrayPlan) Encode(value any, buf []byte) ([]byte, error) {
	a := value.(*array)
	const dimensions, nulls, lowest = 1, 0, 1
	for _, n := range []uint32{dimensions, nulls, p.element, uint32(a.n), lowest} {
		buf = binary.BigEndian.AppendUint32(buf, n)
	}
	return append(buf, a.data...), nil
}

// registerArrays adds the encoding of *array to the types of a connection.
func registerArrays(types *pgtype.Map) {
	for oid := range arrayElements {
		element, _ := types.TypeForOID(oid)
		types.RegisterType(&pgtype.Type{Name: element.Name, OID: oid, Codec: arrayCodec{element.Codec}})
	}
}
