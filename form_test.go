package bellcord_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func TestValidateForm_FieldThatRequestsASecret_IsRefusedWithOneSentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field   bellcord.Field
		refused bool
	}{
		{bellcord.Field{Name: "password", Type: "string"}, true},
		{bellcord.Field{Name: "apiKey", Type: "string"}, true},
		{bellcord.Field{Name: "OPENAI_API_KEY", Type: "string"}, true},
		{bellcord.Field{Name: "github-token", Type: "string"}, true},
		{bellcord.Field{Name: "x", Title: "Your access token", Type: "string"}, true},
		{bellcord.Field{Name: "x", Type: "string", Format: "password"}, true},
		{bellcord.Field{Name: "clientSecret", Type: "string"}, true},
		{bellcord.Field{Name: "card_number", Type: "string"}, true},
		{bellcord.Field{Name: "issue_key", Type: "string"}, false},
		{bellcord.Field{Name: "tokenizer", Type: "string"}, false},
		{bellcord.Field{Name: "max_tokens", Type: "integer"}, false},
		{bellcord.Field{Name: "token", Type: "integer"}, false},
		{bellcord.Field{Name: "use_password", Type: "boolean"}, false},
		{bellcord.Field{Name: "token_type", Type: "string", Options: []bellcord.Option{{Value: "bearer"}}}, false},
	} {
		err := bellcord.Question{Fields: []bellcord.Field{c.field}}.ValidateForm()
		var secret *bellcord.SecretFieldError
		if errors.As(err, &secret) != c.refused {
			t.Errorf("%+v: %v", c.field, err)
		}
		if c.refused && !strings.HasPrefix(err.Error(), "secrets are only requested by URL") {
			t.Errorf("the sentence is %q", err)
		}
	}
}

func TestValidateForm_InvalidQuestion_IsRefused(t *testing.T) {
	t.Parallel()
	many := make([]bellcord.Field, bellcord.MaxFields+1)
	for name, q := range map[string]bellcord.Question{
		"a field without a name":   {Fields: []bellcord.Field{{Type: "string"}}},
		"a name twice":             {Fields: []bellcord.Field{{Name: "a", Type: "string"}, {Name: "a", Type: "string"}}},
		"an unknown type":          {Fields: []bellcord.Field{{Name: "a", Type: "object"}}},
		"an array without options": {Fields: []bellcord.Field{{Name: "a", Type: "array"}}},
		"too many fields":          {Fields: many},
		"a URL and fields":         {URL: "https://a.example", Fields: []bellcord.Field{{Name: "a", Type: "string"}}},
		"a script URL":             {URL: "javascript:alert(1)"},
		"a file URL":               {URL: "file:///etc/passwd"},
		"a URL with a password":    {URL: "https://a:b@c.example"},
		"no URL":                   {URL: "https://"},
	} {
		err := q.ValidateForm()
		if err == nil {
			t.Errorf("%s was taken", name)
		} else if q.URL != "" && strings.Contains(err.Error(), q.URL) {
			t.Errorf("%s: the error repeats the URL: %v", name, err)
		}
	}
	if err := (bellcord.Question{URL: "https://a.example/login?code=1"}).ValidateForm(); err != nil {
		t.Error(err)
	}
}

