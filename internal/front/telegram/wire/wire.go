// Package wire is how the Telegram front speaks with Telegram: updates come in,
// calls go out.
//
// An update is on disk, synced, before Telegram is told that it arrived, and it
// stays there until Handled. What a process did not mark is handed out again by
// the next one, in the order of arrival and before anything new. In one process
// an update is handed out once, however often Telegram sends it.
//
// Calls fail in the words of the outbox: *outbox.TooMany for a wait,
// outbox.ErrNever for a refusal, and anything else may pass. No error and no log
// line has the token in it.
package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

const (
	telegram   = "https://api.telegram.org"
	usualPoll  = 50 * time.Second
	mostAtOnce = 100 // updates in one answer, which is Telegram's limit
)

// asked are the updates that a bot wants. Edits of messages are not among them:
// a prompt that was accepted does not change.
var asked = []string{
	models.AllowedUpdateMessage, models.AllowedUpdateCallbackQuery,
	models.AllowedUpdateStoppedMessageGeneration, models.AllowedUpdateMyChatMember,
}

// tokenForm keeps a token from being anything that a URL would escape, so that
// it can be found in every text that must not have it.
var tokenForm = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)

// Config is what a bot is made of.
type Config struct {
	Token  string
	Server string        // base URL of the Bot API; "" is Telegram's own
	Client *http.Client  // nil for one of our own
	Dir    string        // where updates wait on disk until they are handled; made if missing; one process uses it at a time
	Secret string        // of the webhook: every request to it must carry it
	Poll   time.Duration // how long a poll waits; 0 for 50 s
	Logger *slog.Logger  // nil for silence
}

// Bot is one bot. It is safe for use by many at once.
type Bot struct {
	config    Config
	id        int64
	client    *http.Client
	journal   *journal
	library   *bot.Bot
	grumbles  grumbles
	listening atomic.Bool
}

// Self is who the bot is.
type Self struct {
	ID             int64
	Username, Name string
}

// New opens what waits on disk. It asks nobody and starts nothing; Close lets go
// of it.
func New(c Config) (*Bot, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	b := &Bot{config: c, client: unredirected(c.Client), grumbles: grumbles{logger: c.Logger, last: map[string]time.Time{}}}
	var err error
	b.library, err = bot.New(c.Token,
		bot.WithSkipGetMe(), bot.WithServerURL(c.Server), bot.WithAllowedUpdates(asked),
		bot.WithHTTPClient(c.Poll+time.Second, carrier{b}), // the library asks for a second less
		bot.WithErrorsHandler(b.pollFailed),
		bot.WithNotAsyncHandlers(), bot.WithWorkers(1), bot.WithUpdatesChannelCap(mostAtOnce),
		bot.WithDefaultHandler(func(context.Context, *bot.Bot, *models.Update) {}), // the journal has it
	)
	if err != nil {
		return nil, fmt.Errorf("set up telegram bot: %w", err)
	}
	b.id = b.library.ID()
	name := fmt.Sprintf("updates-%d.jsonl", b.id) // another bot's numbers mean something else
	if b.journal, err = openJournal(filepath.Join(c.Dir, name), c.Logger); err != nil {
		return nil, err
	}
	return b, nil
}

// complete fills in what was left out and refuses what can't work.
func (c *Config) complete() error {
	if !tokenForm.MatchString(c.Token) {
		return errors.New("invalid bot token: it must look like 123456:ABC-DEF1234")
	}
	if c.Server == "" {
		c.Server = telegram
	}
	c.Server = strings.TrimRight(c.Server, "/")
	u, err := url.Parse(c.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("invalid Bot API server: it must be a URL such as " + telegram)
	}
	if c.Poll <= 0 {
		c.Poll = usualPoll
	}
	c.Poll = max(c.Poll, time.Second) // Telegram counts in seconds, and at none of them it does not wait
	if c.Client == nil {
		c.Client = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// unredirected is the client without redirects: they would carry the token to
// wherever they lead.
func unredirected(client *http.Client) *http.Client {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Begin asks Telegram who the bot is.
func (b *Bot) Begin(ctx context.Context) (Self, error) {
	me, err := b.library.GetMe(ctx)
	if err != nil {
		return Self{}, b.told("getMe", err)
	}
	return Self{ID: me.ID, Username: me.Username, Name: fullName(me.FirstName, me.LastName)}, nil
}

// Handled says that an update need not come again; once it has returned nil, it
// will not. It may be said several times, and by many at once.
func (b *Bot) Handled(update int64) error { return b.journal.handled(update) }

// Close lets go of the journal. Poll or Serve has to have ended.
func (b *Bot) Close() error {
	b.client.CloseIdleConnections()
	return b.journal.close()
}
