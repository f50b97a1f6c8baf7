package bellcord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// UnknownEvent is an event of a kind that this version does not have. Another
// version of Bellcord has written it. Readers ignore it; it is written in JSON as
// it was read. An agent cannot emit it.
type UnknownEvent struct {
	Name string          // its kind
	Data json.RawMessage // its body
}

// Kind implements Body.
func (u UnknownEvent) Kind() string { return u.Name }

// MarshalJSON returns the body as it was read.
func (u UnknownEvent) MarshalJSON() ([]byte, error) { return u.Data, nil }

func decodeUnknown(kind string, data []byte) (Body, error) {
	if kind == "" {
		return nil, errors.New("event without a kind")
	}
	if !json.Valid(data) {
		return nil, fmt.Errorf("decoding %s event: its body is not JSON", kind)
	}
	return UnknownEvent{Name: kind, Data: bytes.Clone(data)}, nil
}

// knownTypes are the types of bodies that can be recorded.
var knownTypes = func() map[reflect.Type]bool {
	all := make(map[reflect.Type]bool, len(bodyTypes))
	for _, b := range bodyTypes {
		all[reflect.TypeOf(b.zero)] = true
	}
	return all
}()

// CheckBody returns an error if b is nil, a pointer, of a type that embeds an event type
// of this package, or a CustomEvent without a valid name or with other data than JSON.
// No reader could decode such a body. Package hub checks the bodies that an agent
// emits; stores do not check them. CheckBody does not call b's methods.
func CheckBody(b Body) error {
	if b == nil {
		return errors.New("no event: the body is nil")
	}
	if t := reflect.TypeOf(b); !knownTypes[t] {
		if t.Kind() == reflect.Pointer && knownTypes[t.Elem()] {
			return fmt.Errorf("%T is not an event type: pass the value, not a pointer to it", b)
		}
		return fmt.Errorf("%T is not an event type of package bellcord, and no reader could decode it", b)
	}
	if own, is := b.(CustomEvent); is {
		return own.check()
	}
	return nil
}

func (c CustomEvent) check() error {
	switch {
	case c.Name == "":
		return errors.New("a CustomEvent needs a name")
	case len(c.Data) > MaxAgentUpdate:
		return fmt.Errorf("the data of the CustomEvent has %d bytes, at most %d are recorded", len(c.Data), MaxAgentUpdate)
	case len(c.Data) > 0 && !json.Valid(c.Data):
		return errors.New("the data of the CustomEvent is not JSON")
	}
	return CheckName("the name of a CustomEvent", c.Name)
}
