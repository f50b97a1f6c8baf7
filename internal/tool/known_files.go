package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// knownFiles records which files each session has read or written as a whole, so
// that write_file does not replace text that the model has never seen. The zero
// value is ready to use; nil records nothing and refuses nothing.
type knownFiles struct {
	mu    sync.Mutex
	paths map[bellcord.SessionID]map[string]bool
}

// add records that the session of a call has read or written a file.
func (k *knownFiles) add(call Call, path string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.paths == nil {
		k.paths = map[bellcord.SessionID]map[string]bool{}
	}
	if k.paths[call.Session] == nil {
		k.paths[call.Session] = map[string]bool{}
	}
	k.paths[call.Session][realPath(call, path)] = true
}

func (k *knownFiles) has(call Call, path string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.paths[call.Session][realPath(call, path)]
}

// drop removes the records of a session.
func (k *knownFiles) drop(session bellcord.SessionID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.paths, session)
}

// realPath returns the absolute path of a file, with links resolved.
func realPath(call Call, path string) string {
	in, rel, err := call.dirs().Locate(path)
	if err != nil {
		return path
	}
	whole := filepath.Join(in, rel)
	if resolved, err := filepath.EvalSymlinks(whole); err == nil {
		return resolved
	}
	return whole
}

// refuseOverwrite returns an error if a call would replace the whole text of a
// file that its session has neither read nor written.
func refuseOverwrite(call Call, path string, f *openedFile) error {
	if call.known == nil || !f.exists || f.size == 0 || call.known.has(call, path) {
		return nil
	}
	return fmt.Errorf("%s exists (%d bytes), and this session has not read it; read it with read_file first, then change parts of it or write all of it", workspace.Shown(f.name), f.size)
}

// guardWrite returns the Refuse function of write_file.
func guardWrite(open opener) func(context.Context, Call) error {
	return func(ctx context.Context, call Call) error {
		a, err := parseWriteFile(call.Args)
		if err != nil {
			return err
		}
		f, err := open(ctx, call, a.Path)
		if err != nil {
			return nil //nolint:nilerr // Run reports it
		}
		defer f.close()
		return refuseOverwrite(call, a.Path, f)
	}
}

// Refusal returns why a call cannot run in a session, or "". It is called before
// the user is asked.
func (t Tool) Refusal(ctx context.Context, s bellcord.Session, args json.RawMessage) string {
	if t.Refuse == nil {
		return ""
	}
	err := t.Refuse(ctx, Call{Session: s.ID, Dir: s.Dir, AdditionalDirs: s.AdditionalDirs, Args: args, binding: t.binding})
	if err != nil {
		return err.Error()
	}
	return ""
}
