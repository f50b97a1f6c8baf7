//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// openAPI is the part of the document that the reference needs.
type openAPI struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Parameters  []struct {
		Name        string `json:"name"`
		In          string `json:"in"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Description string `json:"description"`
		Content     map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type schema struct {
	Ref         string            `json:"$ref"`
	Type        any               `json:"type"`
	Description string            `json:"description"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	Required    []string          `json:"required"`
}

// String returns the schema's type as the reference shows it.
func (s schema) String() string {
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	case s.Items != nil:
		return "list of " + s.Items.String()
	case s.Type == nil:
		return "anything"
	}
	if several, ok := s.Type.([]any); ok {
		words := make([]string, len(several))
		for i, w := range several {
			words[i] = fmt.Sprint(w)
		}
		return strings.Join(words, " or ")
	}
	return fmt.Sprint(s.Type)
}

// httpReference returns the OpenAPI document of a real server as readable text.
func httpReference(t *testing.T) string {
	t.Helper()
	s := newServerWorld(t).daemon(nil)
	res, err := http.Get(s.url + "/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var doc openAPI
	if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			doc.Paths[path][method].write(&b, strings.ToUpper(method)+" "+path)
		}
	}
	b.WriteString("\n## Bodies\n")
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		if doc.onlyInEvents(name) { // docs/events.md has it
			continue
		}
		fields := doc.Components.Schemas[name]
		fmt.Fprintf(&b, "\n### %s\n\n%s", name, paragraph(fields.Description))
		delete(fields.Properties, "$schema")
		fields.writeProperties(&b)
	}
	return b.String()
}

// writeProperties writes a table of the properties. It has a column for descriptions if one of them
// has a description.
func (s schema) writeProperties(b *strings.Builder) {
	described := false
	for _, p := range s.Properties {
		described = described || p.Description != ""
	}
	head := "| field | is |\n|---|---|\n"
	if described {
		head = "| field | is | |\n|---|---|---|\n"
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[key]
		fmt.Fprintf(b, "%s| `%s` | %s |", head, key, p)
		if head = ""; described {
			fmt.Fprintf(b, " %s |", cell(p.Description))
		}
		b.WriteString("\n")
	}
}

// onlyInEvents reports whether a schema is that of a kind of event, or of the body of one, to which
// no other schema refers.
func (d openAPI) onlyInEvents(name string) bool {
	event := strings.HasSuffix(name, "Event") && d.Components.Schemas[strings.TrimSuffix(name, "Event")].Type != nil
	if _, body := d.Components.Schemas[name+"Event"]; event || !body {
		return event
	}
	link := fmt.Sprintf("[%s](", name)
	for other, s := range d.Components.Schemas {
		for _, p := range s.Properties {
			if other != name+"Event" && strings.Contains(p.String(), link) {
				return false
			}
		}
	}
	var requests strings.Builder
	for _, methods := range d.Paths {
		for _, o := range methods {
			o.write(&requests, "")
		}
	}
	return !strings.Contains(requests.String(), link)
}

// write omits what is the same for every request: the parameters of the path are ids, and any other
// answer is an error.
func (o operation) write(b *strings.Builder, title string) {
	fmt.Fprintf(b, "\n## `%s`\n\n%s%s", title, paragraph(o.Summary), paragraph(o.Description))
	table := "| parameter | in | |\n|---|---|---|\n"
	for _, p := range o.Parameters {
		if p.In == "path" && strings.HasPrefix(p.Description, "id of ") {
			continue
		}
		fmt.Fprintf(b, "%s| `%s` | %s | %s |\n", table, p.Name, p.In, cell(p.Description))
		table = ""
	}
	if table == "" {
		b.WriteString("\n")
	}
	for _, kind := range slices.Sorted(maps.Keys(o.RequestBody.Content)) {
		fmt.Fprintf(b, "Takes %s%s\n\n", unlessJSON(kind), o.RequestBody.Content[kind].Schema)
	}
	for _, code := range slices.Sorted(maps.Keys(o.Responses)) {
		r := o.Responses[code]
		if code == "default" {
			continue
		}
		fmt.Fprintf(b, "- %s %s", code, r.Description)
		for _, kind := range slices.Sorted(maps.Keys(r.Content)) {
			fmt.Fprintf(b, ": %s%s", unlessJSON(kind), r.Content[kind].Schema)
		}
		b.WriteString("\n")
	}
}

// unlessJSON returns a media type as the beginning of a list, except that of most bodies.
func unlessJSON(kind string) string {
	if kind == "application/json" {
		return ""
	}
	return "`" + kind + "`, "
}

func paragraph(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSpace(text) + "\n\n"
}

func cell(text string) string { return strings.ReplaceAll(oneLine(text), "|", "\\|") }
