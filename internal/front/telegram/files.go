package telegram

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
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// mostSent is what Telegram takes from a bot.
const mostSent = 50 << 20

// sendFile sends a file of the session's directory; it returns what there is to
// say instead.
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

// sendOf sends a file of a session's directory.
func (c *chat) sendOf(ctx context.Context, id bellcord.SessionID, path string) string {
	found, err := c.front.Hub.Session(ctx, id)
	if err != nil {
		return c.apology(err.Error())
	}
	data, err := readIn(found.Dir, path)
	if err != nil {
		return fmt.Sprintf("I can't send %s: it must be a file in the session's directory, not empty, of at most %d MB.", path, mostSent>>20)
	}
	c.put(func(ctx context.Context) error {
		_, err := c.front.Bot.Document(ctx, c.place, filepath.Base(path), data, "")
		return err
	})
	return ""
}

// readIn reads a file within a directory: no path leads out of it.
func readIn(dir, path string) ([]byte, error) {
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
	if !sendable(root, path) { // to open a pipe would wait for ever
		return nil, fmt.Errorf("%s: no file that can be sent", path)
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, mostSent))
}

// offer is a file that an answer named, and that can be had by a button.
type offer struct {
	session bellcord.SessionID
	button  string
	path    string
}

// inTicks finds what stands between single backticks.
var inTicks = regexp.MustCompile("`([^`\\s]{1,200})`")

// offer makes buttons for files of the session that the answer names. The lock is
// held.
func (c *chat) offer(t *turn) (rows [][]wire.Button) {
	const most, kept = 3, 64
	if !t.mine {
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
		if !strings.Contains(m[1], ".") || !canRead(dir, m[1]) {
			continue
		}
		button := fmt.Sprintf("%s:%d", t.id, len(rows))
		rows = append(rows, []wire.Button{{Text: "📎 " + filepath.Base(m[1]), Data: "f:" + button}})
		c.offers = append(c.offers, offer{t.session, button, m[1]})
	}
	c.offers = c.offers[max(0, len(c.offers)-kept):]
	return distinct(rows)
}

func canRead(dir, path string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	return sendable(root, path)
}

func sendable(root *os.Root, path string) bool {
	info, err := root.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() <= mostSent
}

// sendOffer sends the file behind a button, of the conversation that named it.
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
