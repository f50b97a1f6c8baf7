package bellcord_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/bellcord/bellcord"
)

// FuzzDecodeBody_Fragment compares the decoder of fragments with package json.
func FuzzDecodeBody_Fragment(f *testing.F) {
	for _, text := range []string{
		"", "plain", "größer 電車", "two\nlines\tand \"quotes\" \\ \r", "<a href=\"x\">&amp;</a>", "\x00\x1f\x7f", "\u2028\u2029", "\xff invalid", "\U0001F682",
	} {
		for _, body := range []bellcord.TextDelta{{Text: text}, {Text: text, Message: "m-1"}, {Text: text, Message: text}, {Text: text, Meta: json.RawMessage(`{"a":1}`)}} {
			data, err := json.Marshal(body)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	for _, data := range []string{
		``, `{}`, `null`, `[]`, `{"text":"a"`, `{"text":"a"}x`, `{"text":"a"} `, ` {"text":"a"}`, `{"text": "a"}`, `{"text":"a","text":"b"}`, `{"text":"a","message":"b"`,
		`{"text":"a","message":"b","meta":{}}`, `{"message":"b","text":"a"}`, `{"Text":"a"}`, `{"text":null}`, `{"text":1}`, `{"text":"\u0041\u00e9\ud83d\ude82\ud83d"}`,
		`{"text":"\u004"}`, `{"text":"\u00zz"}`, `{"text":"\x"}`, `{"text":"\`, `{"text":"\"}`, `{"text":"\b\f\/"}`, "{\"text\":\"a\nb\"}", "{\"text\":\"\\n\nb\"}",
		"{\"text\":\"\xff\"}", "{\"text\":\"\\n\xff\"}", `{"text":"a","message":null}`, `{"text":"a","message":"\b"}`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var text bellcord.TextDelta
		err := json.Unmarshal(data, &text)
		got, gotErr := bellcord.DecodeBody(text.Kind(), data)
		if (err == nil) != (gotErr == nil) || err == nil && !reflect.DeepEqual(got, bellcord.Body(text)) {
			t.Errorf("%q: %#v, %v; want %#v, %v", data, got, gotErr, text, err)
		}
		got, gotErr = bellcord.DecodeBody(bellcord.ThinkingDelta{}.Kind(), data)
		if (err == nil) != (gotErr == nil) || err == nil && !reflect.DeepEqual(got, bellcord.Body(bellcord.ThinkingDelta(text))) {
			t.Errorf("thinking %q: %#v, %v; want %#v, %v", data, got, gotErr, text, err)
		}
	})
}
