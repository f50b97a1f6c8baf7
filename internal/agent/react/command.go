package react

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// typedTimeout is the timeout of a command that a user has typed, in seconds: the
// longest that the tool allows. A user can stop the command at any time.
const typedTimeout = 3600

// runCommand runs a command that the user has typed, with the tool shell and
// without the model. It is a call like any other: its start is durable before its
// effect, a stop ends its processes, and the receipt lists them.
func (j *job) runCommand(ctx context.Context) error {
	command, is := strings.CutPrefix(j.w.Prompt.Text, bellcord.CommandPrefix)
	if command = strings.TrimSpace(command); !is || command == "" {
		return errors.New("this turn runs a command: its text must be " + bellcord.CommandPrefix + " and a command")
	}
	i := slices.IndexFunc(j.Tools, func(t tool.Tool) bool { return t.Name == "shell" })
	if i < 0 {
		return errors.New("this server runs no commands: the tool shell is disabled")
	}
	args, err := json.Marshal(map[string]any{"command": command, "timeout": typedTimeout})
	if err != nil {
		return err
	}
	c := call{ToolCallRequested: bellcord.ToolCallRequested{Call: "command", Name: "shell", Arguments: args}, tool: j.Tools[i], typed: true}
	if err := c.tool.Check(args); err != nil {
		c.ArgumentError = err.Error()
	}
	if err := j.w.Emit(c.ToolCallRequested); err != nil {
		return err
	}
	_, err = j.carryOut(ctx, c)
	return err
}
