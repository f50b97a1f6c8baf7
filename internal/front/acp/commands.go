package acp

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord"
)

// A command is control, not conversation: it is understood before anything is
// touched, and the model does not hear of it. Only a compaction is a turn,
// because only that is work that can be stopped.
var commands = []obj{
	{"name": "help", "description": "Show the commands"},
	{"name": "clear", "description": "Stop what runs and what waits, and start a new conversation"},
	{"name": "compact", "description": "Put a summary in the place of the conversation so far", "input": obj{"hint": "what to keep in mind"}},
	{"name": "stop", "description": "Stop what runs and what waits in this session"},
	{"name": "model", "description": "Show or change the model", "input": obj{"hint": "provider/model"}},
	{"name": "mode", "description": "Show or change the mode", "input": obj{"hint": "read-only | ask | auto-edit | full"}},
	{"name": "cost", "description": "Show what this session has used"},
}

func (s *session) tellCommands() {
	s.update(obj{"sessionUpdate": "available_commands_update", "availableCommands": commands})
}

// command splits "/word rest"; other text that starts with a slash is a prompt.
func command(text string) (word, rest string, is bool) {
	after, slash := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !slash {
		return "", "", false
	}
	word = after
	if blank := strings.IndexFunc(after, unicode.IsSpace); blank >= 0 {
		word, rest = after[:blank], after[blank:]
	}
	for _, c := range commands {
		if c["name"] == word {
			return word, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

// obey carries a command out in wire order and never waits for a turn: what
// takes time is answered from elsewhere.
func (s *Server) obey(request json.RawMessage, sess *session, word, rest string) {
	switch word {
	case "compact":
		s.accept(request, sess, bellcord.Prompt{Task: bellcord.Compact, Text: rest})
	case "clear":
		s.clear(request, sess)
	case "cost":
		s.run(request, sess, sess.costs)
	case "stop":
		sess.hub.Stop(bellcord.StopRequest{Session: sess.id, Cause: s.cause(bellcord.Person, "/stop"), Queue: bellcord.Drop})
		s.reply(request, sess.say("", nil))
	case "model":
		s.reply(request, sess.say(sess.change(bellcord.Configured{Model: rest})))
	case "mode":
		s.reply(request, sess.say(sess.change(bellcord.Configured{Mode: rest})))
	default:
		s.reply(request, sess.say(help(), nil))
	}
}

// run carries out what takes time, beside the goroutine that reads the wire.
func (s *Server) run(request json.RawMessage, sess *session, errand func() (string, error)) {
	done := sess.book.errand()
	s.work.Go(func() {
		defer done()
		s.reply(request, sess.say(errand()))
	})
}

// say tells the person what a command came to, and returns its answer. What it
// could not do is said, too: the client has nowhere better to show it.
func (s *session) say(text string, err error) answer {
	if err != nil {
		text = err.Error()
	}
	if text != "" {
		s.update(obj{"sessionUpdate": "agent_message_chunk", "content": textBlock(text)})
	}
	return answer{result: obj{"stopReason": "end_turn"}}
}

func help() string {
	var lines strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&lines, "/%s — %s\n", c["name"], c["description"])
	}
	return lines.String()
}

// change applies a setting, or shows it when none is given.
func (s *session) change(to bellcord.Configured) (string, error) {
	v, err := s.hub.Configure(s.id, bellcord.Configured{})
	if err == nil && to != (bellcord.Configured{}) {
		v, err = s.server.configure(s.id, to, s.server.config.Load().CheckModel)
	}
	if err != nil {
		return "", err
	}
	return "model " + v.Model + ", mode " + v.Mode, nil
}
