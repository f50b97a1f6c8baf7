package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/repair"
)

// Understood is a call as it is decided, asked, logged and run.
type Understood struct {
	Tool Tool // without a name if no tool was found
	Args json.RawMessage
	// Written are the arguments as the model wrote them, or an empty object if
	// those are not one complete JSON object.
	Written json.RawMessage
}

// Understand finds the tool that a model's call means and repairs the
// arguments. It returns an error for a call that cannot run.
func Understand(tools []Tool, name, args string) (Understood, error) {
	u := Understood{Args: json.RawMessage(`{}`), Written: json.RawMessage(`{}`)}
	written, err := repair.Object(args)
	if err != nil {
		return u, fmt.Errorf("the arguments are not a complete JSON object (%w): %q", err, beginning(args))
	}
	u.Args, u.Written = written, written
	find := func(name string) int { return slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name }) }
	meant, repaired, err := repair.Tool(name, written, func(name string) bool { return find(name) >= 0 })
	if err != nil {
		return u, err
	}
	i := find(meant)
	if i < 0 {
		return u, fmt.Errorf("unknown tool %q; the tools are %s", name, listed(tools))
	}
	u.Tool = tools[i]
	if repaired, err = repair.Arguments(u.Tool.Name, u.Tool.Schema, repaired); err != nil {
		return u, err
	}
	if len(repaired) > bellcord.MaxArguments { // the log could not contain them
		return u, fmt.Errorf("the arguments are longer than %d bytes: split the work into smaller calls", bellcord.MaxArguments)
	}
	u.Args = repaired
	return u, u.Tool.Check(repaired)
}

// beginning returns the first 2000 bytes of a text, enough to recognize it.
func beginning(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// mostListed is the maximum number of tools that an error lists.
const mostListed = 60

func listed(tools []Tool) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	if len(all) > mostListed {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostListed], ", "), len(all)-mostListed)
	}
	return strings.Join(all, ", ")
}
