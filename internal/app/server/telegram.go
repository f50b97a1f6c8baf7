package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
	"github.com/bellcord/bellcord/internal/front/telegram"

	botapi "github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// telegramBot is the Telegram front with its bot.
type telegramBot struct {
	front   *telegram.Front
	bot     *botapi.Bot
	webhook string

	hangUp    context.CancelFunc
	listening sync.WaitGroup
}

// lastMessages limits how long sending the last messages to the chats may
// take.
const lastMessages = 10 * time.Second

// openTelegram opens the front if a bot is configured.
func (s *Server) openTelegram() error {
	c := s.settings
	if !c.Telegram.On() {
		return nil
	}
	token, err := c.Telegram.ReadToken()
	if err != nil {
		return err
	}
	list, err := TelegramRights(c)
	if err != nil {
		return err
	}
	dir, secret := filepath.Join(c.DataDir, "telegram"), c.Telegram.WebhookSecret
	if secret == "" {
		secret = rand.Text()
	}
	bot, err := botapi.New(botapi.Config{Token: token, Server: c.Telegram.APIURL, Dir: dir, Secret: secret, Logger: s.logger})
	if err != nil {
		return err
	}
	t := c.Telegram
	front, err := telegram.New(telegram.Config{Bot: bot, People: list, Edits: !t.StreamAsDrafts, Config: chats.Config{
		Hub: s.app.Front(), Undo: s.app.Files(), Logger: s.logger, Dir: dir,
		Session: telegramSession(c), Prompt: app.PromptLimits(c), Workspaces: app.WorkspacesDir(c.DataDir),
		Models: s.modelNames, Agents: s.installedAgents,
		CheckModel: s.app.Models.Check,
		CheckAgent: s.checkAgent,
		LetGo:      s.app.ReleaseSession,
		Replace:    t.WhenBusy == config.Replace, ExposeErrors: t.ExposeErrors, Silent: t.DeliverSilent,
		OldAfter: time.Duration(t.MaxMessageAge), Idle: time.Duration(t.SessionIdleTimeout),
	}})
	if err != nil {
		return err
	}
	s.telegram = &telegramBot{front: front, bot: bot, webhook: t.WebhookURL}
	return nil
}

// telegramSession returns the settings of sessions that are created in chats.
func telegramSession(c config.Config) bellcord.Session {
	t := c.Telegram
	return bellcord.Session{Dir: t.Dir, Agent: cmp.Or(t.Agent, c.Agent), Model: cmp.Or(t.Model, app.DefaultModel(c)), Mode: cmp.Or(t.Mode, c.Mode)}
}

func (s *Server) modelNames() (names []string) {
	for _, m := range s.listModels() {
		names = append(names, m.ID)
	}
	return names
}

func (s *Server) installedAgents() (names []string) {
	for _, a := range s.listAgents() {
		if a.Installed {
			names = append(names, a.Name)
		}
	}
	return names
}

// listen receives updates in the background until stopListening. It sends an
// error to broken.
func (t *telegramBot) listen(ctx context.Context, broken chan<- error) {
	ctx, t.hangUp = context.WithCancel(ctx)
	t.listening.Go(func() {
		if err := t.front.Run(ctx, t.webhook); err != nil {
			broken <- err
		}
	})
}

// stopListening returns when no more updates are processed. Later ones are
// processed by the next server.
func (t *telegramBot) stopListening() {
	if t.hangUp != nil {
		t.hangUp()
	}
	t.listening.Wait()
}

// handler serves the webhook's path with the bot, which checks the secret, and
// all other paths with others.
func (t *telegramBot) handler(others http.Handler) http.Handler {
	if t.webhook == "" {
		return others
	}
	at, err := url.Parse(t.webhook)
	if err != nil || at.Path == "" || at.Path == "/" {
		return others // cannot happen: the settings were checked
	}
	mux := http.NewServeMux()
	mux.Handle("POST "+at.Path, t.bot.Handler())
	mux.Handle("/", others)
	return mux
}

// shutDown sends the ends of the turns to their chats.
func (t *telegramBot) shutDown() error {
	bounded, done := context.WithTimeout(context.Background(), lastMessages)
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

// TelegramRights opens the list of Telegram users with access to the bot:
// those in the settings and those in the file of paired users.
func TelegramRights(c config.Config) (*rights.List, error) {
	return telegram.Rights{
		Users: c.Telegram.Users, Groups: c.Telegram.Groups, Pairing: c.Telegram.Pairing,
		File: filepath.Join(c.DataDir, "telegram", "people.json"),
	}.Open()
}
