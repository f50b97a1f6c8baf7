package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/app/server"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chats"
)

// runTelegram runs bellcord telegram on a data directory.
func runTelegram(t *testing.T, data, text string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	file := filepath.Join(data, "config.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := telegramCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(append(args, "--data-dir", data, "--config", file))
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

const pairing = "[telegram]\npairing = true\n[telegram.users]\nanna = 1001\n[telegram.groups]\nringers = -1001\n"

func TestTelegram_WhileServerRuns_PairsListsAndUnpairs(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	list, err := server.TelegramRights(config.Config{DataDir: data, Telegram: config.Telegram{Pairing: true}})
	if err != nil {
		t.Fatal(err)
	}
	code, _, err := list.Invite(chats.Person{ID: "1002", Name: "Ben", Username: "ben_b"})
	if err != nil {
		t.Fatal(err)
	}
	people := func(want ...string) {
		t.Helper()
		out, _, err := runTelegram(t, data, pairing, "users")
		for _, word := range append(want, "anna", "ringers") {
			if err != nil || !strings.Contains(out, word) {
				t.Errorf("no %q in %s, %v", word, out, err)
			}
		}
		if strings.Contains(out, code) {
			t.Errorf("it shows the code: %s", out)
		}
	}
	people("1002", "Ben", "ben_b", "waiting until")
	if out, _, err := runTelegram(t, data, pairing, "approve", strings.ToLower(code), "--name", "ben"); err != nil || out != "approved 1002 as ben\n" {
		t.Fatalf("%q, %v", out, err)
	}
	if name, ok := list.Person("1002"); !ok || name != "ben" {
		t.Errorf("the server knows %q, %v", name, ok)
	}
	people("1002", "ben", "ben_b", "approved")
	if out, _, err := runTelegram(t, data, pairing, "remove", "1002"); err != nil || out != "removed 1002\n" {
		t.Errorf("%q, %v", out, err)
	}
	if _, ok := list.Person("1002"); ok {
		t.Error("the server still lets him in")
	}
}

func TestTelegram_InvalidCommand_GrantsNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, test := range []struct {
		text, why string
		args      []string
	}{
		{pairing, "arg", []string{"approve"}},
		{pairing, "no such code", []string{"approve", "AAAA-AAAA"}},
		{pairing, "name", []string{"approve", "AAAA-AAAA", "--name", "an na"}},
		{"", "pairing = true", []string{"approve", "AAAA-AAAA"}},
		{pairing, "not paired", []string{"remove", "1001"}},
		{pairing, "not a Telegram id", []string{"remove", "anna"}},
		{"[telegram.users]\nanna = -5\n", "users.anna", []string{"users"}},
		{"[telegram.users]\nanna = 777000\n", "777000", []string{"users"}},
	} {
		if out, _, err := runTelegram(t, data, test.text, test.args...); err == nil || out != "" || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%v: %q, %v", test.args, out, err)
		}
	}
	if out, _, err := runTelegram(t, data, "", "users"); err != nil || out != "no users yet\n" {
		t.Errorf("%q, %v", out, err)
	}
}
