package chats

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// sendFile sends a file from the session's directory. It returns the reply if
// there is nothing to send.
func (fo *offers) sendFile(ctx context.Context, path string) string {
	id := fo.currentSession()
	switch {
	case path == "":
		return "Which file? Send /file PATH; the path is relative to the session's directory."
	case id == "":
		return "There is no session yet, so there are no files to send."
	}
	return fo.sendOf(ctx, id, path)
}

// sendOf sends a file from a session's directory. It returns an error message
// for the user, or "".
func (sh *shared) sendOf(ctx context.Context, id bellcord.SessionID, path string) string {
	found, err := sh.front.Hub.Session(ctx, id)
	if err != nil {
		return sh.apology(err.Error())
	}
	data, err := readIn(found.Dir, path, sh.front.Limits.Upload)
	if err != nil {
		return fmt.Sprintf("I can't send %s: it must be a file in the session's directory, not empty, of at most %d MB.", path, sh.front.Limits.Upload>>20)
	}
	sh.put(func(ctx context.Context) error {
		err := sh.front.Files.Upload(ctx, sh.place, filepath.Base(path), data)
		return err
	})
	return ""
}

// readIn reads a file in dir. No path can lead out of it.
func readIn(dir, path string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if filepath.IsAbs(path) {
		if path, err = filepath.Rel(dir, path); err != nil {
			return nil, err
		}
	}
	if !sendable(root, path, most) { // opening a pipe would block forever
		return nil, fmt.Errorf("%s: no file that can be sent", path)
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, most))
}

// offer is a file named in an answer that a button can send.
type offer struct {
	session bellcord.SessionID
	button  string
	path    string
}

// offers are the files that a button can send.
type offers struct {
	*shared
	files []offer
}

// inTicks matches text between single backticks.
var inTicks = regexp.MustCompile("`([^`\\s]{1,200})`")

// offer returns buttons for the session's files that the answer names. The
// caller holds the lock.
func (fo *offers) offer(t *turn) (rows [][]Button) {
	const most, kept = 3, 64
	if !t.own {
		return nil
	}
	dir := fo.front.Session.Dir
	if dir == "" {
		dir = filepath.Join(fo.front.Workspaces, string(t.session))
	}
	var named []string
	for _, m := range inTicks.FindAllStringSubmatch(t.all.String(), -1) {
		if len(rows) == most || slices.Contains(named, m[1]) {
			continue
		}
		named = append(named, m[1])
		if !strings.Contains(m[1], ".") || !canRead(dir, m[1], fo.front.Limits.Upload) {
			continue
		}
		button := fmt.Sprintf("%s:%d", t.id, len(rows))
		rows = append(rows, []Button{{Text: "📎 " + filepath.Base(m[1]), Data: "f:" + button}})
		fo.files = append(fo.files, offer{t.session, button, m[1]})
	}
	fo.files = fo.files[max(0, len(fo.files)-kept):]
	return distinct(rows)
}

func canRead(dir, path string, most int64) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	return sendable(root, path, most)
}

func sendable(root *os.Root, path string, most int64) bool {
	info, err := root.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() <= most
}

// sendOffer sends the file of a button, from the session that named it.
func (fo *offers) sendOffer(ctx context.Context, button string) string {
	fo.mu.Lock()
	i := slices.IndexFunc(fo.files, func(o offer) bool { return o.button == button })
	var of offer
	if i >= 0 {
		of = fo.files[i]
	}
	fo.mu.Unlock()
	if i < 0 {
		return "This button has expired. Send /file and the file's name instead."
	}
	return fo.sendOf(ctx, of.session, of.path)
}
