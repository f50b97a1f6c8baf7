package web

import (
	"context"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
)

// operations are the operations of the API and its document.
type operations struct {
	problemWriter
	views
	api huma.API
}

// resource has the operations for one kind of data.
type resource interface{ register(o *operations) }

// add adds an operation whose response has the value of answer as its body.
func add[I, T any](o *operations, op huma.Operation, answer func(context.Context, *I) (T, error)) {
	type response struct{ Body T }
	addResponse(o, op, func(ctx context.Context, in *I) (*response, error) {
		value, err := answer(ctx, in)
		return &response{value}, err
	})
}

// addResponse adds an operation. It is the only place where an error of an
// operation becomes a response.
func addResponse[I, O any](o *operations, op huma.Operation, respond func(context.Context, *I) (*O, error)) {
	huma.Register(o.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := respond(ctx, in)
		if err != nil {
			return nil, o.fail(err)
		}
		return out, nil
	})
}

// lookUp returns an operation that gets the session or the turn of its path, if
// the caller reaches it.
func lookUp[F, T any, I interface{ id() string }](
	find func(context.Context, string) (F, error), answer func(context.Context, F, I) (T, error),
) func(context.Context, I) (T, error) {
	return func(ctx context.Context, in I) (value T, err error) {
		found, err := find(ctx, in.id())
		if err != nil {
			return value, err
		}
		return answer(ctx, found, in)
	}
}

// route describes an operation, which is public without a scope. readBody reads
// its body, up to MaxBodyBytes.
func route(pattern, id string, scope bellcord.Scope, summary string) huma.Operation {
	method, path, _ := strings.Cut(pattern, " ")
	op := huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		Metadata:        map[string]any{"scope": scope},
		Extensions:      map[string]any{"x-scope": string(scope)},
		BodyReadTimeout: -1, MaxBodyBytes: mostBody,
	}
	if scope == "" {
		op.Security = []map[string][]string{}
	}
	return op
}

// withStatus returns an operation that responds with another status than 200.
func withStatus(status int, op huma.Operation) huma.Operation {
	op.DefaultStatus = status
	return op
}

// description returns the general part of the OpenAPI document.
func description(version string) huma.Config {
	c := huma.DefaultConfig("Bellcord", version)
	c.Info.Description = "An agent runtime in which stop means stopped. Numbers have their unit in their name."
	c.CreateHooks = nil // no $schema in responses
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "/v1/openapi", "", ""
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {
			Type: "http", Scheme: "bearer",
			Description: "a token from bellcord token create, or a JWT from an issuer that the server trusts",
		},
		"cookie": {
			Type: "apiKey", In: "cookie", Name: auth.CookieName,
			Description: "set by POST /v1/login; accepted only together with the header of the page",
		},
		"page": {
			Type: "apiKey", In: "header", Name: auth.PageHeader,
			Description: "KEY.CHALLENGE.SIGNATURE: the public key of the page, a text from GET /v1/challenge, and its signature",
		},
	}
	c.Security = []map[string][]string{{"token": {}}, {"cookie": {}, "page": {}}}
	return c
}

// schemaName adds a suffix to the API types that share a name with a core type.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.PkgPath() == reflect.TypeFor[api.Session]().PkgPath() && (name == "Session" || name == "Usage") {
		return name + "Report"
	}
	return name
}
