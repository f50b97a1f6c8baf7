package bellcord

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Field is one value that a question requests.
type Field struct {
	Name        string          `json:"name"`
	Type        FieldType       `json:"type" enum:"string,number,integer,boolean,array"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Required    bool            `json:"required,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Options     []Option        `json:"options,omitempty" doc:"allowed values of a string, or of each element of an array"`
	Format      string          `json:"format,omitempty" doc:"of a string: email, uri, date or date-time"`
	Pattern     string          `json:"pattern,omitempty" doc:"regular expression that a string must match"`
	MinLength   *int            `json:"min_length,omitempty" doc:"of a string, in characters"`
	MaxLength   *int            `json:"max_length,omitempty"`
	Minimum     *float64        `json:"minimum,omitempty"`
	Maximum     *float64        `json:"maximum,omitempty"`
	MinItems    *int            `json:"min_items,omitempty" doc:"of an array"`
	MaxItems    *int            `json:"max_items,omitempty"`
}

// FieldType is the type of a field's value in JSON.
type FieldType string

// The types of fields. An array contains strings, each one of the field's
// options.
const (
	FieldString  FieldType = "string"
	FieldNumber  FieldType = "number"
	FieldInteger FieldType = "integer"
	FieldBoolean FieldType = "boolean"
	FieldArray   FieldType = "array"
)

// Option is an allowed value of a field.
type Option struct {
	Value       string `json:"value"`
	Title       string `json:"title,omitempty"` // for display; empty: the value
	Description string `json:"description,omitempty" doc:"what the option means"`
}

// Label returns the text that is shown for the option.
func (o Option) Label() string {
	if o.Title != "" {
		return o.Title
	}
	return o.Value
}

// Label returns the text that is shown for the field.
func (f Field) Label() string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

// The answers to a question with fields or a URL.
const (
	ChoiceAccept  = "accept"
	ChoiceDecline = "decline"
	ChoiceCancel  = "cancel" // closed without a decision
)

// ChoiceWithdrawn is the choice of a question that its agent no longer needs. No
// user can choose it.
const ChoiceWithdrawn = "withdrawn"

// Reply is a user's answer to a question: the id of a choice, if it is
// ChoiceAccept, the values of the fields, and if it rejects a call, optionally the
// reason.
type Reply struct {
	Choice string                     `json:"choice"`
	Values map[string]json.RawMessage `json:"values,omitempty"`
	Reason string                     `json:"reason,omitempty"`

	// Scopes are those of the person who answers. A frontend takes them from the
	// credentials, never from the answer. A person at the machine itself has
	// ScopeAdmin.
	Scopes []Scope `json:"-"`
}

// MaxReason is the maximum length of a reason, in characters.
const MaxReason = 2000

// HasForm reports whether the question has fields or a URL.
func (q Question) HasForm() bool { return len(q.Fields) > 0 || q.URL != "" }

// FormChoices returns the choices of a question with fields or a URL, for
// frontends that show choices as buttons.
func FormChoices() []Choice {
	return []Choice{
		{ID: ChoiceAccept, Text: "Accept", Kind: "allow_once"},
		{ID: ChoiceDecline, Text: "Decline", Kind: "reject_once"},
	}
}

// The limits of a form.
const (
	MaxFields  = 64
	MaxOptions = 256
)

// SecretFieldError means that a form requests a secret.
type SecretFieldError struct{ Field string }

// Error implements error.
func (e *SecretFieldError) Error() string {
	return fmt.Sprintf("secrets are only requested by URL: the field %q of the form requests one", e.Field)
}

// ValidateForm returns an error if the question's fields or its URL are invalid,
// and a *SecretFieldError if a field requests a secret: the values of a form are
// recorded in the log.
func (q Question) ValidateForm() error {
	if q.URL != "" {
		return validateURL(q.URL, len(q.Fields))
	}
	if len(q.Fields) > MaxFields {
		return fmt.Errorf("the form has %d fields; at most %d are allowed", len(q.Fields), MaxFields)
	}
	names := map[string]bool{}
	for _, f := range q.Fields {
		switch {
		case f.Name == "" || names[f.Name]:
			return fmt.Errorf("the form has no name, or the same name twice, for field %q", f.Name)
		case !slices.Contains([]FieldType{FieldString, FieldNumber, FieldInteger, FieldBoolean, FieldArray}, f.Type):
			return fmt.Errorf("field %q has the unknown type %q", f.Name, f.Type)
		case len(f.Options) > MaxOptions:
			return fmt.Errorf("field %q has %d options; at most %d are allowed", f.Name, len(f.Options), MaxOptions)
		case f.Type == FieldArray && len(f.Options) == 0:
			return fmt.Errorf("field %q is an array without options", f.Name)
		case f.requestsSecret():
			return &SecretFieldError{f.Name}
		}
		names[f.Name] = true
	}
	return nil
}

func validateURL(text string, fields int) error {
	at, err := url.Parse(text)
	switch {
	case fields > 0:
		return fmt.Errorf("a question has either a URL or fields")
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		return fmt.Errorf("the question's URL is not an http or https URL") // without the URL: its query may contain a secret
	case at.User != nil:
		return fmt.Errorf("the question's URL contains a user name or a password")
	}
	return nil
}

// secretNames are the names of secrets as sequences of words. This is not the
// rule for environment variables: "key" alone is often the key of an issue.
var secretNames = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "credential", "credentials", "token", "api key", "apikey",
	"access key", "private key", "secret key", "signing key", "encryption key", "card number", "cvv", "cvc",
}

// requestsSecret reports whether the field's name, title or format is that of a
// secret. Only free text can be a secret.
func (f Field) requestsSecret() bool {
	if f.Type != FieldString || len(f.Options) > 0 {
		return false
	}
	for _, text := range []string{f.Name, f.Title, f.Format} {
		padded := " " + words(text) + " "
		if slices.ContainsFunc(secretNames, func(name string) bool { return strings.Contains(padded, " "+name+" ") }) {
			return true
		}
	}
	return false
}

// words returns the words of an identifier or a text in lower case, separated by
// spaces.
func words(text string) string {
	var out strings.Builder
	var before rune
	for _, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			if before >= 'a' && before <= 'z' || before >= '0' && before <= '9' {
				out.WriteByte(' ')
			}
			out.WriteRune(r - 'A' + 'a')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			out.WriteRune(r)
		default:
			out.WriteByte(' ')
		}
		before = r
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
