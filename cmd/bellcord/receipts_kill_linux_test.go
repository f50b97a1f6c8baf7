package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// hostile is a command whose processes ignore SIGTERM, leave its session, or both.
func hostile(token string) string {
	command := "trap '' TERM; (setsid sleep " + token + " &); nohup sleep " + token + " >/dev/null 2>&1 & echo up; sleep " + token + "; sleep " + token
	return `[tool shell {"command":` + strconv.Quote(command) + `}]`
}

// victims start a turn with a prompt in a process of each kind, and return the process.
var victims = map[string]func(w *world, prompt string) *os.Process{
	"run": func(w *world, prompt string) *os.Process {
		return w.starts("--mode", "full", prompt).Process
	},
	"chat": func(w *world, prompt string) *os.Process {
		p := w.onTerminal("chat", "--mode", "full")
		p.sees("ready")
		p.types(prompt + "\r")
		return p.cmd.Process
	},
	"serve": func(w *world, prompt string) *os.Process {
		server := w.daemon(nil)
		server.prompts(prompt)
		return server.Process
	},
	"acp": func(w *world, prompt string) *os.Process {
		cmd := w.bellcord("acp", "--mode", "full")
		in, err := cmd.StdinPipe()
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { _ = in.Close() })
		lines, _ := w.startPiped(cmd)
		w.promptInEditor(in, lines, prompt)
		return cmd.Process
	},
	"hosted": func(w *world, prompt string) *os.Process {
		return w.starts("--mode", "full", "--agent", "scripted", prompt).Process
	},
}

// scripted is an agent that runs the command of a prompt itself, and never answers.
const scripted = `#!/bin/sh
while read -r line; do
	id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
	case $line in
	*'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":1}}' ;;
	*'"session/new"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"sessionId":"s"}}' ;;
	*'"session/prompt"'*)
		token=$(printf %s "$line" | sed 's/.*setsid sleep \([0-9]*\).*/\1/')
		trap '' TERM
		(setsid sleep "$token" &)
		nohup sleep "$token" >/dev/null 2>&1 &
		sleep "$token" &
		;;
	esac
done
`

// confinements are settings of the sandbox. The value reports whether the processes end
// with Bellcord.
var confinements = map[string]bool{
	`level = "bubblewrap"`: true, `level = "namespaces"`: true, `level = "landlock"`: false, `mode = "off"`: false,
}

// newMortalWorld is a world with one of the confinements and the agent scripted.
func newMortalWorld(t *testing.T, confinement string) *world {
	t.Helper()
	w := newServerWorld(t)
	agent := w.writeFile("agent", scripted, 0o700)
	w.configure("[sandbox]\n" + confinement + "\n[agents.scripted]\ncommand = [" + strconv.Quote(agent) + "]\nprotocol = \"acp\"\n")
	return w
}

// kill starts a victim with a hostile command, kills it, and returns the sleepers that
// are left: none if they end with Bellcord.
func (w *world) kill(kind string, endWithIt bool) (left []string, token string) {
	w.t.Helper()
	token = strconv.FormatInt(60_000_000+rand.Int64N(1_000_000), 10)
	victim := victims[kind](w, hostile(token))
	awaitAlive(w.t, token, 3)
	if err := victim.Kill(); err != nil {
		w.t.Fatal(err)
	}
	comesTrue(w.t, "the process is dead", func() bool { // with all threads: then its locks are free
		tasks, _ := os.ReadDir("/proc/" + strconv.Itoa(victim.Pid) + "/task")
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(victim.Pid) + "/stat")
		return len(tasks) == 0 || len(tasks) == 1 && strings.Contains(string(stat), ") Z ")
	})
	if endWithIt {
		awaitAlive(w.t, token, 0)
	}
	return sleepers(w.t, token), token
}

// killsOfEach is how often each kind of process is killed in each confinement: once, or
// 50 times with -kills 250.
func killsOfEach() int { return max(1, *kills/5) }

// Laws 15 and 37: after kill -9 of a process, nothing of its sandbox is left. Without a
// sandbox that ends with it, the receipt of its turn lists the processes that were left,
// which an independent scan of /proc finds before and does not find afterwards.
func TestLaw37_KilledProcess_ReceiptEqualsTheScan(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for kind := range victims {
		for confinement, endWithIt := range confinements {
			if kind != "run" && (confinement == `level = "namespaces"` || confinement == `level = "landlock"`) && killsOfEach() == 1 {
				continue // the kinds differ in who starts the command, not in how it is confined
			}
			t.Run(kind+" "+confinement, func(t *testing.T) {
				t.Parallel()
				w := newMortalWorld(t, confinement)
				left := 0
				for range killsOfEach() {
					alive, token := w.kill(kind, endWithIt)
					if out, errs, _ := w.does("ps"); len(alive) > 0 && !strings.Contains(errs, "processes of lost turns: ") {
						t.Errorf("ps prints %q %q", out, errs)
					}
					left += w.receiptEqualsTheScan(alive, token)
				}
				t.Logf("%d kills left %d processes; each is on its receipt", killsOfEach(), left)
			})
		}
	}
}

