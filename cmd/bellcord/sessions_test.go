//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// stored returns the sessions that sessions --json prints, newest first.
func (n *newcomer) stored() []bellcord.Session {
	n.t.Helper()
	out, errs, code := n.types("sessions", "--json")
	if code != 0 {
		n.t.Fatalf("%s, exit code %d", errs, code)
	}
	var all []bellcord.Session
	for line := range strings.Lines(out) {
		var s bellcord.Session
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			n.t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func TestRun_Continue_UsesNewestSessionOfDirectory(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, "BELLCORD_MODEL=fake/fake")
	if _, errs, code := n.types("run", "-c", "hi"); code != exitFailed || !strings.Contains(errs, "to continue") {
		t.Errorf("%q, exit code %d; want a refusal: there is no session", errs, code)
	}
	for _, args := range [][]string{{"run", "one"}, {"run", "-c", "two"}} {
		if _, errs, code := n.types(args...); code != 0 {
			t.Fatal(args, errs)
		}
	}
	all := n.stored()
	if len(all) != 1 {
		t.Fatalf("%d sessions, want one", len(all))
	}
	out, _, _ := n.types("sessions", "export", string(all[0].ID))
	if !strings.Contains(out, "> one") || !strings.Contains(out, "> two") {
		t.Errorf("the session has not both prompts:\n%s", out)
	}
}

func TestSessions_SelectedByIDSuffix_AreShownRenamedStoppedAndDeleted(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, "BELLCORD_MODEL=fake/fake")
	for range 3 {
		if _, errs, code := n.types("run", "hello"); code != 0 {
			t.Fatal(errs)
		}
	}
	id := string(n.stored()[1].ID)
	end := id[len(id)-8:]
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"sessions", "show", end}, "> hello"},
		{[]string{"sessions", "export", "--json", end}, id},
		{[]string{"run", "--session", end, "again"}, "again"},
		{[]string{"stop", end}, "Nothing is running."},
		{[]string{"sessions", "rename", end, "Trains"}, ""},
		{[]string{"sessions"}, "Trains"},
		{[]string{"sessions", "delete", end}, "deleted " + id},
	} {
		if out, errs, code := n.types(c.args...); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%v: %q %q, exit code %d; want %q", c.args, out, errs, code, c.want)
		}
	}
	if all := n.stored(); len(all) != 2 {
		t.Errorf("%d sessions after the delete, want 2", len(all))
	}
}

func TestVersionAndConfigPath_PrintOneLine(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	if out, _, code := n.types("version"); code != 0 || !strings.HasPrefix(out, "bellcord "+version) {
		t.Errorf("%q, exit code %d", out, code)
	}
	if out, errs, code := n.types("config", "path"); code != 0 || out != filepath.Join(n.home, ".config/bellcord/config.toml")+"\n" || !strings.Contains(errs, "bellcord init") {
		t.Errorf("%q %q, exit code %d", out, errs, code)
	}
}
