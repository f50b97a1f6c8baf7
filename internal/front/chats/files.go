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
func (c *chat) sendFile(ctx context.Context, path string) string {
	c.mu.Lock()
	id := c.session
	c.mu.Unlock()
	switch {
	case path == "":
		return "Which file? Send /file PATH; the path is relative to the session's directory."
	case id == "":
		return "There is no session yet, so there are no files to send."
	}
	return c.sendOf(ctx, id, path)
}

// sendOf sends a file from a session's directory. It returns an error message
// for the user, or "".
func (c *chat) sendOf(ctx context.Context, id bellcord.SessionID, path string) string {
	found, err := c.front.Hub.Session(ctx, id)
	if err != nil {
		return c.apology(err.Error())
	}
	data, err := readIn(found.Dir, path, c.front.Limits.Upload)
	if err != nil {
		return fmt.Sprintf("I can't send %s: it must be a file in the session's directory, not empty, of at most %d MB.", path, c.front.Limits.Upload>>20)
	}
	c.put(func(ctx context.Context) error {
		err := c.front.Files.Upload(ctx, c.place, filepath.Base(path), data)
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

// inTicks matches text between single backticks.
var inTicks = regexp.MustCompile("`([^`\\s]{1,200})`")

// offer returns buttons for the session's files that the answer names. The
// caller holds the lock.
func (c *chat) offer(t *turn) (rows [][]Button) {
	const most, kept = 3, 64
	if !t.own {
		return nil
	}
	dir := c.front.Session.Dir
	if dir == "" {
		dir = filepath.Join(c.front.Workspaces, string(t.session))
	}
	var named []string
	for _, m := range inTicks.FindAllStringSubmatch(t.all.String(), -1) {
		if len(rows) == most || slices.Contains(named, m[1]) {
			continue
		}
		named = append(named, m[1])
		if !strings.Contains(m[1], ".") || !canRead(dir, m[1], c.front.Limits.Upload) {
			continue
		}
		button := fmt.Sprintf("%s:%d", t.id, len(rows))
		rows = append(rows, []Button{{Text: "📎 " + filepath.Base(m[1]), Data: "f:" + button}})
		c.offers = append(c.offers, offer{t.session, button, m[1]})
	}
	c.offers = c.offers[max(0, len(c.offers)-kept):]
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
func (c *chat) sendOffer(ctx context.Context, button string) string {
	c.mu.Lock()
	i := slices.IndexFunc(c.offers, func(o offer) bool { return o.button == button })
	var of offer
	if i >= 0 {
		of = c.offers[i]
	}
	c.mu.Unlock()
	if i < 0 {
		return "This button has expired. Send /file and the file's name instead."
	}
	return c.sendOf(ctx, of.session, of.path)
}
