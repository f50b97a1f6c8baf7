package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/authtest"
)

// contract contains every public route with the scope that it needs. A
// difference to the OpenAPI document fails the test below.
var contract = map[string]string{
	"GET /v1/nodes":                                   "admin",
	"GET /v1/projects":                                "read",
	"GET /v1/dirs":                                    "prompt",
	"POST /v1/sessions/{session}/shares":              "prompt",
	"GET /v1/shares":                                  "read",
	"DELETE /v1/shares/{share}":                       "prompt",
	"GET /v1/shared":                                  "",
	"GET /v1/push":                                    "read",
	"POST /v1/push/subscriptions":                     "read",
	"DELETE /v1/push/subscriptions/{subscription}":    "read",
	"POST /v1/push/subscriptions/{subscription}/test": "read",
	"GET /v1/search":                                  "read",
	"GET /v1/sessions/{session}/options":              "read",
	"PATCH /v1/sessions/{session}/options/{option}":   "prompt",
	"GET /v1/me":                                      "read",
	"POST /v1/codes":                                  "read",
	"GET /v1/challenge":                               "",
	"POST /v1/login":                                  "",
	"POST /v1/logout":                                 "read",
	"GET /v1/logins":                                  "read",
	"POST /v1/logins/revoke-others":                   "read",
	"POST /v1/sessions":                               "prompt",
	"GET /v1/sessions":                                "read",
	"GET /v1/sessions/{session}":                      "read",
	"PATCH /v1/sessions/{session}":                    "prompt",
	"DELETE /v1/sessions/{session}":                   "prompt",
	"GET /v1/sessions/{session}/transcript":           "read",
	"POST /v1/sessions/{session}/clear":               "prompt",
	"POST /v1/sessions/{session}/turns":               "prompt",
	"GET /v1/sessions/{session}/events":               "read",
	"GET /v1/sessions/{session}/queue":                "read",
	"POST /v1/sessions/{session}/queue/send":          "prompt",
	"POST /v1/sessions/{session}/stop":                "stop",
	"GET /v1/turns":                                   "read",
	"GET /v1/turns/{turn}":                            "read",
	"PATCH /v1/turns/{turn}":                          "prompt",
	"DELETE /v1/turns/{turn}":                         "stop",
	"POST /v1/turns/{turn}/send":                      "prompt",
	"POST /v1/turns/{turn}/stop":                      "stop",
	"GET /v1/turns/{turn}/questions":                  "read",
	"POST /v1/turns/{turn}/answers/{question}":        "prompt",
	"POST /v1/stop":                                   "stop",
	"GET /v1/models":                                  "read",
	"GET /v1/agents":                                  "read",
	"GET /v1/usage":                                   "read",
	"GET /v1/receipts":                                "read",
	"POST /v1/sessions/{session}/rewind":              "prompt",
	"GET /v1/turns/{turn}/changes":                    "read",
	"GET /v1/turns/{turn}/changes/texts":              "read",
	"POST /v1/turns/{turn}/undo":                      "undo",
	"POST /v1/sessions/{session}/undos/{undo}/redo":   "undo",
	"GET /v1/sessions/{session}/undoable":             "read",
}

// operation is a route of the OpenAPI document.
type operation struct {
	method, path, scope string
	takesBody           bool
}

func (o operation) String() string { return o.method + " " + o.path }

// at returns the path with the IDs filled in.
func (o operation) at(session, turn, question string) string {
	return strings.NewReplacer("{session}", session, "{turn}", turn, "{question}", question, "{option}", "model", "{share}", "none", "{undo}", "none", "{subscription}", "none").Replace(o.path)
}

// body returns a valid body for the operation, or nil if it takes no body.
func (o operation) body() any {
	switch o.String() {
	case "POST /v1/sessions/{session}/turns":
		return `{"text":"say hello"}`
	case "PATCH /v1/turns/{turn}":
		return `{"text":"say else"}`
	case "PATCH /v1/sessions/{session}":
		return `{"title":"Stolen"}`
	case "POST /v1/turns/{turn}/answers/{question}":
		return `{"choice":"yes"}`
	case "PATCH /v1/sessions/{session}/options/{option}":
		return `{"value":"x"}`
	case "POST /v1/sessions/{session}/rewind":
		return `{"take_back":true}`
	case "POST /v1/push/subscriptions":
		return `{"endpoint":"https://push.example/x","keys":{"p256dh":"AA","auth":"AA"}}`
	case "POST /v1/login":
		return `{"code":"AAAAA-AAAAA","key":"` + authtest.NewPageKey().Public + `"}`
	}
	if o.method == "POST" {
		return `{}`
	}
	return nil
}

