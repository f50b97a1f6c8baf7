package acp

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// definition is a node of the schema.
type definition struct {
	Ref        string                 `json:"$ref"`
	Type       any                    `json:"type"` // a name or several
	Const      any                    `json:"const"`
	Properties map[string]*definition `json:"properties"`
	Required   []string               `json:"required"`
	Items      *definition            `json:"items"`
	AllOf      []*definition          `json:"allOf"`
	AnyOf      []*definition          `json:"anyOf"`
	OneOf      []*definition          `json:"oneOf"`
	Method     string                 `json:"x-method"`
}

// checker compares types with definitions and collects the differences.
type checker struct {
	defs        map[string]*definition
	enums       map[string][]any // constants of the package, by type
	checked     map[string]bool  // names of the types that were checked
	differences []string
}

func (c *checker) differ(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// schema returns the definitions by their names in lower case, because the case
// differs in Go (HTTPHeader).
var schema = sync.OnceValues(func() (map[string]*definition, error) {
	data, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		return nil, err
	}
	var file struct {
		Defs map[string]*definition `json:"$defs"`
	}
	err = json.Unmarshal(data, &file)
	defs := map[string]*definition{}
	for name, d := range file.Defs {
		defs[strings.ToLower(name)] = d
	}
	return defs, err
})

func newChecker(t *testing.T) *checker {
	t.Helper()
	defs, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	return &checker{defs: defs, enums: constants(t), checked: map[string]bool{}}
}

func (c *checker) named(name string) *definition {
	d := c.defs[strings.ToLower(name)]
	if d == nil {
		c.differ("the schema has no %s", name)
		return &definition{}
	}
	return d
}

// resolve follows references. If a definition allows null and one alternative,
// it returns the alternative. Of several alternatives it returns the one with
// the Go type's name.
func (c *checker) resolve(d *definition, goName string) *definition {
	for {
		alternatives := slices.DeleteFunc(slices.Concat(d.AnyOf, d.AllOf), func(a *definition) bool { return a.Type == "null" })
		for _, a := range alternatives {
			for _, ref := range append([]*definition{a}, a.AllOf...) {
				if goName != "" && strings.EqualFold(strings.TrimPrefix(ref.Ref, "#/$defs/"), goName) {
					return c.named(goName)
				}
			}
		}
		switch {
		case d.Ref != "":
			d = c.named(strings.TrimPrefix(d.Ref, "#/$defs/"))
		case d.Properties == nil && len(alternatives) == 1:
			d = alternatives[0]
		default:
			return d
		}
	}
}

// check compares a type with a definition.
func (c *checker) check(path string, t reflect.Type, d *definition) {
	d = c.resolve(d, t.Name())
	c.checked[t.Name()] = true
	switch {
	case t == reflect.TypeFor[SessionUpdate]():
		c.checkUpdates(path, updates, d)
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface: // any value
	case t == reflect.TypeFor[Supported]():
		c.kind(path, d, "object")
		if len(d.Properties) > 1 || len(d.Required) > 0 {
			c.differ("%s: it has members: %v", path, d.Properties)
		}
	case t.Kind() == reflect.Pointer:
		c.check(path, t.Elem(), d)
	case t.Kind() == reflect.Slice:
		if d.Items == nil && len(d.AnyOf) > 0 {
			d = d.AnyOf[0] // a list of options or of groups
		}
		c.kind(path, d, "array")
		if d.Items != nil {
			c.check(path+"[]", t.Elem(), d.Items)
		}
	case t.Kind() == reflect.Struct:
		c.checkMembers(path, t, d)
	default:
		c.checkValue(path, t, d)
	}
}

func (c *checker) kind(path string, d *definition, want string) {
	if names, several := d.Type.([]any); d.Type != want && (!several || !slices.Contains(names, any(want))) {
		c.differ("%s is a %s, and %v in the schema", path, want, d.Type)
	}
}

func (c *checker) checkValue(path string, t reflect.Type, d *definition) {
	want := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Map: "object",
		reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number",
	}[t.Kind()]
	values := slices.Concat(d.OneOf, d.AnyOf)
	if len(values) == 0 {
		c.kind(path, d, want)
	}
	var consts []any
	for _, v := range values {
		c.kind(path, v, want)
		if v.Const != nil {
			consts = append(consts, v.Const)
		}
	}
	if ours := c.enums[t.Name()]; len(ours) > 0 && !sameSet(ours, consts) {
		c.differ("%s: the constants of %s are %v, and %v in the schema", path, t.Name(), ours, consts)
	}
}

func sameSet(a, b []any) bool {
	in := func(set []any) func(any) bool { return func(v any) bool { return !slices.Contains(set, v) } }
	return !slices.ContainsFunc(a, in(b)) && !slices.ContainsFunc(b, in(a))
}

// checkMembers compares a struct with a definition: all members must be in the
// schema, and required members must exist and always be sent.
func (c *checker) checkMembers(path string, t reflect.Type, d *definition) {
	properties, always, sometimes := c.members(d)
	ours := map[string]bool{} // by name: whether it is always sent
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		ours[name] = options == ""
		if properties[name] == nil {
			c.differ("%s: the schema has no member %q", path, name)
			continue
		}
		c.check(path+"."+name, f.Type, properties[name])
	}
	for _, name := range always {
		if !ours[name] {
			c.differ("%s: %s is required, and not always sent", path, name)
		}
	}
	for _, name := range sometimes {
		if _, has := ours[name]; !has && properties[name].Const == nil { // a tag does not have to be read
			c.differ("%s: %s is required in an alternative, and missing", path, name)
		}
	}
}

// members returns the members of a definition, including those of its parts and
// alternatives, and the names that are required always or in an alternative.
func (c *checker) members(d *definition) (all map[string]*definition, always, sometimes []string) {
	all = map[string]*definition{}
	add := func(part *definition) []string {
		p, required, more := c.members(c.resolve(part, ""))
		for name, one := range p {
			all[name] = one
		}
		return append(required, more...)
	}
	for _, part := range d.AllOf {
		always = append(always, add(part)...)
	}
	for _, part := range slices.Concat(d.OneOf, d.AnyOf) {
		sometimes = append(sometimes, add(part)...)
	}
	for name, one := range d.Properties {
		all[name] = one
	}
	return all, append(always, d.Required...), sometimes
}

// tagged returns the alternatives of a definition by the value of their tag.
func tagged(d *definition, tag string) map[string]*definition {
	all := map[string]*definition{}
	for _, one := range d.OneOf {
		if p := one.Properties[tag]; p != nil {
			all[p.Const.(string)] = one
		}
	}
	return all
}

// checkUpdates compares each update with the alternative of its kind.
func (c *checker) checkUpdates(path string, types map[string]reflect.Type, d *definition) {
	alternatives := tagged(d, "sessionUpdate")
	for kind, t := range types {
		one := alternatives[kind]
		if one == nil {
			c.differ("%s: the schema has no %s", path, kind)
			continue
		}
		c.checked[t.Name()] = true
		c.checkMembers(path+"("+kind+")", t, &definition{AllOf: one.AllOf}) // without the tag
	}
}
