package permit_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

func policy(t *testing.T, allow, deny []string) *permit.Policy {
	t.Helper()
	p, err := permit.NewPolicy(allow, deny, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func shell(command string) permit.Call {
	return permit.Call{Tool: "shell", Effect: permit.Executes, Subject: command, Exact: command}
}

func TestDecide_EachMode_AllowsByEffect(t *testing.T) {
	t.Parallel()
	p := policy(t, nil, []string{"shell(rm *)", "write_file(*/secret*)"})
	look := permit.Call{Tool: "read_file", Effect: permit.Reads, Subject: "a"}
	edit := permit.Call{Tool: "write_file", Effect: permit.Edits, Subject: "a"}
	fetch := permit.Call{Tool: "fetch", Effect: permit.Reaches, Subject: "https://example.org/"}
	for _, c := range []struct {
		mode                           permit.Mode
		look, edit, run, fetch, denied permit.Verdict
	}{
		{permit.ReadOnly, permit.Allow, permit.Deny, permit.Deny, permit.Deny, permit.Deny},
		{permit.Ask, permit.Allow, permit.Put, permit.Put, permit.Put, permit.Deny},
		{permit.AutoEdit, permit.Allow, permit.Allow, permit.Put, permit.Put, permit.Deny},
		{permit.Full, permit.Allow, permit.Allow, permit.Allow, permit.Allow, permit.Deny},
	} {
		for _, is := range []struct {
			call permit.Call
			want permit.Verdict
		}{{look, c.look}, {edit, c.edit}, {shell("ls"), c.run}, {fetch, c.fetch}, {shell("ls && rm -rf x"), c.denied}} {
			if got := p.Decide(permit.Session{ID: "s"}, c.mode, is.call); got.Verdict != is.want {
				t.Errorf("%s, %s %s: %s, want %s", c.mode, is.call.Tool, is.call.Subject, got.Verdict, is.want)
			}
		}
	}
}

func TestDecide_CommandOfSeveralParts_IsAllowedOnlyIfEveryPartIs(t *testing.T) {
	t.Parallel()
	p := policy(t, []string{"shell(git status)", "shell(git log *)", "shell(ls *)", "shell(echo *)", "shell(env *)"}, []string{"shell(git push *)"})
	for command, want := range map[string]permit.Verdict{
		"git status":                      permit.Allow,
		"git  'status'":                   permit.Allow,
		"git log":                         permit.Allow,
		"git log --oneline | ls":          permit.Allow,
		"git status 2>&1 >/dev/null":      permit.Allow,
		"git status && ls -l":             permit.Allow,
		"git statusx":                     permit.Put,
		"git status; rm -rf /":            permit.Put,
		"git status\nrm -rf /":            permit.Put,
		"git log $(rm -rf /)":             permit.Put,
		"git log `rm -rf /`":              permit.Put,
		"ls > important":                  permit.Put,
		"ls >> important":                 permit.Put,
		"ls >&important":                  permit.Put,
		"ls $HOME":                        permit.Put, // cannot be determined before it runs
		"PATH=/evil git status":           permit.Put,
		"$(echo rm) -rf /":                permit.Put,
		"env rm -rf /":                    permit.Put, // a rule for env would allow anything
		"git() { rm -rf /; }; git status": permit.Put,
		"ls <(rm -rf /)":                  permit.Put,
		"echo 'rm -rf /'":                 permit.Allow,
		"if true":                         permit.Put, // a syntax error
		"":                                permit.Put,
		"ls; git push origin":             permit.Deny,
		"(git push)":                      permit.Deny,
		"echo $(git push --force)":        permit.Deny,
		"g\\it push":                      permit.Deny,
		"'git' \"push\"":                  permit.Deny,
		"while :; do git push; done":      permit.Deny,
	} {
		if got := p.Decide(permit.Session{ID: "s"}, permit.Ask, shell(command)); got.Verdict != want {
			t.Errorf("%q: %s, want %s", command, got.Verdict, want)
		}
	}
}

func TestParseRule_InvalidSyntax_Fails(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "(x)", "shell(x"} {
		if _, err := permit.ParseRule(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
