package bellcord_test

import (
	"encoding/json"
	"fmt"

	"github.com/bellcord/bellcord"
)

// A turn may have an id that its caller has chosen, so that it can be stopped before
// the prompt has arrived.
func ExampleParseTurnID() {
	id, err := bellcord.ParseTurnID("0191E0D5-7B5A-7000-8000-000000000001")
	fmt.Println(id, err)
	_, err = bellcord.ParseTurnID("turn 1")
	fmt.Println(err)
	// Output:
	// 0191e0d5-7b5a-7000-8000-000000000001 <nil>
	// id is not a UUID
}

// The same text has the same id, so that a request that is sent twice makes one turn.
func ExampleNamedID() {
	fmt.Println(bellcord.NamedID("order 17"))
	fmt.Println(bellcord.NamedID("order 18"))
	// Output:
	// 0bcc920e-3938-81b8-ae34-83fc9888c6d6
	// 84cea6b3-b657-800b-a89a-e233eafc3f55
}

// A reply is checked before the agent gets it.
func ExampleQuestion_CheckReply() {
	ask := bellcord.Question{Text: "How many?", Choices: bellcord.FormChoices(), Fields: []bellcord.Field{
		{Name: "count", Type: bellcord.FieldInteger, Required: true, Maximum: new(10.0)},
	}}
	for _, value := range []string{"3", "30", `"three"`} {
		_, err := ask.CheckReply(bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: map[string]json.RawMessage{"count": json.RawMessage(value)}})
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// field "count": expected a whole number of at most 10
	// field "count": expected a whole number of at most 10
}

// A body of a kind that this version does not have is read and written unchanged.
func ExampleDecodeBody() {
	body, err := bellcord.DecodeBody("sound_played", []byte(`{"volume":3}`))
	fmt.Printf("%T %s %v\n", body, body.Kind(), err)
	// Output: bellcord.UnknownEvent sound_played <nil>
}
