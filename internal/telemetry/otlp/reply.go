package otlp

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of fields in ExportTraceServiceResponse, and in its partial success.
const (
	fieldPartial  = 1
	fieldRejected = 1
	fieldMessage  = 2
)

// rejected returns an error if the reply states that the collector has rejected spans
// of the request, or has a message about it.
func rejected(reply []byte) error {
	partial, _ := field(reply, fieldPartial)
	message, _ := field(partial, fieldMessage)
	_, spans := field(partial, fieldRejected)
	if spans == 0 && len(message) == 0 {
		return nil
	}
	return fmt.Errorf("the collector rejected %d spans: %s", spans, message)
}

// field returns the last value of a field in an encoded message. A message that is not
// valid has no more fields.
func field(message []byte, number protowire.Number) (text []byte, count uint64) {
	for len(message) > 0 {
		found, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			break
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(found, kind, message)
		if size < 0 {
			break
		}
		if found == number {
			switch kind {
			case protowire.BytesType:
				text, _ = protowire.ConsumeBytes(message)
			case protowire.VarintType:
				count, _ = protowire.ConsumeVarint(message)
			case protowire.Fixed32Type, protowire.Fixed64Type, protowire.StartGroupType, protowire.EndGroupType: // not in this message
			}
		}
		message = message[size:]
	}
	return text, count
}
