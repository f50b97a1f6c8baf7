// Package recall keeps the prompts that a user has sent, by project, so that a
// later session can offer them again.
package recall

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/filelock"
)

// Most is the number of prompts that are kept for a project.
const Most = 1000

// Prompts are the prompts of one project, in a file that only its owner can
// read. Several processes may use the same file.
type Prompts struct{ path string }

// Of returns the prompts of a project: a directory, or a directory on a server.
// dir is the directory of the files.
func Of(dir, project string) Prompts {
	sum := sha256.Sum256([]byte(project))
	return Prompts{filepath.Join(dir, hex.EncodeToString(sum[:12])+".jsonl")}
}

// Load returns the prompts, the oldest first. Repetitions that follow each other
// are one prompt. Lines that cannot be read, for example because a write was
// interrupted, are skipped.
func (p Prompts) Load() ([]string, error) {
	data, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return last(decode(data)), nil
}

// Add adds a prompt.
func (p Prompts) Add(text string) (err error) {
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(p.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := filelock.Wait(f); err != nil {
		return errors.Join(err, f.Close())
	}
	defer func() { err = errors.Join(err, filelock.Release(f)) }()
	data, err := os.ReadFile(p.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.Count(data, []byte("\n")) >= 2*Most { // not at every prompt: the whole file is written
		return durable.Replace(p.path, encode(last(append(decode(data), text))))
	}
	return appendLine(p.path, data, encode([]string{text}))
}

// appendLine appends a line to a file with the given content. If the last line of
// the file is incomplete, the new one begins after it.
func appendLine(path string, content, line []byte) error {
	if len(content) > 0 && content[len(content)-1] != '\n' {
		line = append([]byte("\n"), line...)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

func decode(data []byte) []string {
	var all []string
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var text string
		if json.Unmarshal(lines.Bytes(), &text) != nil || len(all) > 0 && all[len(all)-1] == text {
			continue
		}
		all = append(all, text)
	}
	return all
}

func encode(all []string) []byte {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	for _, text := range all {
		_ = lines.Encode(text) // a string can always be encoded
	}
	return out.Bytes()
}

func last(all []string) []string { return all[max(0, len(all)-Most):] }
