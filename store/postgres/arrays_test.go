package postgres

import (
	"bytes"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

func TestArray_Elements_AreEncodedLikeASlice(t *testing.T) {
	t.Parallel()
	plain, own := pgtype.NewMap(), pgtype.NewMap()
	registerArrays(own)
	texts, numbers, blobs := []string{"one", "", "zwölf"}, []int64{0, -1, 1 << 62}, [][]byte{{0, 255}, {}, []byte("{}")}
	var text, number, blob array
	for i := range texts {
		text.addText("removed")
		number.addNumber(7)
		blob.addBytes([]byte("removed"))
		if i == 1 { // the memory of removed elements is used again
			text.empty()
			number.empty()
			blob.empty()
			break
		}
	}
	for i := range texts {
		text.addText(texts[i])
		number.addNumber(numbers[i])
		blob.addBytes(blobs[i])
	}
	for _, test := range []struct {
		oid   uint32
		slice any
		array *array
	}{
		{pgtype.TextArrayOID, texts, &text},
		{pgtype.Int8ArrayOID, numbers, &number},
		{pgtype.ByteaArrayOID, blobs, &blob},
	} {
		want, err := plain.Encode(test.oid, pgtype.BinaryFormatCode, test.slice, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]any{"array": test.array, "slice": test.slice} {
			got, err := own.Encode(test.oid, own.FormatCodeForOID(test.oid), value, nil)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("the %s of %v is encoded as %x, error %v; want %x", name, test.slice, got, err, want)
			}
		}
	}
}
