package drive

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Bound is the timeout for one visit.
const Bound = 12 * time.Minute

// drive takes the agent through all stages. Only an agent that cannot be started, or that opens no
// session, is an error: any other failure belongs to its stage.
func (v *Visit) drive() error {
	v.makeOwnSession()
	if err := v.openMain(); err != nil {
		return err
	}
	v.useTools()
	v.sendContent()
	v.askPerson()
	v.stopAndCommand()
	v.steer()
	v.changeSettings()
	v.manageSessions()
	v.compact()
	v.logOut()
	v.client.disconnect()
	v.useTerminals()
	v.restart()
	return nil
}

// makeOwnSession lets the agent make a session without Bellcord.
func (v *Visit) makeOwnSession() {
	if v.kit.name == "pi" {
		return // its protocol has no list of sessions
	}
	v.stages["own"] = &stage{name: "own"}
	c, err := startClient(v.ctx, v.keeper, v.bareCommand, newEditor(v.keeper, false))
	if err != nil {
		v.stages["own"].err = err
		return
	}
	defer c.disconnect()
	v.run(c, "own", func() (object, error) {
		made, err := c.call(v.ctx, "session/new", object{"cwd": v.work, "mcpServers": []object{}})
		if err != nil {
			return nil, err
		}
		v.ownSession, v.ownMade = textAt(made, "sessionId"), time.Now()
		for _, text := range []string{"Good morning.", "[say " + ownText + "]"} {
			if _, err := c.call(v.ctx, "session/prompt", object{"sessionId": v.ownSession, "prompt": []object{textBlock(text)}}); err != nil {
				return nil, err
			}
		}
		return made, nil
	})
}

// untilNextMinute returns how long the minute lasts in which something was made.
func untilNextMinute(made, now time.Time) time.Duration {
	return max(0, made.Truncate(time.Minute).Add(time.Minute).Sub(now))
}

// ownText is the answer in the session that the agent made itself.
const ownText = "words-of-the-own-session"

// openMain starts the agent and opens the session that most stages use.
func (v *Visit) openMain() error {
	c, err := startClient(v.ctx, v.keeper, v.command, newEditor(v.keeper, false))
	if err != nil {
		return err
	}
	v.client = c
	v.stages["initialize"] = &stage{name: "initialize", frames: c.since(0), result: c.hello}
	s := v.run(c, "new", func() (object, error) { return v.newSession(c) })
	v.session = textAt(s.result, "sessionId")
	if s.err != nil {
		c.disconnect()
		return s.err
	}
	v.say("greet", "Good morning.") // some agents change the first prompt, so it has no script
	v.pause(1500 * time.Millisecond)
	v.say("hello", "[say hello]")
	return nil
}

func (v *Visit) newSession(c *client) (object, error) {
	params := object{"cwd": v.work, "mcpServers": v.mcpServers(c.hello)}
	if isSet(at(c.hello, "agentCapabilities", "sessionCapabilities", "additionalDirectories")) {
		params["additionalDirectories"] = []string{filepath.Join(v.dir, "more")}
	}
	return c.call(v.ctx, "session/new", params)
}

func (v *Visit) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-v.ctx.Done():
	}
}

// The texts by which the probes recognize what happened.
const (
	outputText  = "OUTPUT-OF-THE-COMMAND"
	savedText   = "text on the disk"
	unsavedText = "text in the editor alone"
	newText     = "text from the model"
)

// useTools makes the model call the agent's tools.
func (v *Visit) useTools() {
	v.useTool("shell", v.shell("echo OUTPUT-OF-THE-COMMAND | tee ran; echo second line"))
	if v.kit.create != nil {
		path := filepath.Join(v.work, "created.txt")
		if v.kit.overwrites {
			path = v.file("created.txt", savedText+"\n")
		}
		v.useTool("create", v.kit.create(path, newText+"\n"))
	}
	if v.kit.read != nil {
		path := v.file("open.txt", savedText+"\n")
		v.client.editor.setUnsaved(path, unsavedText+"\n")
		v.useTool("read", v.kit.read(path))
	}
	if v.kit.change != nil {
		path := v.file("changed.txt", "first line\n"+savedText+"\nlast line\n")
		if v.kit.read != nil {
			v.useTool("read first", v.kit.read(path)) // some agents edit only what they have read
		}
		v.useTool("change", v.kit.change(path, savedText, newText))
	}
	v.useTool("plan", v.kit.plan)
	v.useTool("delegate", v.kit.delegate)
	v.useTool("mcp stdio", v.offered(stdioServer, toolOfStdio))
	v.useTool("mcp http", v.offered(httpServer, toolOfHTTP))
}