// A process that ends and records the processes of a dead one is killed, too.
func TestLaw37_KillDuringRecovery_ReceiptEqualsTheScan(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newMortalWorld(t, `mode = "off"`)
	for range killsOfEach() {
		alive, token := w.kill("run", false)
		for range 3 {
			first := w.bellcord("ps")
			if err := first.Start(); err != nil {
				t.Fatal(err)
			}
			<-time.After(rand.N(400 * time.Millisecond))
			_ = first.Process.Kill()
			_ = first.Wait()
		}
		w.receiptEqualsTheScan(alive, token)
	}
}

// Another process on the same data directory lives, and records what it finds.
func TestLaw37_KilledWhileAnotherProcessLives_ReceiptEqualsTheScan(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for confinement, endWithIt := range map[string]bool{`level = "bubblewrap"`: true, `mode = "off"`: false} {
		t.Run(confinement, func(t *testing.T) {
			t.Parallel()
			w := newMortalWorld(t, confinement)
			victims["acp"](w, "[slow 100000 1s]")
			for range killsOfEach() {
				alive, token := w.kill("run", endWithIt)
				w.receiptEqualsTheScan(alive, token)
			}
		})
	}
}

// A command in the background outlives its turn, and not Bellcord.
func TestLaw15_KilledProcess_EndsItsBackgroundCommand(t *testing.T) {
	t.Parallel()
	for confinement, endsWithIt := range confinements {
		if !endsWithIt {
			continue
		}
		t.Run(confinement, func(t *testing.T) {
			t.Parallel()
			w := newMortalWorld(t, confinement)
			token := strconv.FormatInt(61_000_000+rand.Int64N(1_000_000), 10)
			victim := victims["acp"](w, `[tool shell {"command":"trap '' TERM; setsid sleep `+token+`","background":true}]`)
			awaitAlive(t, token, 1)
			_ = victim.Kill()
			awaitAlive(t, token, 0)
		})
	}
}

// awaitAlive waits until a number of sleepers is alive.
func awaitAlive(t *testing.T, token string, n int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(30 * time.Second); len(sleepers(t, token)) != n; <-tick.C {
		if time.Now().After(bound) {
			t.Fatalf("%d sleepers, want %d", len(sleepers(t, token)), n)
		}
	}
}

// receiptEqualsTheScan compares the receipt of the last turn, which was lost, with the
// sleepers that were alive, and returns their number.
func (w *world) receiptEqualsTheScan(alive []string, token string) int {
	w.t.Helper()
	var r bellcord.Receipt
	comesTrue(w.t, "the receipt is complete", func() bool { // another process may be writing it
		out, errs, code := w.does("receipt", "--json")
		r = bellcord.Receipt{}
		if err := json.Unmarshal([]byte(out), &r); err != nil && code == 0 {
			w.t.Fatalf("%v: %q %q", err, out, errs)
		}
		return code == 0 && r.Processes.Unknown == "" && !w.judged[r.Turn]
	})
	if w.judged == nil {
		w.judged = map[bellcord.TurnID]bool{}
	}
	w.judged[r.Turn] = true
	var listed, want []string
	for _, p := range r.Processes.Ended {
		if strings.HasPrefix(p.Name, "sleep ") {
			listed = append(listed, strconv.Itoa(p.PID))
		}
	}
	for _, path := range alive {
		want = append(want, strings.Split(path, "/")[2])
	}
	slices.Sort(listed)
	slices.Sort(want)
	if r.End != bellcord.EndLost || r.Processes.Proof == "" || !slices.Equal(listed, want) {
		w.t.Errorf("scan %v, receipt %s %+v", want, r.End, r.Processes)
	}
	if left := sleepers(w.t, token); len(left) > 0 {
		w.t.Errorf("%v live after the receipt", left)
	}
	if text, _, _ := w.does("receipt", string(r.Turn)); len(want) > 0 && strings.Contains(text, "none had to be ended") {
		w.t.Errorf("the receipt says %q", text)
	}
	return len(want)
}
