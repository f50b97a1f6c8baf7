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

// acceptPrompt queues a message for the agent. The prompt can be stopped from now on.
func (c *chat) acceptPrompt(s incoming, policy bellcord.BusyPolicy) {
	if s.text == "" && len(s.files) == 0 {
		c.front.Handled(s.handled)
		return
	}
	id := s.turn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, id)
	c.own[id] = true
	c.enqueue(func(ctx context.Context) { c.accept(ctx, id, s, policy) })
}

// accept passes a prompt to the hub. If the server is shutting down, the message
// stays unhandled and the next process accepts it.
func (c *chat) accept(ctx context.Context, id bellcord.TurnID, s incoming, policy bellcord.BusyPolicy) {
	err := c.tryAccept(ctx, id, s, policy)
	switch {
	case errors.Is(err, bellcord.ErrDraining), errors.Is(err, bellcord.ErrClosed), ctx.Err() != nil:
		c.accepted(id, false)
		return
	case errors.Is(err, bellcord.ErrTurnExists): // delivered again after a crash
		err = nil
	}
	c.accepted(id, err == nil)
	if err != nil {
		c.logger().Error("prompt failed", "turn", id, "err", err)
		c.sendText(c.regret(err))
	}
	c.front.Handled(s.handled)
}

// editPrompt changes the text of a prompt, after the prompts before it have been
// accepted. If the agent has begun, the text stays as it is.
func (js *jobs) editPrompt(handled func(), id bellcord.TurnID, text string) {
	js.stir()
	js.mu.Lock()
	defer js.mu.Unlock()
	js.enqueue(func(context.Context) {
		switch err := js.front.Hub.Edit(id, text); {
		case errors.Is(err, bellcord.ErrStarted):
			js.sendText("I have begun to answer the message as it was. To change it, stop me and send it again.")
		case err != nil && !errors.Is(err, bellcord.ErrNoTurn): // an ended turn is not known any more
			js.logger().Error("edit of a prompt failed", "turn", id, "err", err)
			js.sendText(js.apology(err.Error()))
		}
		js.front.Handled(handled)
	})
}

func (c *chat) tryAccept(ctx context.Context, id bellcord.TurnID, s incoming, policy bellcord.BusyPolicy) error {
	session, err := c.open(ctx)
	if err != nil {
		return err
	}
	p := c.front.Prompt
	p.Turn, p.Text, p.WhenBusy = id, s.text, policy
	if err := c.attach(ctx, session, &p, s.files); err != nil {
		return err
	}
	if err := c.follow(ctx, session.ID); err != nil {
		return err
	}
	_, err = c.front.Hub.Accept(ctx, session.ID, p)
	return err
}

// open returns the chat's session and creates one if needed.
func (c *chat) open(ctx context.Context) (bellcord.Session, error) {
	c.mu.Lock()
	id, chosen := c.session, c.choice
	c.mu.Unlock()
	if id != "" {
		found, err := c.front.Hub.OpenSession(ctx, id)
		if !errors.Is(err, bellcord.ErrNoSession) {
			return found, err
		}
	}
	made := c.front.Session
	made.ID, made.Owner, made.Agent, made.Model = bellcord.NewSessionID(), c.owner, chosen.Agent, chosen.Model
	if made.Dir == "" {
		made.Dir = filepath.Join(c.front.Workspaces, string(made.ID))
		if err := os.MkdirAll(made.Dir, 0o700); err != nil {
			return made, err
		}
	}
	made, err := c.front.Hub.NewSession(ctx, made)
	if err == nil {
		c.become(made.ID)
	}
	return made, err
}

// become sets the chat's session.
func (sh *shared) become(id bellcord.SessionID) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.session = id
	sh.note()
}

const (
	mostName = 200     // maximum length of a file's name in bytes, without the number that makes it unique
	inbox    = "inbox" // directory for received files, in the session's directory
)

// attach adds the files of a message to the prompt: images for the model, other
// files as paths in the session's directory. The type of an image is detected from
// its data: a model rejects an image with the wrong type, and the whole
// conversation with it.
func (sh *shared) attach(ctx context.Context, session bellcord.Session, p *bellcord.Prompt, files []File) error {
	for _, f := range files {
		if f.Size > sh.front.Limits.Download {
			return fmt.Errorf("download %s: %w", f.Name, ErrTooLarge)
		}
		data, err := sh.front.Files.Download(ctx, f.ID, sh.front.Limits.Download)
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
func (sh *shared) regret(err error) string {
	if errors.Is(err, ErrTooLarge) {
		return fmt.Sprintf("✗ That file is too large. The limit is %d MB.", sh.front.Limits.Download>>20)
	}
	return sh.apology(err.Error())
}
