package backend

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

func TestRun_WithAndWithoutAServer_ShowsTheAnswerAndStopsOnASignal(t *testing.T) {
	t.Parallel()
	for _, served := range []bool{false, true} {
		t.Run(fmt.Sprint("server ", served), func(t *testing.T) {
			t.Parallel()
			c := testConfig(t)
			if served {
				serve(t, c)
				c.Server = "unix:" + socketPath(c.App.Settings.DataDir)
			}
			answer, receipt, err := runTurn(t, Run{Config: c, Text: "hello"})
			if err != nil || receipt.End != bellcord.EndDone || !strings.HasSuffix(answer, "You said: hello\n") {
				t.Errorf("%q, %s, %v", answer, receipt.End, err)
			}
			id := string(receipt.Session)
			_, receipt, err = runTurn(t, Run{
				Config: c, Text: "[hang]", Session: id[len(id)-8:],
				OnSignal: func(_ <-chan struct{}, stop func(os.Signal, int)) func() {
					go stop(os.Interrupt, 1)
					return func() {}
				},
			})
			if err != nil || receipt.End != bellcord.EndStopped || string(receipt.Session) != id {
				t.Errorf("%+v, %v", receipt, err)
			}
		})
	}
}

func runTurn(t *testing.T, r Run) (string, bellcord.Receipt, error) {
	t.Helper()
	var out, errs bytes.Buffer
	r.Turn, r.View = bellcord.NewTurnID(), &line.View{Out: &out, Err: &errs}
	if r.OnSignal == nil {
		r.OnSignal = func(<-chan struct{}, func(os.Signal, int)) func() { return func() {} }
	}
	receipt, err := r.Do(t.Context())
	return out.String(), receipt, err
}

func TestRun_InvalidTurn_CreatesNoSession(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	for want, r := range map[string]Run{
		"no session in": {Text: "x", Continue: true, Dir: t.TempDir()},
		"--dir":         {Text: "x", Dir: "/does/not/exist"},
		"/stop":         {Text: "/stop"},
	} {
		r.Config = c
		if _, _, err := runTurn(t, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	at, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if all, _, err := at.Sessions(t.Context(), ""); err != nil || len(all) > 0 {
		t.Errorf("there are sessions: %+v, %v", all, err)
	}
	if err := at.Close(); err != nil {
		t.Error(err)
	}
}
