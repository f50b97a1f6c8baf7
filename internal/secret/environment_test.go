package secret_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/secret"
)

// Not parallel: it sets environment variables.
func TestEnvironment_Secrets_AreWithheldUnlessPassedByName(t *testing.T) {
	secrets := &secret.Set{}
	secrets.Add("configured-secret-0123456789", "postgres")
	for name, value := range map[string]string{
		"GITHUB_TOKEN": "t1", "NPM_TOKEN": "t2", "NPM_OTHER_TOKEN": "t3", "PLAIN": "kept",
		"SOME_ADDRESS": "amqp://user:pw@host/", "HTTPS_PROXY": "http://user:pw@proxy:3128", "NICKNAME": "configured-secret-0123456789",
		"HEADERS": "Bearer configured-secret-0123456789", "SERVERS": "/usr/lib/postgresql/15/bin", "BELLCORD_STORE": "postgres://u:pw@host/db",
	} {
		t.Setenv(name, value)
	}
	e := secret.Environment{Pass: []string{"GITHUB_TOKEN", "NPM_*", "BELLCORD_*"}, Secrets: secrets}
	given, withheld := e.Pairs(), e.Withheld()
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "NPM_TOKEN": true, "NPM_OTHER_TOKEN": true, "PLAIN": true, "HTTPS_PROXY": true, "SERVERS": true,
		"SOME_ADDRESS": false, "NICKNAME": false, "HEADERS": false, "BELLCORD_STORE": false,
	} {
		gets := slices.ContainsFunc(given, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		if gets != want || slices.Contains(withheld, name) == want {
			t.Errorf("%s: given %v, withheld %v", name, gets, slices.Contains(withheld, name))
		}
	}
	if passed := e.Passed(); !slices.Contains(passed, "GITHUB_TOKEN=t1") || slices.Contains(passed, "PLAIN=kept") {
		t.Errorf("passed: %v", passed)
	}
	if none := (secret.Environment{}).Pairs(); slices.Contains(none, "GITHUB_TOKEN=t1") || !slices.Contains(none, "PLAIN=kept") {
		t.Errorf("by default: %v", none)
	}
}
