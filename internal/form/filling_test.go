package form_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
)

var whereForm = bellcord.Question{ID: "q", Text: "Where?", Choices: bellcord.FormChoices(), Fields: []bellcord.Field{
	{Name: "env", Title: "Environment", Type: bellcord.FieldString, Required: true, Options: []bellcord.Option{{Value: "dev"}, {Value: "prod", Title: "Production"}}},
	{Name: "count", Type: bellcord.FieldInteger, Description: "of machines", Default: []byte(`3`)},
	{Name: "note", Type: bellcord.FieldString},
}}

func TestFilling_TypedValues_AreCheckedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := form.NewFilling(whereForm)
	if got := f.Prompt(); got != "1/3 Environment: one of dev, prod; prod is Production" {
		t.Errorf("prompt %q", got)
	}
	for _, wrong := range []string{"", "test"} {
		if complete, err := f.Enter(wrong); complete || err == nil || !strings.Contains(err.Error(), `field "env": expected one of dev, prod`) {
			t.Errorf("%q: %v, %v", wrong, complete, err)
		}
	}
	for i, text := range []string{"Production", "", ""} {
		if i == 1 && f.Prompt() != "2/3 count: a whole number (enter: 3)" || i == 2 && f.Prompt() != "3/3 note: text (optional: enter skips it)" {
			t.Errorf("prompt %q", f.Prompt())
		}
		if complete, err := f.Enter(text); err != nil || complete != (i == 2) {
			t.Fatalf("%q: %v, %v", text, complete, err)
		}
	}
	r, err := whereForm.CheckReply(f.Reply())
	if err != nil || string(r.Values["env"]) != `"prod"` || string(r.Values["count"]) != "3" || len(r.Values) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFilling_Back_ChangesAnEarlierValue(t *testing.T) {
	t.Parallel()
	f := form.NewFilling(whereForm)
	_, _ = f.Enter("dev")
	f.Back()
	f.Back()
	for _, text := range []string{"prod", "7", "hi"} {
		if _, err := f.Enter(text); err != nil {
			t.Fatal(err)
		}
	}
	if r := f.Reply(); string(r.Values["env"]) != `"prod"` || string(r.Values["count"]) != "7" || string(r.Values["note"]) != `"hi"` {
		t.Errorf("%+v", r)
	}
}

func TestText_FieldsOrURL_AreListed(t *testing.T) {
	t.Parallel()
	want := "Where?\n- Environment: one of dev, prod; prod is Production\n- count (of machines): a whole number\n- note: text"
	if got := form.Text(whereForm); got != want {
		t.Errorf("got %q", got)
	}
	if got := form.Text(bellcord.Question{Text: "Log in", URL: "https://a.example"}); got != "Log in\nOpen this page: https://a.example" {
		t.Errorf("got %q", got)
	}
}

// Claude describes each choice, and names it by its title.
func TestText_OptionsWithDescriptions_AreDescribed(t *testing.T) {
	t.Parallel()
	options := []bellcord.Option{
		{Value: "SQLite", Title: "SQLite", Description: "one file"},
		{Value: "pg", Title: "PostgreSQL", Description: "a server"},
		{Value: "none"},
	}
	q := bellcord.Question{Text: "Which?", Fields: []bellcord.Field{{Name: "db", Type: bellcord.FieldString, Options: options}}}
	want := "one of SQLite, pg, none; SQLite: one file; pg is PostgreSQL: a server"
	if got := form.Text(q); got != "Which?\n- db: "+want {
		t.Errorf("text %q", got)
	}
	if got := form.NewFilling(q).Prompt(); got != "1/1 db: "+want+" (optional: enter skips it)" {
		t.Errorf("prompt %q", got)
	}
}
