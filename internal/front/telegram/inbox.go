package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

const (
	mostFetched = 20 << 20 // what Telegram lets a bot have
	mostName    = 200      // bytes of a file's name, with room for a number
	inbox       = "inbox"  // where files are put that people send, in the session's directory
)

// pictures are what models take. What a picture is, its bytes say: a model
// refuses one that is called something else, and all that is said after it.
var pictures = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// attach adds what came with a message: pictures are shown to the model, other
// files are put where the agent works.
func (c *chat) attach(ctx context.Context, session bellcord.Session, p *bellcord.Prompt, files []wire.File) error {
	for _, f := range files {
		if f.Size > mostFetched {
			return fmt.Errorf("download %s: %w", f.Name, wire.ErrTooLarge)
		}
		data, err := c.front.Bot.Download(ctx, f.ID, mostFetched)
		if err != nil {
			return fmt.Errorf("download %s: %w", f.Name, err)
		}
		if kind := http.DetectContentType(data); slices.Contains(pictures, kind) {
			p.Images = append(p.Images, bellcord.Image{Type: kind, Data: data})
			continue
		}
		path, err := keep(session.Dir, f.Name, data)
		if err != nil {
			return fmt.Errorf("save %s: %w", f.Name, err)
		}
		p.Links = append(p.Links, bellcord.Link{Name: f.Name, URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(session.Dir, path))}).String()})
		p.Text = strings.TrimSpace(p.Text + "\n\n(Attached file: " + path + ")")
	}
	if p.Text == "" {
		p.Text = "(An image without text.)"
	}
	return nil
}

// keep writes a file into the inbox, under a name that is not taken. Whatever it
// is called, it is there and nowhere else.
func keep(dir, name string, data []byte) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(inbox, 0o700); err != nil {
		return "", err
	}
	name = plainName(name)
	for n := 0; ; n++ {
		path := filepath.Join(inbox, name)
		if n > 0 {
			ext := filepath.Ext(name)
			path = filepath.Join(inbox, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext))
		}
		f, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if os.IsExist(err) && n < 1000 {
			continue
		} else if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		return path, joinClose(err, f)
	}
}

func joinClose(err error, f *os.File) error {
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// plainName is a file's name that is nothing but one.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	if ext := filepath.Ext(name); len(name) > mostName && len(ext) < mostName/2 {
		name = strings.ToValidUTF8(name[:mostName-len(ext)], "") + ext
	} else if len(name) > mostName {
		name = strings.ToValidUTF8(name[:mostName], "")
	}
	switch {
	case name == "":
		return "file"
	case !filepath.IsLocal(name): // a device of Windows
		return "_" + name
	}
	return name
}

// regret is what people read when what they said was not taken.
func (c *chat) regret(err error) string {
	if errors.Is(err, wire.ErrTooLarge) {
		return fmt.Sprintf("✗ That file is too large. The limit is %d MB.", mostFetched>>20)
	}
	return c.apology(err.Error())
}
