package form_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
)

const everything = `{"type":"object","properties":{
	"zone":{"type":"string","title":"Zone","description":"Where to deploy","enum":["eu","us"],"default":"eu"},
	"level":{"type":"string","oneOf":[{"const":"1","title":"Low"},{"const":"2","title":"High","description":"Slow"}]},
	"mail":{"type":"string","format":"email","minLength":3,"maxLength":40,"pattern":"@"},
	"count":{"type":"integer","minimum":1,"maximum":9},
	"ratio":{"type":"number","minimum":0.5},
	"sure":{"type":"boolean","default":false},
	"days":{"type":"array","items":{"type":"string","enum":["mo","tu"]},"minItems":1,"maxItems":2},
	"tags":{"type":"array","items":{"anyOf":[{"const":"a","title":"A","description":"The first"}]}},
	"old":{"type":"string","enum":["x"],"enumNames":["X"]}
},"required":["zone","count"]}`

func TestFields_SchemaWithEveryType_KeepsOrderAndLimits(t *testing.T) {
	t.Parallel()
	got, err := form.Fields(json.RawMessage(everything))
	if err != nil {
		t.Fatal(err)
	}
	want := []bellcord.Field{
		{Name: "zone", Type: "string", Title: "Zone", Description: "Where to deploy", Required: true, Default: json.RawMessage(`"eu"`), Options: []bellcord.Option{{Value: "eu"}, {Value: "us"}}},
		{Name: "level", Type: "string", Options: []bellcord.Option{
			{Value: "1", Title: "Low"}, {Value: "2", Title: "High", Description: "Slow"},
		}},
		{Name: "mail", Type: "string", Format: "email", Pattern: "@", MinLength: new(3), MaxLength: new(40)},
		{Name: "count", Type: "integer", Required: true, Minimum: new(1.0), Maximum: new(9.0)},
		{Name: "ratio", Type: "number", Minimum: new(0.5)},
		{Name: "sure", Type: "boolean", Default: json.RawMessage(`false`)},
		{Name: "days", Type: "array", Options: []bellcord.Option{{Value: "mo"}, {Value: "tu"}}, MinItems: new(1), MaxItems: new(2)},
		{Name: "tags", Type: "array", Options: []bellcord.Option{{Value: "a", Title: "A", Description: "The first"}}},
		{Name: "old", Type: "string", Options: []bellcord.Option{{Value: "x", Title: "X"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestSchema_OfFields_IsReadBackAsTheSameFields(t *testing.T) {
	t.Parallel()
	fields, err := form.Fields(json.RawMessage(everything))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := form.Schema(fields)
	if err != nil {
		t.Fatal(err)
	}
	again, err := form.Fields(schema)
	if err != nil || !reflect.DeepEqual(again, fields) {
		t.Errorf("%v\nwritten %+v\nread    %+v", err, fields, again)
	}
}

func TestFields_UnsupportedSchema_IsRefused(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`[]`:                                    "invalid",
		`{"type":"string"}`:                     "not an object",
		`{"type":"object"}`:                     "no fields",
		`{"properties":[]}`:                     "not an object",
		`{"properties":{"a":{"type":"array"}}}`: "without items",
		`{"properties":{"a":{"type":"string","enum":[1]}}}`:                           `"a"`,
		`{"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`: "",
	} {
		fields, err := form.Fields(json.RawMessage(schema))
		if err == nil { // the hub refuses unknown types
			err = bellcord.Question{Fields: fields}.ValidateForm()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
	}
}
