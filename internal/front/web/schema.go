package web

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
)

// eventSchema adds the schemas of events to the OpenAPI document and returns a
// reference to their union: one schema for each kind, with the kind as a constant.
// It reads bellcord.Bodies, so that a new kind needs no edit here.
func eventSchema(registry huma.Registry) *huma.Schema {
	const prefix = "#/components/schemas/"
	all := registry.Map()
	union := &huma.Schema{
		Description:   "One event of a session's log; kind selects the schema.",
		Discriminator: &huma.Discriminator{PropertyName: "kind", Mapping: map[string]string{}},
	}
	for _, body := range bellcord.Bodies() {
		name := reflect.TypeOf(body).Name()
		all[name+"Event"] = &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{
				"session": {Type: huma.TypeString},
				"seq":     {Type: huma.TypeInteger, Format: "int64", Description: "counts from 1 within the session, without gaps"},
				"turn":    {Type: huma.TypeString, Description: "absent for events of the session"},
				"time":    {Type: huma.TypeString, Format: "date-time"},
				"kind":    {Type: huma.TypeString, Enum: []any{body.Kind()}},
				"body":    registry.Schema(reflect.TypeOf(body), true, name),
			},
			Required: []string{"session", "seq", "time", "kind", "body"},
		}
		union.OneOf = append(union.OneOf, &huma.Schema{Ref: prefix + name + "Event"})
		union.Discriminator.Mapping[body.Kind()] = prefix + name + "Event"
	}
	all["Event"] = union
	return &huma.Schema{Ref: prefix + "Event"}
}
