package acp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestPermission_ModeOrRuleDecides_UserIsNotPrompted(t *testing.T) {
	t.Parallel()
	s := onStage(t, "", "shell(rm *)")
	for _, c := range []struct{ mode, what, want string }{
		{"ask", "read notes.txt", `"y"`},
		{"ask", "execute echo hi", `"y"`}, // allowed by a rule
		{"ask", "execute rm -rf x", `"n"`},
		{"full", "execute make", `"y"`},
		{"full", "execute make; rm x", `"n"`},
		{"read-only", "edit notes.txt", `"n"`},
		{"read-only", "execute make", `"n"`},
		{"auto-edit", "edit notes.txt", `"y"`},
		{"ask", "edit notes.txt", "asked"},
		{"ask", "execute make", "asked"},
		{"auto-edit", "edit /etc/passwd", "asked"},
		{"ask", "read /etc/passwd", "asked"},
		{"auto-edit", "fetch it", "asked"},
		{"ask", "think hard", "asked"}, // a question of the agent, such as a choice between two plans
		{"full", "think hard", "asked"},
		{"read-only", "think hard", "asked"},
	} {
		t.Run(c.mode+" "+c.what, func(t *testing.T) {
			s.session = s.newSession(c.mode)
			turn := s.prompt(bellcord.Prompt{Text: "ask " + c.what})
			if c.want == "asked" {
				question := s.until(isQuestion).(bellcord.QuestionOpened).Question
				if len(question.Choices) != 3 || question.Choices[1].ID != "y" || question.Choices[1].Kind != "allow_once" {
					t.Errorf("question %+v", question)
				}
				if err := s.Answer(turn.ID, question.ID, bellcord.Reply{Choice: "y"}, "a person"); err != nil {
					t.Error(err)
				}
				c.want = `"y"`
			}
			r := s.settled(turn)
			if answer := s.textOf(turn.ID); r.End != bellcord.EndDone || !strings.Contains(answer, c.want) {
				t.Errorf("%s (%s), said %s", r.End, r.Error, answer)
			}
		})
	}
}

func TestPermission_AnswerIsNotAnOption_IsRejected(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	turn := s.prompt(bellcord.Prompt{Text: "ask execute make"})
	question := s.until(isQuestion).(bellcord.QuestionOpened).Question
	if err := s.Answer(turn.ID, question.ID, bellcord.Reply{Choice: "reject"}, "nobody"); err != nil {
		t.Fatal(err)
	}
	if r := s.settled(turn); !strings.Contains(s.textOf(turn.ID), `"n"`) || len(r.Calls.NotStarted) != 1 {
		t.Errorf("said %s, calls %+v", s.textOf(turn.ID), r.Calls)
	}
}

