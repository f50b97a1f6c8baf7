package surfaces_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// anna is her Telegram id.
const anna = 1001

// stage is the built binary running as a server, with a fake Telegram and a fake model.
type stage struct {
	t       *testing.T
	program string
	data    string
	env     []string
	gram    *fakegram.Server
	url     string
	token   string

	mu  sync.Mutex
	log [][]byte // lines of the server's log
}

// missing fails the test in CI, where no test may be omitted, and skips it elsewhere.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// comesTrue waits until holds returns true.
func comesTrue(t *testing.T, what func() string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); !holds(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("it never came true: " + what())
		}
	}
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, gram: fakegram.New(), program: os.Getenv("BELLCORD_BIN")}
	if s.program == "" {
		s.program = filepath.Join(t.TempDir(), "bellcord")
		if out, err := exec.Command("go", "build", "-o", s.program, "github.com/bellcord/bellcord/cmd/bellcord").CombinedOutput(); err != nil {
			t.Fatalf("building: %v\n%s", err, out)
		}
	}
	var err error
	if s.data, err = os.MkdirTemp("", "bcs"); err != nil { // the path of t.TempDir is too long for a socket
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.data) })
	model, modelURL, err := fakemodel.New().Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	telegram, telegramURL, err := s.gram.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = telegram.Close() })
	s.gram.AddPerson(fakegram.User{ID: anna, FirstName: "Anna"})
	s.env = []string{
		"OPENAI_API_KEY=x", "OPENAI_BASE_URL=" + modelURL, "BELLCORD_MODEL=openai/fake",
		"BELLCORD_DATA=" + s.data, "XDG_CONFIG_HOME=" + s.data,
	}
	settings := filepath.Join(s.data, "surfaces.toml")
	text := fmt.Sprintf("[telegram]\ntoken = \"1:TEST\"\napi_url = %q\nmode = \"full\"\n[telegram.users]\nanna = %d\n", telegramURL, anna)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.serve(settings)
	return s
}

// bellcord returns a command on the stage's data directory.
func (s *stage) bellcord(args ...string) *exec.Cmd {
	cmd := exec.Command(s.program, args...)
	cmd.Env = append(os.Environ(), s.env...)
	return cmd
}

// serve starts the server and waits until it prints its address.
func (s *stage) serve(settings string) {
	s.t.Helper()
	cmd := s.bellcord("serve", "--addr", "127.0.0.1:0", "--shutdown-grace", "1ms", "--config", settings)
	errs, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	read := make(chan struct{})
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-read
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	})
	go func() { defer close(read); s.drain(errs) }()
	comesTrue(s.t, s.serverLog, func() bool {
		serving := s.logged("serving")
		if len(serving) > 0 {
			s.url = serving[0]["url"].(string)
		}
		return s.url != ""
	})
	token, err := os.ReadFile(filepath.Join(s.data, "token"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
}

func (s *stage) drain(errs io.Reader) {
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		s.mu.Lock()
		s.log = append(s.log, bytes.Clone(lines.Bytes()))
		s.mu.Unlock()
	}
}

// logged returns the lines of the server's log with this message.
func (s *stage) logged(message string) (found []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.log {
		var fields map[string]any
		if json.Unmarshal(line, &fields) == nil && fields["msg"] == message {
			found = append(found, fields)
		}
	}
	return found
}

// serverLog returns the server's log.
func (s *stage) serverLog() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(bytes.Join(s.log, []byte("\n")))
}
