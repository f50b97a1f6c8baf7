package bellcord

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// InvalidReplyError means that an answer does not fit its question, which stays
// open. Text names the field and what is expected; it never contains a value.
type InvalidReplyError struct{ Text string }

// Error implements error.
func (e *InvalidReplyError) Error() string { return e.Text }

// MaxFieldText is the maximum length of a field's text, in bytes.
const MaxFieldText = 64 << 10

// CheckReply checks an answer to a question and returns it: for a question with
// fields or a URL with the defaults of fields without a value, for other questions
// without values. It returns an *InvalidReplyError if the answer does not fit, and
// ErrAnswerScope if only a person with more scopes may give it.
func (q Question) CheckReply(r Reply) (Reply, error) {
	if err := q.checkScope(r); err != nil {
		return Reply{}, err
	}
	if err := q.checkReason(r); err != nil {
		return Reply{}, err
	}
	if !q.HasForm() {
		return Reply{Choice: r.Choice, Reason: r.Reason}, nil
	}
	switch r.Choice {
	case ChoiceDecline, ChoiceCancel:
		return Reply{Choice: r.Choice}, nil
	case ChoiceAccept:
	default:
		return Reply{}, &InvalidReplyError{fmt.Sprintf("choice: expected %s, %s or %s", ChoiceAccept, ChoiceDecline, ChoiceCancel)}
	}
	for name := range r.Values {
		if !slices.ContainsFunc(q.Fields, func(f Field) bool { return f.Name == name }) {
			return Reply{}, &InvalidReplyError{fmt.Sprintf("field %q: the question has no such field", name)}
		}
	}
	checked := Reply{Choice: r.Choice, Values: maps.Clone(r.Values)}
	for _, f := range q.Fields {
		value, given := r.Values[f.Name]
		given = given && string(value) != "null"
		switch {
		case given:
			if err := f.Check(value); err != nil {
				return Reply{}, err
			}
		case len(f.Default) > 0 && f.accepts(f.Default):
			if checked.Values == nil {
				checked.Values = map[string]json.RawMessage{}
			}
			checked.Values[f.Name] = f.Default
		case f.Required:
			return Reply{}, &InvalidReplyError{fmt.Sprintf("field %q is required: expected %s", f.Name, f.Expects())}
		default:
			delete(checked.Values, f.Name)
		}
	}
	return checked, nil
}

// checkReason returns an *InvalidReplyError if the answer has a reason that is too
// long, or one that no agent reads because the answer does not reject a call.
func (q Question) checkReason(r Reply) error {
	rejects := slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.ID == r.Choice && strings.HasPrefix(c.Kind, "reject") })
	switch {
	case r.Reason == "":
		return nil
	case q.HasForm() || !rejects:
		return &InvalidReplyError{"reason: only an answer that rejects a call can have one"}
	case utf8.RuneCountInString(r.Reason) > MaxReason:
		return &InvalidReplyError{fmt.Sprintf("reason: expected at most %d characters", MaxReason)}
	}
	return nil
}

// Check returns an *InvalidReplyError if a JSON value does not fit the field.
func (f Field) Check(value json.RawMessage) error {
	if f.accepts(value) {
		return nil
	}
	return f.invalid()
}

func (f Field) invalid() error {
	return &InvalidReplyError{fmt.Sprintf("field %q: expected %s", f.Name, f.Expects())}
}

// Parse returns the value of a text that a user typed for the field: an option by
// its value or label, several options separated by commas, yes or no, a number, or
// the text itself. It returns an *InvalidReplyError if the text does not fit.
func (f Field) Parse(text string) (json.RawMessage, error) {
	var value any = text
	trimmed := strings.TrimSpace(text)
	switch f.Type {
	case FieldBoolean:
		switch strings.ToLower(trimmed) {
		case "yes", "y", "true", "on":
			value = true
		case "no", "n", "false", "off":
			value = false
		}
	case FieldNumber, FieldInteger:
		value = json.RawMessage(trimmed)
	case FieldArray:
		all := []string{}
		for part := range strings.SplitSeq(trimmed, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, f.optionValue(part))
			}
		}
		value = all
	case FieldString:
		if len(f.Options) > 0 {
			value = f.optionValue(trimmed)
		}
		if f.Format != "" {
			value = trimmed
		}
	}
	data, err := json.Marshal(value)
	if err != nil || !f.accepts(data) {
		return nil, f.invalid()
	}
	return data, nil
}

// optionValue returns the value of the option with the given value or label, or
// the text itself.
func (f Field) optionValue(text string) string {
	for _, same := range []func(Option) bool{
		func(o Option) bool { return o.Value == text },
		func(o Option) bool {
			return strings.EqualFold(o.Value, text) || o.Title != "" && strings.EqualFold(o.Title, text)
		},
	} {
		if i := slices.IndexFunc(f.Options, same); i >= 0 {
			return f.Options[i].Value
		}
	}
	return text
}

