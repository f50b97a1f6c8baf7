package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// commands are the slash commands. They are recognized before a turn is started
// and never reach the model. Only a compaction is a turn, because only it is
// work that can be stopped.
var commands = []acp.AvailableCommand{
	{Name: "help", Description: "Show the commands"},
	{Name: "clear", Description: "Stop, drop queued prompts and start a new conversation"},
	{Name: "compact", Description: "Replace the conversation so far with a summary", Input: &acp.UnstructuredCommandInput{Hint: "what to keep"}},
	{Name: "stop", Description: "Stop the running turn and all queued prompts"},
	{Name: "model", Description: "Show or change the model", Input: &acp.UnstructuredCommandInput{Hint: "provider/model"}},
	{Name: "mode", Description: "Show or change the mode", Input: &acp.UnstructuredCommandInput{Hint: "read-only | ask | auto-edit | full"}},
	{Name: "changes", Description: "List the files that the last turn changed"},
	{Name: "undo", Description: "Restore the files that the last turn changed, after a preview", Input: &acp.UnstructuredCommandInput{Hint: "another turn, only these paths"}},
	{Name: "redo", Description: "Reverse the last undo, after a preview"},
	{Name: "rewind", Description: "Continue the conversation as it was before an earlier turn; files stay as they are", Input: &acp.UnstructuredCommandInput{Hint: "nothing: list the turns | TURN | back"}},
	{Name: "cost", Description: "Show the tokens and cost of this session"},
}

func (s *session) sendCommands() {
	s.update(acp.AvailableCommandsUpdate{AvailableCommands: commands})
}

// commandNames are the commands that slash.Commands.Parse recognizes.
var commandNames = func() (names slash.Commands) {
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return names
}()

// obey runs a command in wire order. It never waits for a turn: slow commands
// are answered from another goroutine.
func (s *Server) obey(request json.RawMessage, sess *session, word, rest string) {
	typed := commandText(word, rest)
	switch word {
	case "compact":
		s.accept(request, sess, bellcord.Prompt{Task: bellcord.TaskCompact, Text: rest})
	case "clear":
		s.clear(request, sess)
	case "cost":
		s.runAsync(request, sess, typed, sess.costs)
	case "changes":
		s.runAsync(request, sess, typed, sess.changes)
	case "undo", "redo":
		s.undo(request, sess, word, rest)
	case "rewind":
		s.runAsync(request, sess, typed, func() (string, error) { return sess.rewind(rest) })
	case "stop":
		s.stopAll(request, sess)
	case "model":
		s.sendReply(request, sess.settingText(typed, bellcord.SessionUpdated{Model: rest}))
	case "mode":
		s.sendReply(request, sess.settingText(typed, bellcord.SessionUpdated{Mode: rest}))
	default:
		s.sendReply(request, sess.replyText(typed, help(), nil))
	}
}

// commandText returns a command as the user types it.
func commandText(word, rest string) string { return strings.TrimSpace("/" + word + " " + rest) }

// runAsync runs a slow command outside the goroutine that reads the
// connection.
func (s *Server) runAsync(request json.RawMessage, sess *session, typed string, command func() (string, error)) {
	done := sess.book.beginCommand()
	s.work.Go(func() {
		defer done()
		text, err := command()
		s.sendReply(request, sess.replyText(typed, text, err))
	})
}

// replyText shows the result of the command that the user typed and returns the
// reply. An error is shown as text, because the client has no better place for it.
func (s *session) replyText(typed, text string, err error) answer {
	if err != nil {
		text = err.Error()
	}
	return answer{result: s.view.ran(typed, text)}
}

func (s *session) settingText(typed string, to bellcord.SessionUpdated) answer {
	text, err := s.change(to)
	return s.replyText(typed, text, err)
}

func help() string {
	var lines strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&lines, "/%s — %s\n", c.Name, c.Description)
	}
	return lines.String()
}

// change applies a setting and returns the session's model and mode. An empty
// change only returns them.
func (s *session) change(to bellcord.SessionUpdated) (string, error) {
	v, err := s.hub.Configure(s.id, bellcord.SessionUpdated{})
	if err == nil && to != (bellcord.SessionUpdated{}) {
		v, err = s.server.configure(string(s.id), to, s.server.config.Load().CheckModel)
	}
	if err != nil {
		return "", err
	}
	return "model " + v.Model + ", mode " + v.Mode, nil
}
