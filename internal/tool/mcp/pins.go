package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bellcord/bellcord/internal/durable"
)

// Pins stores how a server described each of its tools when the tool was last
// used, in one file per tool. If a server changes the description later, a
// person's earlier approval could mean something else.
type Pins struct{ Dir string }

// pin is the content of a file. Server and Tool are only for people reading it.
type pin struct {
	Server     string `json:"server"`
	Tool       string `json:"tool"`
	Definition string `json:"definition"`
}

// changed reports whether a tool was used before with a different description.
func (p *Pins) changed(s Server, d described) (bool, error) {
	if p == nil {
		return false, nil
	}
	text, err := os.ReadFile(p.file(s, d.name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	var was pin
	if err := json.Unmarshal(text, &was); err != nil {
		return true, nil //nolint:nilerr // a damaged file counts as a change; pinning the tool again replaces it
	}
	return was.Definition != d.definition, nil
}

// pin stores the current description of a tool.
func (p *Pins) pin(s Server, d described) error {
	if p == nil {
		return nil
	}
	text, err := json.Marshal(pin{Server: s.Name, Tool: d.name, Definition: d.definition})
	if err != nil {
		return err
	}
	path := p.file(s, d.name)
	if was, err := os.ReadFile(path); err == nil && string(was) == string(text) {
		return nil
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return err
	}
	return durable.Replace(path, text)
}

// file returns the path of a tool's file. It depends on the server's name,
// command and URL, because two editors may have different servers with the same
// name.
func (p *Pins) file(s Server, tool string) string {
	return filepath.Join(p.Dir, digest(s.Name, s.Command, s.URL, tool)+".json")
}

// definition returns a hash of everything in a tool's description that the
// model or Bellcord uses.
func definition(t *sdk.Tool) string {
	return digest(t.Name, t.Description, t.InputSchema, t.Annotations)
}

func digest(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil { // cannot happen: the values were decoded from JSON
		text = fmt.Append(nil, values...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