func TestFiles_ReadAndWrite_FollowDirectoryAndRules(t *testing.T) {
	t.Parallel()
	s := onStage(t, "", "read_file(secret*)", "write_file(secret*)")
	s.session = s.newSession("auto-edit")
	file := func(name string) string { return filepath.Join(s.session.Dir, name) }
	long := strings.Repeat("a line of text that is read whole\n", 10000) + "end"
	for name, text := range map[string]string{"long.txt": long, "secret.txt": "x"} {
		if err := os.WriteFile(file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if answer, _ := s.run("read " + file("long.txt")); !strings.Contains(answer, `whole\nend"`) || len(answer) < len(long) {
		t.Errorf("read %d bytes", len(answer))
	}
	for prompt, want := range map[string]string{
		"read " + file("none.txt"):              "-32002",
		"read /etc/passwd":                      "outside the working directory",
		"read " + file("secret.txt"):            "not allowed",
		"write " + file("secret2.txt") + " x":   "not allowed",
		"write /tmp/outside x":                  "error",
		"write " + file("new/a.txt") + " hello": "{}",
	} {
		if answer, r := s.run(prompt); r.End != bellcord.EndDone || !strings.Contains(answer, want) {
			t.Errorf("%s: %s, said %s", prompt, r.End, answer)
		}
	}
	if text, err := os.ReadFile(file("new/a.txt")); err != nil || string(text) != "hello" {
		t.Errorf("written %q: %v", text, err)
	}
}

func TestWriteFile_UserRejects_WritesNothingAndLogsCall(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	path := filepath.Join(s.session.Dir, "a.txt")
	turn := s.prompt(bellcord.Prompt{Text: "write " + path + " hello"})
	question := s.until(isQuestion).(bellcord.QuestionOpened).Question
	if err := s.Answer(turn.ID, question.ID, bellcord.Reply{Choice: "reject"}, "a person"); err != nil {
		t.Fatal(err)
	}
	if r := s.settled(turn); r.End != bellcord.EndDone || len(r.Calls.NotStarted) != 1 || r.Calls.NotStarted[0].Name != "write_file" {
		t.Errorf("%s (%s), calls %+v", r.End, r.Error, r.Calls)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was written")
	}
}

func TestTerminal_CwdLeadsOutsideThroughALink_IsRefused(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.session = s.newSession("full")
	dir, outside := s.session.Dir, t.TempDir()
	for name, target := range map[string]string{"out": outside, "in": "sub"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("links cannot be created: ", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]string{dir: "terminalId", dir + "/in": "terminalId", dir + "/out": "cwd is not", outside: "cwd is not", dir + "/none": "cwd is not", "sub": "cwd is not"} {
		if answer, _ := s.run("runin " + cwd + " touch here; true"); !strings.Contains(answer, want) {
			t.Errorf("in %s: %s", cwd, answer)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}

// Another session can work in the directory around this one's, and replace it.
func TestSession_DirectoryReplacedByALink_FilesAndCommandsAreRefused(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.session = s.newSession("full")
	dir, victim := s.session.Dir, t.TempDir()
	if err := os.WriteFile(filepath.Join(victim, "a.txt"), []byte("FOREIGN"), 0o600); err != nil {
		t.Fatal(err)
	}
	if answer, _ := s.run("write " + dir + "/a.txt own"); !strings.Contains(answer, "{}") {
		t.Fatalf("said %s", answer)
	}
	if err := errors.Join(os.Rename(dir, dir+"-away"), os.Symlink(victim, dir)); err != nil {
		t.Skip("links cannot be created: ", err)
	}
	for _, prompt := range []string{"read " + dir + "/a.txt", "write " + dir + "/new.txt x", "run touch here", "runin " + dir + " touch here"} {
		if answer, _ := s.run(prompt); strings.Contains(answer, "FOREIGN") || !strings.Contains(answer, "error") && !strings.Contains(answer, "symbolic link") && !strings.Contains(answer, "not allowed") {
			t.Errorf("%s: %s", prompt, answer)
		}
	}
	if left, err := os.ReadDir(victim); err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}
}

func TestTerminal_Command_ReturnsExitCodeAndTruncatedOutput(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.session = s.newSession("full")
	answer, r := s.run("run printf '%060d' 7; exit 4")
	if r.End != bellcord.EndDone || r.Calls.Finished != 1 {
		t.Fatalf("%s (%s), calls %+v", r.End, r.Error, r.Calls)
	}
	for _, want := range []string{`"exitCode":4`, `"truncated":true`, strings.Repeat("0", 39) + `7"`, "no such terminal"} {
		if !strings.Contains(answer, want) {
			t.Errorf("%s is missing in %s", want, answer)
		}
	}
	s.session = s.newSession("read-only")
	if answer, _ := s.run("run make"); !strings.Contains(answer, "not allowed") {
		t.Errorf("said %s", answer)
	}
}

func TestLaw15_StopDuringTerminalCommand_EndsItsProcesses(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.session = s.newSession("full")
	turn := s.prompt(bellcord.Prompt{Text: "stream terminal"})
	s.until(func(b bellcord.Body) bool {
		_, is := b.(bellcord.ToolOutputDelta)
		return is
	})
	r, took := s.stop(turn)
	if r.End != bellcord.EndStopped || len(r.Processes.Ended) == 0 || len(r.Calls.Stopped) != 1 || r.AgentAbandoned {
		t.Errorf("%s (%s) after %s, abandoned %v, processes %+v, calls %+v", r.End, r.Error, took, r.AgentAbandoned, r.Processes, r.Calls)
	}
	for _, p := range r.Processes.Ended {
		if alive(p.PID) {
			t.Errorf("process %d (%s) is alive", p.PID, p.Name)
		}
	}
	if answer, r := s.run("say on"); answer != "on" || count(s.received(), "initialize") != 1 {
		t.Errorf("the agent was ended: %s (%s), said %q, was sent %v", r.End, r.Error, answer, s.received())
	}
}

func TestRequest_AgentWithdraws_IsCancelledAndTerminalEndsWithTurn(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.session = s.newSession("full")
	answer, r := s.run("withdraw")
	if r.End != bellcord.EndDone || !strings.Contains(answer, "-32800") {
		t.Errorf("%s (%s), said %s", r.End, r.Error, answer)
	}
	if len(r.Processes.Ended) != 1 || alive(r.Processes.Ended[0].PID) || len(r.Calls.Stopped) != 1 {
		t.Errorf("processes %+v, calls %+v", r.Processes, r.Calls)
	}
}

// Not parallel: it sets environment variables.
func TestTerminal_SecretsInEnvironment_AreWithheld(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "one")
	t.Setenv("PGPASSWORD", "two")
	t.Setenv("SOMETHING_ELSE", "kept")
	s := onStage(t, "")
	s.session = s.newSession("full")
	answer, _ := s.run(`run echo "[$GITHUB_TOKEN$PGPASSWORD$SOMETHING_ELSE]"; true`)
	if !strings.Contains(answer, "[kept]") {
		t.Errorf("said %s", answer)
	}
}

func TestTerminal_VariablesAndAnotherDirectory_AreInTheQuestion(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	const set, args = "with 'BASH_ENV=/tmp/a b' 'GITHUB_TOKEN=[secret]' LD_PRELOAD=/tmp/evil.so: `date`?", `"env":{"BASH_ENV":"/tmp/a b","GITHUB_TOKEN":"[secret]","LD_PRELOAD":"/tmp/evil.so"}}`
	for _, elsewhere := range []bool{false, true} {
		s.session = s.newSession("ask")
		dir, text, recorded := s.session.Dir+"/", "Run "+set, `{"command":"date",`+args
		if elsewhere {
			dir = filepath.Join(dir, "sub")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			text, recorded = "Run in "+dir+" "+set, `{"command":"date","workdir":"`+dir+`",`+args
		}
		turn := s.prompt(bellcord.Prompt{Text: "dress " + dir})
		call, _ := s.until(func(b bellcord.Body) bool { _, is := b.(bellcord.ToolCallRequested); return is }).(bellcord.ToolCallRequested)
		q := s.until(isQuestion).(bellcord.QuestionOpened).Question
		if q.Text != text || string(call.Arguments) != recorded {
			t.Errorf("asked %q about %s", q.Text, call.Arguments)
		}
		if err := s.Answer(turn.ID, q.ID, bellcord.Reply{Choice: "reject"}, "a person"); err != nil {
			t.Fatal(err)
		}
		s.settled(turn)
	}
}
