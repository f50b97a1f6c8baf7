//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// modelWith80Lines is a model that streams 80 lines, each as a paragraph of two pieces.
func modelWith80Lines(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta, finish string) {
			fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"fake\",\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":%s}]}\n\n", delta, finish)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(15 * time.Millisecond):
			case <-r.Context().Done():
			}
		}
		for i := 1; i <= 80; i++ {
			send(fmt.Sprintf(`"role":"assistant","content":"line %02d of eighty"`, i), "null")
			send(`"content":" with words that a narrow window must break.\n\n"`, "null")
		}
		send("", `"stop"`)
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var (
	streamedLine = regexp.MustCompile(`line \d\d of`)
	statusRow    = regexp.MustCompile(`(?m)^(● running|○ ready|○ sending|○ queued)`)
)

func TestChat_80LinesInSixWindowSizes_AreInTheScrollbackOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.url = modelWith80Lines(t)
	c := w.chats()
	c.enters("go")
	c.sees("line 01 of")
	sizes := [][2]string{{"100", "30"}, {"60", "20"}, {"40", "12"}, {"120", "40"}, {"50", "16"}, {"80", "24"}}
	for i := 0; !strings.Contains(c.scrollback(), "● done"); i++ {
		size := sizes[i%len(sizes)]
		c.tmux("resize-window", "-x", size[0], "-y", size[1])
		<-time.After(70 * time.Millisecond)
	}
	c.sees("○ ready")
	c.tmux("resize-window", "-x", "120", "-y", "40")
	c.sees("○ ready")
	text := strings.Join(strings.Fields(c.scrollback()), " ") // lines keep the width at which they were printed
	found := streamedLine.FindAllString(text, -1)
	for i := range found {
		if want := fmt.Sprintf("line %02d of", i+1); found[i] != want {
			t.Fatalf("the scrollback has %q instead of %q:\n%s", found[i], want, c.scrollback())
		}
	}
	if len(found) != 80 || strings.Count(text, "must break.") != 80 {
		t.Errorf("%d lines begin and %d end:\n%s", len(found), strings.Count(text, "must break."), c.scrollback())
	}
	if rows := statusRow.FindAllString(c.scrollback(), -1); len(rows) != 1 {
		t.Errorf("the scrollback has the status rows %q:\n%s", rows, c.scrollback())
	}
}

func TestChat_Exit_LeavesTheConversationInTheScrollback(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.tmux("resize-window", "-x", "80", "-y", "12")
	for i := range 5 {
		c.enters(fmt.Sprintf("[say answer %d&#33;]", i))
		c.sees(fmt.Sprintf("\nanswer %d!", i))
		c.sees("○ ready")
	}
	c.enters("/quit")
	c.sees("code=0")
	got := c.scrollback()
	for i := range 5 {
		if n := strings.Count(got, fmt.Sprintf("\nanswer %d!\n", i)); n != 1 {
			t.Errorf("answer %d is there %d times:\n%s", i, n, got)
		}
	}
	if n := strings.Count(got, "● done "); n != 5 {
		t.Errorf("%d end lines of 5 turns:\n%s", n, got)
	}
	if statusRow.MatchString(got) || strings.Contains(got, "\n›") {
		t.Errorf("the live rows were not removed:\n%s", got)
	}
}

func TestChat_ListHelpAndTranscript_LeaveNoTrace(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.enters(`[tool shell {"command":"seq 20"}]`)
	c.sees("y allow once")
	c.answers("y")
	c.sees("● done")
	c.sees("○ ready")
	before := c.scrollback()
	for _, of := range []struct{ key, shows, closes string }{
		{"C-p", "Sessions in ", "Escape"}, {"?", "esc or ? closes", "Escape"}, {"?", "esc or ? closes", "?"}, {"C-o", "│ 10", "q"}, {"C-o", "Transcript  ", "C-c"},
	} {
		c.types(of.key)
		c.sees(of.shows)
		c.types(of.closes)
		c.sees("○ ready\n")
		comesTrue(t, "the screen is as before "+of.key, func() bool { return c.scrollback() == before })
	}
	if strings.Contains(before, "│ 10") || !strings.Contains(before, "… 12 more lines · ctrl+o shows all") {
		t.Errorf("the output is not folded:\n%s", before)
	}
}

func TestChat_CtrlCInTheTranscript_StopsTheTurn(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.enters("[slow 6000 20ms]")
	c.sees("word9 ")
	c.types("C-o")
	c.sees("Transcript  ")
	c.sees("ctrl+c stops")
	c.types("C-c")
	c.sees("■ stopped after ")
	c.types("Escape")
	c.sees("○ ready")
}

func TestChat_Stop_IsReportedInOneLineWithItsProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats("--mode full")
	c.enters(`[tool shell {"command":"setsid sleep 1000 & echo $$ >child; sleep 1000"}]`)
	numberIn(t, filepath.Join(w.dir, "child"))
	c.types("Escape")
	c.sees("■ stopped after ")
	c.sees("○ ready")
	got := strings.Join(strings.Fields(c.scrollback()), " ")
	if !regexp.MustCompile(`■ stopped after \d+\.\d s · \d processes ended \((PID namespace ended|cgroup empty|no process found)\) · kept: 1 result`).MatchString(got) || strings.Count(got, "■ stopped") != 1 {
		t.Errorf("it is\n%s", c.scrollback())
	}
}

func TestChat_ResumedSession_PrintsTheLastThreeTurns(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	server := w.daemon(nil)
	session, _ := server.prompts("[say answer 0.]")
	for i := 1; i < 6; i++ {
		if status := server.request("POST", "/v1/sessions/"+string(session)+"/turns", map[string]string{"text": fmt.Sprintf("[say answer %d.]", i)}, nil); status != 202 {
			t.Fatalf("a turn: %d", status)
		}
	}
	w.chats("--session", string(session)).sees("\nanswer 5.")
	for _, args := range [][]string{{}, {"--server", server.url}} {
		c := w.chats(append([]string{"--session", string(session)}, args...)...)
		c.sees("\nanswer 5.")
		got := c.scrollback()
		if !strings.Contains(got, "… 3 earlier turns · ctrl+o shows all") || !strings.Contains(got, "\nanswer 3.") || strings.Contains(got, "\nanswer 2.") {
			t.Errorf("with %v:\n%s", args, got)
		}
		c.types("C-o")
		c.sees("Transcript  ")
		c.sees("\nanswer 0.")
	}
}

func TestChat_CtrlL_DrawsAgain(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.types("-l", "words")
	c.sees("› words")
	tty := strings.TrimSpace(c.tmux("display-message", "-p", "#{pane_tty}"))
	if err := os.WriteFile(tty, []byte("NOISE\r"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.sees("NOISE")
	c.types("C-l")
	comesTrue(t, "the noise is gone", func() bool { return !strings.Contains(c.scrollback(), "NOISE") })
	c.sees("› words")
}
