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
)

// Pins remembers how a server described each of its tools when the tool was
// last used, one file for each tool. A server that describes it differently
// later could make a person's approval mean something else.
type Pins struct{ Dir string }

// pin is the content of a file. Server and Tool are for people who look at it.
type pin struct {
	Server     string `json:"server"`
	Tool       string `json:"tool"`
	Definition string `json:"definition"`
}

// changed reports whether a tool was used before and described differently.
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
		return true, nil //nolint:nilerr // a damaged file is answered by a question, which replaces it
	}
	return was.Definition != d.definition, nil
}

// pin remembers a tool as it is described now.
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
	next, err := os.CreateTemp(p.Dir, "next-*") // two processes may pin the same tool
	if err != nil {
		return err
	}
	_, err = next.Write(text)
	if err := errors.Join(err, next.Close()); err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}
	return os.Rename(next.Name(), path)
}

// file is a tool's, by its server's name and address: two editors may have
// different servers of one name.
func (p *Pins) file(s Server, tool string) string {
	return filepath.Join(p.Dir, digest(s.Name, s.Command, s.URL, tool)+".json")
}

// definition is a hash of everything that a server says about a tool and that
// the model or Bellcord goes by.
func definition(t *sdk.Tool) string {
	return digest(t.Name, t.Description, t.InputSchema, t.Annotations)
}

func digest(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil { // what was decoded from JSON can be encoded
		text = fmt.Append(nil, values...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
