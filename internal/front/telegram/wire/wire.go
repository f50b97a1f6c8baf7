// Package wire connects the Telegram front to the Bot API. It receives updates
// by polling or webhook and sends calls.
//
// An update is written to disk and synced before it is confirmed to Telegram,
// and it stays in the journal until Handled is called. A new process first
// delivers the unhandled updates of the previous one, in the order of arrival,
// then new ones. Within a process each update is delivered once, however often
// Telegram sends it.
//
// Calls fail with an error that the outbox understands: *outbox.TooMany for a
// rate limit, outbox.ErrNever for a permanent refusal. Any other error may be
// temporary. No error and no log line contains the token.
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
	mostAtOnce = 100 // updates in one response; the Bot API's limit
)

// updateKinds lists the kinds of updates to receive.
var updateKinds = []string{
	models.AllowedUpdateMessage, models.AllowedUpdateEditedMessage, models.AllowedUpdateCallbackQuery,
	models.AllowedUpdateStoppedMessageGeneration, models.AllowedUpdateMyChatMember,
}

// tokenForm only matches tokens without characters that a URL would escape.
// Such a token appears literally in error texts, where hide finds it.
var tokenForm = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)

// Config configures a Bot.
type Config struct {
	Token  string
	Server string        // base URL of the Bot API; "" for Telegram's servers
	Client *http.Client  // nil for a client with a clone of http.DefaultTransport
	Dir    string        // directory of the update journal; created if missing; used by one process at a time
	Secret string        // webhook secret; required in every webhook request
	Poll   time.Duration // how long one poll waits for updates; 0 for 50 s
	Logger *slog.Logger  // nil for no logging
}

// Bot is a client for one Telegram bot. It is safe for concurrent use.
type Bot struct {
	config    Config
	id        int64
	client    *http.Client
	journal   *journal
	library   *bot.Bot
	grumbles  grumbles
	listening atomic.Bool
}

// Self identifies the bot.
type Self struct {
	ID             int64
	Username, Name string
}

// New opens the bot's update journal. It makes no network call and starts no
// goroutine. Close the bot to release the journal. New fails if another process
// has the journal open.
func New(c Config) (*Bot, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	b := &Bot{config: c, client: unredirected(c.Client), grumbles: grumbles{logger: c.Logger, last: map[string]time.Time{}}}
	var err error
	b.library, err = bot.New(c.Token,
		bot.WithSkipGetMe(), bot.WithServerURL(c.Server), bot.WithAllowedUpdates(updateKinds),
		bot.WithHTTPClient(c.Poll+time.Second, carrier{b}), // the library subtracts a second for the poll
		bot.WithErrorsHandler(b.pollFailed),
		bot.WithNotAsyncHandlers(), bot.WithWorkers(1), bot.WithUpdatesChannelCap(mostAtOnce),
		bot.WithDefaultHandler(func(context.Context, *bot.Bot, *models.Update) {}), // updates are delivered from the journal
	)
	if err != nil {
		return nil, fmt.Errorf("set up telegram bot: %w", err)
	}
	b.id = b.library.ID()
	name := fmt.Sprintf("updates-%d.jsonl", b.id) // update IDs of different bots are unrelated
	if b.journal, err = openJournal(filepath.Join(c.Dir, name), c.Logger); err != nil {
		return nil, err
	}
	return b, nil
}

// complete sets default values and returns an error for an invalid token or
// server.
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
	c.Poll = max(c.Poll, time.Second) // Telegram counts in seconds; with a timeout of 0 it does not wait
	if c.Client == nil {
		c.Client = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// unredirected returns a copy of client that follows no redirects, because they
// would send the token to another server.
func unredirected(client *http.Client) *http.Client {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Begin returns the bot's identity, as Telegram reports it.
func (b *Bot) Begin(ctx context.Context) (Self, error) {
	me, err := b.library.GetMe(ctx)
	if err != nil {
		return Self{}, b.convertError("getMe", err)
	}
	return Self{ID: me.ID, Username: me.Username, Name: fullName(me.FirstName, me.LastName)}, nil
}

// Handled marks an update as handled. Once Handled has returned nil, the update
// is not delivered again, not even to a later process. It is idempotent and
// safe for concurrent use.
func (b *Bot) Handled(update int64) error { return b.journal.handled(update) }

// Close releases the journal. Poll and Serve must have returned.
func (b *Bot) Close() error {
	b.client.CloseIdleConnections()
	return b.journal.close()
}
