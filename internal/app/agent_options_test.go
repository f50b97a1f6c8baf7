package app

import (
	"reflect"
	"testing"

	"github.com/bellcord/bellcord/api"
)

func TestOptionsIn_SelectsAndGroups_AreReadAndOthersOmitted(t *testing.T) {
	t.Parallel()
	got := optionsIn([]byte(`{"configOptions":[
		{"id":"model","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]},
		{"id":"effort","name":"Effort","type":"select","currentValue":"low","options":[{"group":"g","name":"Group","options":[{"value":"low","name":"Low"}]}]},
		{"id":"beta","name":"Beta","type":"boolean","currentValue":true},
		{"id":"none","name":"None","type":"select","currentValue":"x","options":[]}
	]}`))
	want := []api.AgentOption{
		{ID: "model", Name: "Model", Category: "model", Value: "a", Choices: []api.AgentChoice{{Value: "a", Name: "A"}, {Value: "b", Name: "B"}}},
		{ID: "effort", Name: "Effort", Value: "low", Choices: []api.AgentChoice{{Value: "low", Name: "Low"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for _, message := range []string{``, `{}`, `[]`, `{"configOptions":"x"}`} {
		if got := optionsIn([]byte(message)); got != nil {
			t.Errorf("%s: %+v", message, got)
		}
	}
}