// offered returns a call of a tool of an MCP server. The model was offered it under a name with this
// ending, or it received the name of the server and has a tool that searches for others.
func (v *Visit) offered(server, tool string) toolUse {
	for _, q := range v.model.Requests() {
		for _, name := range toolNames(q.Raw) {
			if strings.HasSuffix(name, tool) {
				return use(name, object{})
			}
		}
		if toolsMention(q.Raw, server) {
			return use("mcp__"+server+"__"+tool, object{})
		}
	}
	return toolUse{}
}

// pixel is a PNG image.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const embeddedText = "TEXT-OF-THE-RESOURCE"

// sendContent sends prompts with more than text.
func (v *Visit) sendContent() {
	file := "file://" + filepath.Join(v.work, "resource.txt")
	v.sendPrompt("image", textBlock("[say seen]"), object{"type": "image", "data": pixel, "mimeType": "image/png"})
	v.sendPrompt("resource", textBlock("[say seen]"), object{"type": "resource", "resource": object{"uri": file, "text": embeddedText, "mimeType": "text/plain"}})
	v.sendPrompt("link", textBlock("[say seen]"), object{"type": "resource_link", "uri": file, "name": "resource.txt"})
	v.say("thought", "[think 5 1ms] [say thought about it]")
	v.say("trouble", "[status 503 retry 1 times 1] [say recovered]")
}

// askPerson makes the agent ask a question.
func (v *Visit) askPerson() {
	v.useTool("question", v.kit.question)
	v.useTool("mcp asks", v.offered(stdioServer, toolAsking))
}

// stopAndCommand types a command, stops a turn, and types the command again.
func (v *Visit) stopAndCommand() {
	if v.kit.typed() != "" {
		v.say("command", v.kit.typed())
	}
	v.run(v.client, "stop", func() (object, error) {
		ask, err := v.startTalking("[slow 1000 10ms]")
		if err != nil {
			return nil, err
		}
		if err := v.cancel(); err != nil {
			return nil, err
		}
		return ask.wait()
	})
	if v.kit.typed() != "" {
		v.say("command after stop", v.kit.typed())
	}
	v.say("after stop", "[say still here]")
}

// asked is a prompt without an answer yet.
type asked struct {
	v    *Visit
	id   string
	from int
}

// startTalking sends a prompt and waits until its answer streams.
func (v *Visit) startTalking(text string) (*asked, error) {
	c := v.client
	m, id := c.request("session/prompt", object{"sessionId": v.session, "prompt": []object{textBlock(text)}})
	a := &asked{v, id, c.count()}
	if err := c.write(m); err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(v.ctx, callBound)
	defer done()
	f, err := c.await(ctx, a.from, func(f frame) bool {
		_, kind := f.update()
		return kind == "agent_message_chunk" || answers(id)(f)
	})
	if err == nil && answers(id)(f) {
		err = fmt.Errorf("the turn ended before its text: %s", f.raw)
	}
	return a, err
}

func (a *asked) wait() (object, error) {
	ctx, done := context.WithTimeout(a.v.ctx, callBound)
	defer done()
	f, err := a.v.client.await(ctx, a.from, answers(a.id))
	if err != nil {
		return nil, err
	}
	return resultOf("session/prompt", f)
}

// steer adds a message to a running turn, if the agent offers it.
func (v *Visit) steer() {
	if at(v.client.hello, "_meta", "steering", "supported") != true {
		return
	}
	v.run(v.client, "steer", func() (object, error) {
		ask, err := v.startTalking("[slow 150 20ms]")
		if err != nil {
			return nil, err
		}
		outcome, err := v.client.call(v.ctx, "_session/steering", object{
			"sessionId": v.session, "prompt": []object{textBlock("[say steered]")}, "_meta": object{"steering": object{"idleBehavior": "promptRequired"}},
		})
		_, late := ask.wait()
		return outcome, errors.Join(err, late)
	})
}