// accepts reports whether a JSON value fits the field.
func (f Field) accepts(value json.RawMessage) bool {
	switch f.Type {
	case FieldString:
		var text string
		return decodes(value, '"', &text) && f.acceptsText(text)
	case FieldBoolean:
		var b bool
		return json.Unmarshal(value, &b) == nil && string(value) != "null"
	case FieldNumber, FieldInteger:
		return f.acceptsNumber(value)
	case FieldArray:
		var all []string
		if !decodes(value, '[', &all) || f.MinItems != nil && len(all) < *f.MinItems || f.MaxItems != nil && len(all) > *f.MaxItems {
			return false
		}
		seen := map[string]bool{}
		for _, one := range all {
			if seen[one] || !f.hasOption(one) {
				return false
			}
			seen[one] = true
		}
		return true
	}
	return false
}

// decodes decodes a JSON value that starts with the given byte.
func decodes(value json.RawMessage, first byte, into any) bool {
	text := strings.TrimSpace(string(value))
	return text != "" && text[0] == first && json.Unmarshal(value, into) == nil
}

func (f Field) hasOption(value string) bool {
	return slices.ContainsFunc(f.Options, func(o Option) bool { return o.Value == value })
}

func (f Field) acceptsNumber(value json.RawMessage) bool {
	n, err := strconv.ParseFloat(strings.TrimSpace(string(value)), 64)
	if err != nil || !json.Valid(value) || f.Minimum != nil && n < *f.Minimum || f.Maximum != nil && n > *f.Maximum {
		return false
	}
	return f.Type == FieldNumber || n == math.Trunc(n) && math.Abs(n) <= 1<<53
}

func (f Field) acceptsText(text string) bool {
	length := utf8.RuneCountInString(text)
	switch {
	case len(f.Options) > 0:
		return f.hasOption(text)
	case len(text) > MaxFieldText, f.MinLength != nil && length < *f.MinLength, f.MaxLength != nil && length > *f.MaxLength:
		return false
	case f.Required && text == "" && f.MinLength == nil:
		return false
	}
	if f.Pattern != "" {
		// A pattern that Go does not support is left to the agent.
		if pattern, err := regexp.Compile(f.Pattern); err == nil && !pattern.MatchString(text) {
			return false
		}
	}
	var err error
	switch f.Format {
	case "email":
		var address *mail.Address
		if address, err = mail.ParseAddress(text); err == nil && address.Address != text {
			return false
		}
	case "uri":
		var at *url.URL
		if at, err = url.Parse(text); err == nil && at.Scheme == "" {
			return false
		}
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	return err == nil
}

// Expects describes the values that the field accepts, such as "a whole number
// from 1 to 9".
func (f Field) Expects() string {
	switch f.Type {
	case FieldBoolean:
		return "yes or no"
	case FieldInteger:
		return "a whole number" + bounds(f.Minimum, f.Maximum, "")
	case FieldNumber:
		return "a number" + bounds(f.Minimum, f.Maximum, "")
	case FieldArray:
		return "some of " + f.optionList() + bounds(wide(f.MinItems), wide(f.MaxItems), " option")
	case FieldString:
	}
	if len(f.Options) > 0 {
		return "one of " + f.optionList()
	}
	expected := map[string]string{
		"email": "an email address", "uri": "a URI such as https://example.com",
		"date": "a date such as 2026-05-04", "date-time": "a date and time such as 2026-05-04T09:30:00Z",
	}[f.Format]
	if expected == "" {
		expected = "text"
	}
	expected += bounds(wide(f.MinLength), wide(f.MaxLength), " character")
	if f.Pattern != "" {
		expected += " that matches " + f.Pattern
	}
	return expected
}

// mostListed is the number of options that Expects lists.
const mostListed = 12

func (f Field) optionList() string {
	var all []string
	for _, o := range f.Options[:min(len(f.Options), mostListed)] {
		all = append(all, o.Value)
	}
	if len(f.Options) > mostListed {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

func wide(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// bounds describes limits, such as " from 1 to 9", with the unit of a length.
func bounds(least, most *float64, unit string) string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	units := func(n float64) string {
		if unit == "" || n == 1 {
			return number(n) + unit
		}
		return number(n) + unit + "s"
	}
	before, of := "", " of"
	if unit != "" {
		before, of = ",", ""
	}
	switch {
	case least != nil && most != nil:
		return before + " from " + number(*least) + " to " + units(*most)
	case least != nil:
		return before + of + " at least " + units(*least)
	case most != nil:
		return before + of + " at most " + units(*most)
	}
	return ""
}
