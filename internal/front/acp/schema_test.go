package acp_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// official contains the official schema's definitions of parameters and
// results, by method. It is loaded before the first test: under a fake clock no
// test may wait for another.
var (
	official  = readOfficial("../../acp/testdata/schema.json")
	official2 = readOfficial("../../acp/v2/testdata/schema.json") // of version 2
)

type definitions struct{ params, results map[string]*jsonschema.Schema }

func readOfficial(path string) definitions {
	all := definitions{map[string]*jsonschema.Schema{}, map[string]*jsonschema.Schema{}}
	if os.Getenv(hostedDir) != "" { // an agent or a command, which may run in another directory
		return all
	}
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	defs := doc.(obj)["$defs"].(obj)
	for name, d := range defs {
		if _, method := d.(obj)["x-method"]; method || name == "SessionUpdate" {
			d.(obj)["unevaluatedProperties"] = false // anything outside the schema belongs in _meta
		}
	}
	if err := compiler.AddResource("acp.json", doc); err != nil {
		panic(err)
	}
	for name, d := range defs {
		method, _ := d.(obj)["x-method"].(string)
		switch {
		case method == "":
		case strings.HasSuffix(name, "Response"):
			all.results[method] = compiler.MustCompile("acp.json#/$defs/" + name)
		default:
			all.params[method] = compiler.MustCompile("acp.json#/$defs/" + name)
		}
	}
	return all
}

// check validates a frame of the server against the schema. For a reply, the
// second argument is the method of its request, or "" to skip the validation.
func (d definitions) check(f frame, method string) error {
	switch {
	case f.Method != "" && d.params[f.Method] == nil:
		return fmt.Errorf("the schema has no method %s", f.Method)
	case f.Method != "":
		return d.params[f.Method].Validate(any(f.Params))
	case f.Error == nil && d.results[method] != nil:
		return d.results[method].Validate(any(f.Result))
	}
	return nil
}