// manageSessions lists, loads, forks, closes and deletes sessions.
func (v *Visit) manageSessions() {
	c := v.client
	can := func(name string) bool {
		return isSet(at(c.hello, "agentCapabilities", "sessionCapabilities", name))
	}
	if can("list") {
		v.run(c, "list", func() (object, error) { return c.call(v.ctx, "session/list", object{"cwd": v.work}) })
	}
	if can("fork") {
		s := v.run(c, "fork", func() (object, error) {
			return c.call(v.ctx, "session/fork", object{"sessionId": v.session, "cwd": v.work, "mcpServers": []object{}})
		})
		v.continueIn("fork prompt", textAt(s.result, "sessionId"))
		if can("close") && s.err == nil {
			v.run(c, "close", func() (object, error) {
				return c.call(v.ctx, "session/close", object{"sessionId": textAt(s.result, "sessionId")})
			})
		}
	}
	if at(c.hello, "agentCapabilities", "loadSession") == true && v.ownSession != "" {
		if v.kit.minuteFiles {
			v.pause(untilNextMinute(v.ownMade, time.Now()))
		}
		s := v.run(c, "load own", func() (object, error) {
			return c.call(v.ctx, "session/load", object{"sessionId": v.ownSession, "cwd": v.work, "mcpServers": []object{}})
		})
		if s.err == nil {
			v.continueIn("own prompt", v.ownSession)
		}
	}
	if can("delete") && v.ownSession != "" {
		v.run(c, "delete", func() (object, error) { return c.call(v.ctx, "session/delete", object{"sessionId": v.ownSession}) })
	}
}

// compact lets the agent shorten a session. It has its own session without scripts: the request for
// a summary repeats them.
func (v *Visit) compact() {
	if v.kit.compact == "" {
		return
	}
	c := v.client
	made, err := v.newSession(c)
	if err != nil {
		v.stages["compact"] = &stage{name: "compact", err: err}
		return
	}
	session := v.session
	v.session = textAt(made, "sessionId")
	for range 3 {
		v.say("compact greet", "Good morning.")
	}
	v.say("compact", v.kit.compact)
	v.session = session
}

// logOut is last: some agents cannot be used after it.
func (v *Visit) logOut() {
	c := v.client
	if isSet(at(c.hello, "agentCapabilities", "auth", "logout")) {
		v.run(c, "logout", func() (object, error) { return c.call(v.ctx, "logout", object{}) })
	}
}

// continueIn sends a prompt to another session.
func (v *Visit) continueIn(name, session string) {
	v.run(v.client, name, func() (object, error) {
		return v.client.call(v.ctx, "session/prompt", object{"sessionId": session, "prompt": []object{textBlock("[say continued]")}})
	})
}

// useTerminals runs a command with an editor that offers terminals.
func (v *Visit) useTerminals() {
	c, err := startClient(v.ctx, v.keeper, v.command, newEditor(v.keeper, true))
	if err != nil {
		v.stages["terminal"] = &stage{name: "terminal", err: err}
		return
	}
	defer c.disconnect()
	made, err := v.newSession(c)
	if err != nil {
		v.stages["terminal"] = &stage{name: "terminal", err: err}
		return
	}
	main, session := v.client, v.session
	v.client, v.session = c, textAt(made, "sessionId")
	v.say("terminal greet", "Good morning.")
	v.useTool("terminal", v.shell("echo OUTPUT-OF-THE-COMMAND; echo second line"))
	v.client, v.session = main, session
}

// restart loads the session in a new process.
func (v *Visit) restart() {
	for _, method := range []string{"load", "resume"} {
		c, err := startClient(v.ctx, v.keeper, v.command, newEditor(v.keeper, false))
		if err != nil {
			v.stages[method] = &stage{name: method, err: err}
			continue
		}
		v.client = c
		offered := at(c.hello, "agentCapabilities", "loadSession") == true
		if method == "resume" {
			offered = isSet(at(c.hello, "agentCapabilities", "sessionCapabilities", "resume"))
		}
		if offered {
			s := v.run(c, method, func() (object, error) {
				return c.call(v.ctx, "session/"+method, object{"sessionId": v.session, "cwd": v.work, "mcpServers": []object{}})
			})
			if s.err == nil {
				v.say(method+" prompt", "[say again]")
			}
		}
		c.disconnect()
	}
}