// operations reads the routes from the OpenAPI document, so that new ones are
// tested too.
func (s *stage) operations() []operation {
	s.t.Helper()
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Scope       string `json:"x-scope"`
			RequestBody *struct{}
		}
	}
	s.roundTrip("", "GET", "/v1/openapi.json", nil).is(200).into(&doc)
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		s.t.Errorf("the document is of version %s", doc.OpenAPI)
	}
	var all []operation
	for path, methods := range doc.Paths {
		for method, op := range methods {
			all = append(all, operation{strings.ToUpper(method), path, op.Scope, op.RequestBody != nil})
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// The type of such an array in a generated client would include null, which no
// response contains.
func TestOpenAPI_RequiredArrays_AreNotNullable(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Required   []string
				Properties map[string]struct{ Type any }
			}
		}
	}
	s.roundTrip("", "GET", "/v1/openapi.json", nil).is(200).into(&doc)
	checked := 0
	for name, schema := range doc.Components.Schemas {
		for _, property := range schema.Required {
			switch types := fmt.Sprint(schema.Properties[property].Type); types {
			case "[array null]", "[null array]":
				t.Errorf("%s.%s is %s", name, property, types)
			case "array":
				checked++
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d arrays were checked", checked)
	}
}

func TestOpenAPI_Document_ContainsEveryRouteAndItsScope(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	found := map[string]string{}
	for _, op := range s.operations() {
		found[op.String()] = op.scope
	}
	for name, scope := range contract {
		if got, exists := found[name]; !exists || got != scope {
			t.Errorf("%s: scope %q (%v), want %q", name, got, exists, scope)
		}
	}
	for name := range found {
		if _, exists := contract[name]; !exists {
			t.Errorf("%s is new: add it to the contract", name)
		}
	}
}

func TestOpenAPI_Document_IsValidAndItsReferencesResolve(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	a := s.roundTrip("", "GET", "/v1/openapi.json", nil).is(200)
	if got := a.header.Get("Content-Type"); !strings.Contains(got, "json") || !json.Valid(a.body) {
		t.Errorf("%s: %.200s", got, a.body)
	}
	var doc map[string]any
	a.into(&doc)
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, is := v["$ref"].(string); is {
				var at any = doc
				for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					next, _ := at.(map[string]any)
					at = next[part]
				}
				if at == nil {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(doc)
	if y := s.roundTrip("", "GET", "/v1/openapi.yaml", nil).is(200); !strings.Contains(string(y.body), "openapi: 3.1") {
		t.Errorf("%.200s", y.body)
	}
}

func TestProblem_UnknownPath_IsJSONAndNeedsCredentials(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, path := range []string{"/v1", "/v2/sessions", "/docs", "/debug/pprof/", "/v1/schemas/Session.json", "/index.html"} {
		s.roundTrip("anna", "GET", path, nil).isA(404, "nothing-here")
		s.roundTrip("", "GET", path, nil).isA(401, "no-credentials")
	}
	s.roundTrip("anna", "PUT", "/v1/sessions", `{}`).isA(404, "nothing-here")
}

// Unknown fields are refused on every route, so that a misspelled field is
// never ignored.
func TestBody_UnknownField_IsRefusedOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on")
	s.until(id, "text_delta")
	for _, op := range s.operations() {
		takes, _ := op.body().(string)
		if takes == "" || strings.HasSuffix(op.path, "/clear") || strings.HasSuffix(op.path, "/send") || strings.HasSuffix(op.path, "/test") || op.path == "/v1/logout" || op.path == "/v1/logins/revoke-others" {
			continue // no body
		}
		with := strings.Replace(takes, "}", `,"owner":"bert"}`, 1)
		with = strings.Replace(with, "{,", "{", 1)
		if a := s.roundTrip("admin", op.method, op.at(string(id), string(turn.ID), "q"), with); a.status != 422 {
			t.Errorf("%s with %s: %d %s", op, with, a.status, a.body)
		}
	}
	if on := s.roundTrip("anna", "GET", "/v1/turns/"+string(turn.ID), nil).turn(); on.State != "running" {
		t.Errorf("the turn is %s", on.State)
	}
}
