package laws_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// openEditor connects an editor to the stage's hub over ACP and opens the
// scene's session in it.
func (s *stage) openEditor() {
	s.t.Helper()
	in, wire := io.Pipe()
	out, answers := io.Pipe()
	served, resumed := make(chan error, 1), make(chan string, 1)
	go func() {
		err := acp.Serve(in, answers, func() (*hub.Hub, error) { return s.Hub, nil }, acp.Config{Logger: slog.New(slog.DiscardHandler)})
		_ = answers.Close()
		served <- err
	}()
	go func() { // reads all notifications
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var frame struct {
				ID     int             `json:"id"`
				Method string          `json:"method"`
				Error  json.RawMessage `json:"error"`
			}
			if json.Unmarshal(lines.Bytes(), &frame) == nil && frame.ID == 1 && frame.Method == "" {
				resumed <- string(frame.Error)
			}
		}
	}()
	s.t.Cleanup(func() {
		_ = wire.Close()
		if err := <-served; err != nil {
			s.t.Error(err)
		}
	})
	s.editor = wire
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, s.session, s.dir))
	if failed := <-resumed; failed != "" {
		s.t.Fatalf("the session was not opened: %s", failed)
	}
}

func (s *stage) write(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.editor, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// byEditor cancels as an editor does: by a notification, which has no response.
func byEditor(s *stage, _ bellcord.TurnID) func() stopAnswer {
	s.t.Helper()
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, s.session))
	synctest.Wait()
	return func() stopAnswer { return stopAnswer{} }
}