// fieldTests are values that fit a field, and values that do not, with the
// expectation that the error names.
var fieldTests = []struct {
	name     string
	field    bellcord.Field
	fits     []string
	fitsNot  []string
	expected string
	typed    map[string]string // texts of a person and their values
	mistyped []string
}{
	{
		name: "text with limits", field: bellcord.Field{Type: "string", MinLength: new(2), MaxLength: new(3)},
		fits: []string{`"ab"`, `"üüü"`}, fitsNot: []string{`"a"`, `"abcd"`, `3`, `true`, `["ab"]`, `{}`},
		expected: "text, from 2 to 3 characters", typed: map[string]string{"ab": `"ab"`}, mistyped: []string{"a"},
	},
	{
		name: "pattern", field: bellcord.Field{Type: "string", Pattern: "^a+$"},
		fits: []string{`"aa"`}, fitsNot: []string{`"ab"`}, expected: "text that matches ^a+$",
	},
	{
		name: "option", field: bellcord.Field{Type: "string", Options: []bellcord.Option{{Value: "dev"}, {Value: "prod", Title: "Production"}}},
		fits: []string{`"dev"`, `"prod"`}, fitsNot: []string{`"Dev"`, `"Production"`, `"x"`, `["dev"]`}, expected: "one of dev, prod",
		typed: map[string]string{"DEV": `"dev"`, "production\t": `"prod"`}, mistyped: []string{"test", ""},
	},
	{
		name: "email", field: bellcord.Field{Type: "string", Format: "email"},
		fits: []string{`"a@b.example"`}, fitsNot: []string{`"a"`, `"A <a@b.example>"`}, expected: "an email address",
		typed: map[string]string{" a@b.example ": `"a@b.example"`},
	},
	{name: "uri", field: bellcord.Field{Type: "string", Format: "uri"}, fits: []string{`"https://a.example"`}, fitsNot: []string{`"a"`}, expected: "a URI such as https://example.com"},
	{name: "date", field: bellcord.Field{Type: "string", Format: "date"}, fits: []string{`"2026-05-04"`}, fitsNot: []string{`"2026-13-04"`, `"tomorrow"`}, expected: "a date such as 2026-05-04"},
	{name: "date-time", field: bellcord.Field{Type: "string", Format: "date-time"}, fits: []string{`"2026-05-04T01:02:03Z"`}, fitsNot: []string{`"2026-05-04"`}, expected: "a date and time such as 2026-05-04T09:30:00Z"},
	{
		name: "integer", field: bellcord.Field{Type: "integer", Minimum: new(1.0), Maximum: new(9.0)},
		fits: []string{`1`, `9`, `3.0`}, fitsNot: []string{`0`, `10`, `1.5`, `"3"`, `true`, `1e300`, `[]`}, expected: "a whole number from 1 to 9",
		typed: map[string]string{" 7 ": `7`}, mistyped: []string{"seven", "", "7 8", "NaN", "0x7"},
	},
	{
		name: "number", field: bellcord.Field{Type: "number", Minimum: new(0.5)},
		fits: []string{`0.5`, `1e3`}, fitsNot: []string{`0.4`, `"1"`}, expected: "a number of at least 0.5",
		typed: map[string]string{"2.5": `2.5`}, mistyped: []string{"inf", "+1", ".5"},
	},
	{
		name: "boolean", field: bellcord.Field{Type: "boolean"},
		fits: []string{`true`, `false`}, fitsNot: []string{`"true"`, `1`}, expected: "yes or no",
		typed: map[string]string{"Yes": `true`, "n": `false`}, mistyped: []string{"maybe", ""},
	},
	{
		name: "array", field: bellcord.Field{Type: "array", Options: []bellcord.Option{{Value: "a", Title: "Apple"}, {Value: "b"}, {Value: "c"}}, MinItems: new(1), MaxItems: new(2)},
		fits: []string{`["a"]`, `["a","c"]`}, fitsNot: []string{`[]`, `["a","b","c"]`, `["a","a"]`, `["x"]`, `"a"`, `[1]`}, expected: "some of a, b, c, from 1 to 2 options",
		typed: map[string]string{"apple, b": `["a","b"]`}, mistyped: []string{"", "x"},
	},
}

func TestCheckReply_ValueOfEachType_IsAcceptedOrNamesTheField(t *testing.T) {
	t.Parallel()
	for _, test := range fieldTests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.field.Name = "f"
			q := bellcord.Question{Fields: []bellcord.Field{test.field}}
			for _, value := range test.fits {
				r, err := q.CheckReply(bellcord.Reply{Choice: "accept", Values: map[string]json.RawMessage{"f": raw(value)}})
				if err != nil || string(r.Values["f"]) != value {
					t.Errorf("%s: %v, %s", value, err, r.Values["f"])
				}
			}
			want := `field "f": expected ` + test.expected
			for _, value := range test.fitsNot {
				_, err := q.CheckReply(bellcord.Reply{Choice: "accept", Values: map[string]json.RawMessage{"f": raw(value)}})
				var invalid *bellcord.InvalidReplyError
				if !errors.As(err, &invalid) || err.Error() != want {
					t.Errorf("%s: %v, want %s", value, err, want)
				}
			}
			for text, value := range test.typed {
				if got, err := test.field.Parse(text); err != nil || string(got) != value {
					t.Errorf("typed %q: %s, %v; want %s", text, got, err, value)
				}
			}
			for _, text := range test.mistyped {
				if got, err := test.field.Parse(text); err == nil || err.Error() != want {
					t.Errorf("typed %q: %s, %v; want %s", text, got, err, want)
				}
			}
		})
	}
}

