package secret_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/secret"
)

const key = "sk-proj-Ab3dEf6hIj9kLm2nOp5q"

func TestHide_WholeSecretsAndPieces_AreReplaced(t *testing.T) {
	t.Parallel()
	secrets := &secret.Set{}
	secrets.Add(key, "p@ss/wörd\"1", "hunter2", "x")
	for text, want := range map[string]string{
		"": "", "nothing to hide": "nothing to hide",
		"key " + key + " is wrong":                                          "key [secret] is wrong",
		"sent " + key + key + ".":                                           "sent [secret][secret].",
		"starts with " + key[:8]:                                            "starts with [secret]",
		"ends with " + key[len(key)-8:]:                                     "ends with [secret]",
		"has " + key[5:20] + " in it":                                       "has [secret] in it",
		"short " + key[:7] + " is no piece":                                 "short " + key[:7] + " is no piece",
		"Incorrect API key provided: sk-proj-****************Op5q. You can": "Incorrect API key provided: [secret]. You can",
		"Incorrect API key: sk-pr***Op5q":                                   "Incorrect API key: [secret]",
		"Incorrect API key: sk…5q":                                          "Incorrect API key: [secret]",
		"Incorrect API key: ••••Op5q":                                       "Incorrect API key: [secret]",
		"please ask... or wait **now**":                                     "please ask... or wait **now**",
		`postgres://me:p%40ss%2Fw%C3%B6rd%221@host`:                         `postgres://me:[secret]@host`,
		`said "p@ss/wörd\"1"`:                                               `said "[secret]"`,
		"the password hunter2, not hunter22":                                "the password [secret], not hunter22",
		"x marks the spot":                                                  "x marks the spot",
	} {
		if got := secrets.Hide(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestHide_LongTextWithoutSecrets_IsUnchanged(t *testing.T) {
	t.Parallel()
	secrets := &secret.Set{}
	secrets.Add(key)
	for _, part := range []string{"*", ".", "…", "sk-proj", "\xff"} {
		text := strings.Repeat(part, 1<<20/len(part))
		if secrets.Hide(text) != text {
			t.Errorf("%q was changed", part)
		}
	}
}

func TestWriter_LogLine_ContainsNoSecret(t *testing.T) {
	t.Parallel()
	secrets := &secret.Set{}
	secrets.Add(key, `quo"ted\secret`)
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(secrets.Writer(&out), nil))
	log.Warn("refused "+key, "err", []string{key}, "value", `quo"ted\secret`)
	if text := out.String(); strings.Contains(text, "Ab3dEf6h") || strings.Contains(text, "ted") || strings.Count(text, secret.Hidden) != 3 {
		t.Error(text)
	}
}
