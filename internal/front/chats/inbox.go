package chats

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord"
)

const (
	mostName = 200     // maximum length of a file's name in bytes, without the number that makes it unique
	inbox    = "inbox" // directory for received files, in the session's directory
)

// attach adds the files of a message to the prompt: images for the model, other
// files as paths in the session's directory. The type of an image is detected from
// its data: a model rejects an image with the wrong type, and the whole
// conversation with it.
func (c *chat) attach(ctx context.Context, session bellcord.Session, p *bellcord.Prompt, files []File) error {
	for _, f := range files {
		if f.Size > c.front.Limits.Download {
			return fmt.Errorf("download %s: %w", f.Name, ErrTooLarge)
		}
		data, err := c.front.Files.Download(ctx, f.ID, c.front.Limits.Download)
		if err != nil {
			return fmt.Errorf("download %s: %w", f.Name, err)
		}
		if kind := http.DetectContentType(data); bellcord.IsImageType(kind) {
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

// keep writes a file to the inbox under an unused name. No name can lead out of
// the inbox.
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

// plainName returns a safe file name: one path element that is valid on every
// platform.
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
	case !filepath.IsLocal(name): // a reserved device name on Windows
		return "_" + name
	}
	return name
}

// regret returns the reply to a prompt that could not be accepted.
func (c *chat) regret(err error) string {
	if errors.Is(err, ErrTooLarge) {
		return fmt.Sprintf("✗ That file is too large. The limit is %d MB.", c.front.Limits.Download>>20)
	}
	return c.apology(err.Error())
}