func TestCheckReply_Reason_IsOnlyAcceptedForARejection(t *testing.T) {
	t.Parallel()
	call := bellcord.Question{Choices: []bellcord.Choice{{ID: "y", Kind: "allow_once"}, {ID: "n", Kind: "reject_once"}, {ID: "never", Kind: "reject_always"}}}
	form := bellcord.Question{Fields: []bellcord.Field{{Name: "env", Type: "string"}}, Choices: bellcord.FormChoices()}
	long := strings.Repeat("é", bellcord.MaxReason)
	const only = "reason: only an answer that rejects a call can have one"
	for _, c := range []struct {
		name     string
		question bellcord.Question
		reply    bellcord.Reply
		want     string // the error
	}{
		{"a rejection", call, bellcord.Reply{Choice: "n", Reason: "not in this branch"}, ""},
		{"a permanent rejection", call, bellcord.Reply{Choice: "never", Reason: long}, ""},
		{"no reason", call, bellcord.Reply{Choice: "y"}, ""},
		{"too long", call, bellcord.Reply{Choice: "n", Reason: long + "é"}, "reason: expected at most 2000 characters"},
		{"an approval", call, bellcord.Reply{Choice: "y", Reason: "fine"}, only},
		{"an unknown choice", call, bellcord.Reply{Choice: "?", Reason: "why"}, only},
		{"a form", form, bellcord.Reply{Choice: "decline", Reason: "why"}, only},
	} {
		got, err := c.question.CheckReply(c.reply)
		if c.want == "" && (err != nil || got.Reason != c.reply.Reason || got.Choice != c.reply.Choice) || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestCheckReply_FormWithSeveralFields_ChecksTheWholeAnswer(t *testing.T) {
	t.Parallel()
	q := bellcord.Question{Fields: []bellcord.Field{
		{Name: "env", Type: "string", Required: true},
		{Name: "count", Type: "integer", Required: true, Default: raw(`3`)},
		{Name: "note", Type: "string"},
	}}
	values := func(pairs ...string) map[string]json.RawMessage {
		all := map[string]json.RawMessage{}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = raw(pairs[i+1])
		}
		return all
	}
	for _, c := range []struct {
		name  string
		reply bellcord.Reply
		want  string // the checked answer, or the error
	}{
		{"a default is applied", bellcord.Reply{Choice: "accept", Values: values("env", `"dev"`)}, `{"choice":"accept","values":{"count":3,"env":"dev"}}`},
		{"null is no value", bellcord.Reply{Choice: "accept", Values: values("env", `"dev"`, "note", `null`, "count", `1`)}, `{"choice":"accept","values":{"count":1,"env":"dev"}}`},
		{"a required value is missing", bellcord.Reply{Choice: "accept"}, `field "env" is required: expected text`},
		{"a required text is empty", bellcord.Reply{Choice: "accept", Values: values("env", `""`)}, `field "env": expected text`},
		{"a field does not exist", bellcord.Reply{Choice: "accept", Values: values("env", `"dev"`, "other", `1`)}, `field "other": the question has no such field`},
		{"declined without values", bellcord.Reply{Choice: "decline", Values: values("env", `1`)}, `{"choice":"decline"}`},
		{"cancelled", bellcord.Reply{Choice: "cancel"}, `{"choice":"cancel"}`},
		{"another choice", bellcord.Reply{Choice: "yes"}, `choice: expected accept, decline or cancel`},
		{"a withdrawal by a person", bellcord.Reply{Choice: "withdrawn"}, `choice: expected accept, decline or cancel`},
	} {
		r, err := q.CheckReply(c.reply)
		got, _ := json.Marshal(r)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
