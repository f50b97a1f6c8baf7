package fakegram

import (
	"encoding/json"
	"regexp"
)

const mostCommands = 100

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

func (p *play) setCommands() (any, error) {
	var commands []Command
	if p.q.params["commands"] == "" {
		return nil, bad("can't parse bot commands: list of commands is not specified")
	}
	if err := p.q.object("commands", &commands); err != nil {
		return nil, err
	}
	if len(commands) > mostCommands {
		return nil, bad("BOT_COMMANDS_TOO_MUCH")
	}
	for _, c := range commands {
		switch {
		case !commandName.MatchString(c.Command):
			return nil, bad("BOT_COMMAND_INVALID")
		case c.Description == "" || units(c.Description) > 256:
			return nil, bad("BOT_COMMAND_DESCRIPTION_INVALID")
		}
	}
	scope, err := p.scope()
	if err != nil {
		return nil, err
	}
	p.commands[scope] = commands
	return true, nil
}

func (p *play) getCommands() (any, error) {
	scope, err := p.scope()
	if err != nil {
		return nil, err
	}
	if p.commands[scope] == nil {
		return []Command{}, nil
	}
	return p.commands[scope], nil
}

// scope returns the key of a list of commands: its audience and language.
func (p *play) scope() (string, error) {
	of := map[string]any{"type": "default"}
	if raw := p.q.params["scope"]; raw != "" {
		of = map[string]any{}
		if err := json.Unmarshal([]byte(raw), &of); err != nil || of["type"] == nil {
			return "", bad("can't parse BotCommandScope: %s", raw)
		}
	}
	return string(encode(of)) + p.q.params["language_code"], nil
}
