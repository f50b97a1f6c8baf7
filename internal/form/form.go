// Package form handles the fields of questions. It converts them from and to the
// JSON schemas with which ACP and MCP describe a form: an object with properties
// that are strings, numbers, booleans, or arrays of given strings. A Filling
// collects a user's values, for frontends that request one value at a time.
package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/bellcord/bellcord"
)

// property is the schema of one field.
type property struct {
	Type        bellcord.FieldType `json:"type"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Default     json.RawMessage    `json:"default,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	EnumNames   []string           `json:"enumNames,omitempty"` // labels of Enum in older versions of MCP
	OneOf       []option           `json:"oneOf,omitempty"`
	Format      string             `json:"format,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	MinLength   *int               `json:"minLength,omitempty"`
	MaxLength   *int               `json:"maxLength,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Maximum     *float64           `json:"maximum,omitempty"`
	MinItems    *int               `json:"minItems,omitempty"`
	MaxItems    *int               `json:"maxItems,omitempty"`
	Items       *items             `json:"items,omitempty"`
}

// option is an allowed value with its label. ACP has descriptions, MCP has none.
type option struct {
	Const       string `json:"const"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// items is the schema of the elements of an array.
type items struct {
	Type  string   `json:"type,omitempty"`
	Enum  []string `json:"enum,omitempty"`
	AnyOf []option `json:"anyOf,omitempty"`
	OneOf []option `json:"oneOf,omitempty"` // for anyOf, in some servers
}

// Fields returns the fields of a schema, in the order of its properties.
func Fields(schema json.RawMessage) ([]bellcord.Field, error) {
	var object struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, fmt.Errorf("the form's schema is invalid: %w", err)
	}
	if object.Type != "" && object.Type != "object" {
		return nil, errors.New("the form's schema is not an object")
	}
	properties, err := ordered(object.Properties)
	if err != nil {
		return nil, err
	}
	if len(properties) == 0 {
		return nil, errors.New("the form has no fields")
	}
	var fields []bellcord.Field
	for _, p := range properties {
		f, err := field(p.name, p.schema)
		if err != nil {
			return nil, err
		}
		f.Required = slices.Contains(object.Required, p.name)
		fields = append(fields, f)
	}
	return fields, nil
}

// named is a property with its name.
type named struct {
	name   string
	schema json.RawMessage
}

// ordered returns the properties of an object in their order.
func ordered(object json.RawMessage) ([]named, error) {
	if len(object) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.New("the form's properties are not an object")
	}
	var all []named
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var schema json.RawMessage
		if err := d.Decode(&schema); err != nil {
			return nil, err
		}
		all = append(all, named{name, schema})
	}
	return all, nil
}

func field(name string, schema json.RawMessage) (bellcord.Field, error) {
	var p property
	if err := json.Unmarshal(schema, &p); err != nil {
		return bellcord.Field{}, fmt.Errorf("field %q of the form is invalid: %w", name, err)
	}
	f := bellcord.Field{
		Name: name, Type: p.Type, Title: p.Title, Description: p.Description, Default: p.Default, Format: p.Format, Pattern: p.Pattern,
		MinLength: p.MinLength, MaxLength: p.MaxLength, Minimum: p.Minimum, Maximum: p.Maximum, MinItems: p.MinItems, MaxItems: p.MaxItems,
	}
	if string(f.Default) == "null" {
		f.Default = nil
	}
	f.Options = options(p.Enum, p.EnumNames, p.OneOf)
	if p.Type == bellcord.FieldArray {
		if p.Items == nil {
			return f, fmt.Errorf("field %q of the form is an array without items", name)
		}
		f.Options = options(p.Items.Enum, nil, slices.Concat(p.Items.AnyOf, p.Items.OneOf))
	}
	return f, nil
}

func options(values, labels []string, titled []option) []bellcord.Option {
	var all []bellcord.Option
	for i, value := range values {
		o := bellcord.Option{Value: value}
		if len(labels) == len(values) {
			o.Title = labels[i]
		}
		all = append(all, o)
	}
	for _, o := range titled {
		all = append(all, bellcord.Option{Value: o.Const, Title: o.Title, Description: o.Description})
	}
	return all
}

// Schema returns the schema of fields, with its properties in the order of the
// fields.
func Schema(fields []bellcord.Field) (json.RawMessage, error) {
	var properties bytes.Buffer
	required := []string{}
	properties.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			properties.WriteByte(',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(schemaOf(f))
		if err != nil {
			return nil, err
		}
		properties.Write(name)
		properties.WriteByte(':')
		properties.Write(schema)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	properties.WriteByte('}')
	return json.Marshal(struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}{"object", properties.Bytes(), required})
}

func schemaOf(f bellcord.Field) property {
	p := property{
		Type: f.Type, Title: f.Title, Description: f.Description, Default: f.Default, Format: f.Format, Pattern: f.Pattern,
		MinLength: f.MinLength, MaxLength: f.MaxLength, Minimum: f.Minimum, Maximum: f.Maximum, MinItems: f.MinItems, MaxItems: f.MaxItems,
	}
	if !slices.Contains([]string{"email", "uri", "date", "date-time"}, p.Format) {
		p.Format = ""
	}
	var plain []string
	var titled []option
	for _, o := range f.Options {
		plain = append(plain, o.Value)
		titled = append(titled, option{o.Value, o.Label(), o.Description})
	}
	if !slices.ContainsFunc(f.Options, func(o bellcord.Option) bool { return o.Title != "" || o.Description != "" }) {
		titled = nil
	} else {
		plain = nil
	}
	switch {
	case f.Type == bellcord.FieldArray && titled != nil:
		p.Items = &items{AnyOf: titled}
	case f.Type == bellcord.FieldArray:
		p.Items = &items{Type: "string", Enum: plain}
	default:
		p.Enum, p.OneOf = plain, titled
	}
	return p
}
