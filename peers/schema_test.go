package peers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is the official schema: for each method the definitions of its parameters and its result.
type schema struct {
	params, results map[string]*jsonschema.Schema
	envelope        *jsonschema.Schema // any message
	failure         *jsonschema.Schema
}

const schemaURL = "acp.json"

func readSchema(t *testing.T, path string) schema {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	definitions := doc.(map[string]any)["$defs"].(map[string]any)
	refuseInventions(definitions)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaURL, doc); err != nil {
		t.Fatal(err)
	}
	compile := func(at string) *jsonschema.Schema {
		compiled, err := compiler.Compile(schemaURL + at)
		if err != nil {
			t.Fatal(err)
		}
		return compiled
	}
	s := schema{
		params: map[string]*jsonschema.Schema{}, results: map[string]*jsonschema.Schema{},
		envelope: compile(""), failure: compile("#/$defs/Error"),
	}
	for name, definition := range definitions {
		method, annotated := methodOf(definition)
		switch {
		case !annotated:
		case strings.HasSuffix(name, "Response"):
			s.results[method] = compile("#/$defs/" + name)
		default:
			s.params[method] = compile("#/$defs/" + name)
		}
	}
	if len(s.params) < 15 || len(s.results) < 12 {
		t.Fatalf("the schema names its methods otherwise now: %d requests, %d responses found", len(s.params), len(s.results))
	}
	return s
}

func methodOf(definition any) (string, bool) {
	fields, _ := definition.(map[string]any)
	method, annotated := fields["x-method"].(string)
	return method, annotated
}

// refuseInventions makes the schema stricter: at the root of parameters, results and updates it
// allows only the named fields. The protocol requires all other data in _meta, but the schema does
// not enforce that.
func refuseInventions(definitions map[string]any) {
	for name, definition := range definitions {
		if _, annotated := methodOf(definition); annotated || name == "SessionUpdate" {
			definition.(map[string]any)["unevaluatedProperties"] = false
		}
	}
}

// check validates a frame. method is the method of the request if the frame is an answer.
func (s schema) check(m message, method string) error {
	if err := s.validate(s.envelope, json.RawMessage(m.Text)); err != nil {
		return err
	}
	if m.Version != "2.0" {
		return fmt.Errorf("jsonrpc is %q", m.Version)
	}
	switch {
	case m.isAnswer() && (m.Result == nil) == (m.Error == nil):
		return fmt.Errorf("an answer has a result or an error, and not both")
	case m.Error != nil:
		return s.validate(s.failure, m.Error)
	case m.isAnswer():
		return s.validate(s.results[method], m.Result)
	default:
		return s.validate(s.params[m.Method], m.Params)
	}
}

func (s schema) validate(against *jsonschema.Schema, raw json.RawMessage) error {
	if against == nil {
		return fmt.Errorf("the schema does not know this method")
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	return against.Validate(value)
}
