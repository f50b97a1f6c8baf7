package rights_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
)

// fileEnv turns this test binary into another process that uses the file it
// names.
const fileEnv = "BELLCORD_RIGHTS_FILE"

func TestMain(m *testing.M) {
	if file := os.Getenv(fileEnv); file != "" {
		obey(file)
		return
	}
	os.Exit(m.Run())
}

// obey runs the command in each line of its input and prints one line in reply.
func obey(file string) {
	l, err := rights.Open(rights.Config{Platform: "Matrix", File: file, Pairing: true})
	for lines := bufio.NewScanner(os.Stdin); err == nil && lines.Scan(); {
		verb, word, _ := strings.Cut(lines.Text(), " ")
		answer := "ok"
		switch verb {
		case "code":
			answer, _, err = l.Invite(chats.Person{ID: chats.ID(word)})
		case "pair":
			_, err = l.Pair(word, "")
		case "unpair":
			err = l.Unpair(chats.ID(word))
		}
		if err == nil {
			fmt.Println(answer)
		}
	}
	if err != nil {
		fmt.Println("error:", err)
	}
}

// process starts another process that uses the file; it ends with the test.
func process(t *testing.T, file string) (tell func(verb string, word any) string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env, cmd.Stderr = append(os.Environ(), fileEnv+"="+file), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	answers := bufio.NewScanner(out)
	return func(verb string, word any) string {
		if _, err := fmt.Fprintln(in, verb, word); err != nil || !answers.Scan() {
			t.Errorf("%s %v: no answer, %v", verb, word, err)
			return ""
		}
		if answer := answers.Text(); !strings.HasPrefix(answer, "error") {
			return answer
		}
		t.Errorf("%s %v: %s", verb, word, answers.Text())
		return ""
	}
}

func TestList_ConcurrentProcesses_LoseNoUpdate(t *testing.T) {
	t.Parallel()
	file := place(t)
	server := open(t, rights.Config{File: file, Pairing: true})
	const processes, each = 4, 12
	var all sync.WaitGroup
	for p := range processes {
		tell := process(t, file)
		all.Go(func() {
			for i := range each {
				tell("pair", tell("code", numbered(1000*(p+1)+i)))
			}
		})
	}
	for i := range each { // this process pairs, too
		if _, err := server.Pair(requestCode(t, server, numbered(100+i)), ""); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	if paired := server.Paired(); len(paired) != (processes+1)*each {
		t.Errorf("%d are paired: %+v", len(paired), paired)
	}
}

func TestList_ChangeByAnotherProcess_IsSeenAtOnce(t *testing.T) {
	t.Parallel()
	file := place(t)
	server, command := open(t, rights.Config{File: file, Pairing: true}), process(t, file)
	for i := range 100 {
		id := numbered(i)
		code := requestCode(t, server, id)
		if _, ok := server.Person(id); ok {
			t.Fatalf("%s is in without a pairing", id)
		}
		command("pair", code)
		if _, ok := server.Person(id); !ok {
			t.Fatalf("%s was paired, and is not let in", id)
		}
		command("unpair", id)
		if _, ok := server.Person(id); ok {
			t.Fatalf("%s was unpaired, and is let in", id)
		}
	}
}

// On a coarse clock, two changes can have the same modification time.
func TestList_ChangeWithEqualSizeAndTime_IsSeen(t *testing.T) {
	t.Parallel()
	file, now := place(t), time.Now()
	l := open(t, rights.Config{File: file})
	for _, id := range []chats.ID{"@anna:example.org", "@bert:example.org"} {
		if err := os.WriteFile(file, fmt.Appendf(nil, `{"paired":[{"id":%q,"name":"x"}]}`, id), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now, now); err != nil {
			t.Fatal(err)
		}
		if _, ok := l.Person(id); !ok {
			t.Errorf("%s is not let in", id)
		}
	}
}
