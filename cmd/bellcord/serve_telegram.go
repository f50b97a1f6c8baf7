package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/telegram"
	"github.com/bellcord/bellcord/internal/front/telegram/outbox"
	botapi "github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// chats is the front for Telegram with its bot.
type chats struct {
	front   *telegram.Front
	bot     *botapi.Bot
	webhook string

	hangUp    context.CancelFunc
	listening sync.WaitGroup
}

// goodbyes is how long the last words to the chats may take.
const goodbyes = 10 * time.Second

// openChats makes the front that the settings ask for.
func (s *service) openChats(c config.Config, log *slog.Logger) error {
	if !c.Telegram.On() {
		return nil
	}
	token, err := c.Telegram.ReadToken()
	if err != nil {
		return err
	}
	list, err := telegramRights(c)
	if err != nil {
		return err
	}
	dir, secret := filepath.Join(c.Data, "telegram"), c.Telegram.Secret
	if secret == "" {
		secret = rand.Text()
	}
	bot, err := botapi.New(botapi.Config{Token: token, Server: c.Telegram.Server, Dir: dir, Secret: secret, Logger: log})
	if err != nil {
		return err
	}
	t := c.Telegram
	front, err := telegram.New(telegram.Config{
		Hub: s.front(), Bot: bot, Rights: list, Logger: log, Dir: dir,
		Session: chatSession(c), Prompt: limits(c), Workspaces: filepath.Join(c.Data, "workspaces"),
		Models: s.modelNames, Agents: s.installedAgents,
		CheckModel: s.models.check,
		CheckAgent: func(name string) error { _, err := definition(c, name); return err },
		LetGo:      s.letGo,
		Replace:    t.Policy == config.Replace, ExposeErrors: t.ExposeErrors, Edits: !t.Drafts,
		OldAfter: time.Duration(t.OldAfter), Idle: time.Duration(t.Idle), Pace: outbox.Usual,
	})
	if err != nil {
		return err
	}
	s.chats = &chats{front: front, bot: bot, webhook: t.Webhook}
	return nil
}

// chatSession is what sessions begin with that are made in chats.
func chatSession(c config.Config) bellcord.Session {
	first := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	t := c.Telegram
	return bellcord.Session{Dir: t.Dir, Agent: first(t.Agent, c.Agent), Model: first(t.Model, modelOf(c)), Mode: first(t.Mode, c.Mode)}
}

func (s *service) modelNames() (names []string) {
	for _, m := range s.listModels() {
		names = append(names, m.ID)
	}
	return names
}

func (s *service) installedAgents() (names []string) {
	for _, a := range s.listAgents() {
		if a.Installed {
			names = append(names, a.Name)
		}
	}
	return names
}

// listen lets people in until stopListening.
func (t *chats) listen(ctx context.Context, broken chan<- error) {
	ctx, t.hangUp = context.WithCancel(ctx) //nolint:forbidigo // for listening to Telegram; no turn hangs on it
	t.listening.Go(func() {
		if err := t.front.Run(ctx, t.webhook); err != nil {
			broken <- err
		}
	})
}

// stopListening returns when no more updates are taken: what comes now waits for
// the next server.
func (t *chats) stopListening() {
	if t.hangUp != nil {
		t.hangUp()
	}
	t.listening.Wait()
}

// handler has the webhook's path answered by the bot, and all others as before.
// The bot asks for its secret.
func (t *chats) handler(others http.Handler) http.Handler {
	if t.webhook == "" {
		return others
	}
	at, err := url.Parse(t.webhook)
	if err != nil || at.Path == "" || at.Path == "/" {
		return others // the settings were checked
	}
	mux := http.NewServeMux()
	mux.Handle("POST "+at.Path, t.bot.Handler())
	mux.Handle("/", others)
	return mux
}

// close says in the chats what became of their turns.
func (t *chats) close() error {
	bounded, done := context.WithTimeout(context.Background(), goodbyes)
	defer done()
	err := t.front.Close(bounded)
	if closing := t.bot.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("telegram: %w", err)
	}
	return nil
}
