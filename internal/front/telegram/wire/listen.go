package wire

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/go-telegram/bot"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// Poll receives updates by polling until ctx ends; it then returns nil. It
// first removes the webhook; updates pending there are delivered here. handle
// is called on the caller's goroutine, for one update at a time, and must not
// block.
//
// Failures are logged and retried. Poll fails only if Telegram refuses the bot
// at the start or if another Poll or Serve is running.
func (b *Bot) Poll(ctx context.Context, handle func(Update)) error {
	return b.listen(ctx, handle, func() error {
		err := b.insist(ctx, "deleteWebhook", func() error {
			_, err := b.library.DeleteWebhook(ctx, &bot.DeleteWebhookParams{})
			return err
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
		b.library.Start(ctx)
		return nil
	})
}

// Serve registers url as the webhook and delivers the updates that arrive at
// Handler, which the caller must have mounted at url. It returns nil when ctx
// ends. The webhook stays registered, so that Telegram keeps new updates until
// the bot is back. handle is called as in Poll.
func (b *Bot) Serve(ctx context.Context, url string, handle func(Update)) error {
	if b.config.Secret == "" {
		return errors.New("a webhook requires a secret")
	}
	return b.listen(ctx, handle, func() error {
		err := b.insist(ctx, "setWebhook", func() error {
			_, err := b.library.SetWebhook(ctx, &bot.SetWebhookParams{
				URL: url, SecretToken: b.config.Secret, AllowedUpdates: updateKinds,
				MaxConnections: 1, // with more, updates could arrive out of order
			})
			return err
		})
		if err == nil {
			<-ctx.Done()
		}
		return err
	})
}

// listen delivers updates from the journal until receive, which writes them
// there, has returned. receive returns when ctx ends or on error.
func (b *Bot) listen(ctx context.Context, handle func(Update), receive func() error) error {
	if !b.listening.CompareAndSwap(false, true) {
		return errors.New("the bot is already listening")
	}
	defer b.listening.Store(false)
	received := make(chan error, 1)
	go func() { received <- receive() }()
	for {
		for ctx.Err() == nil {
			r, found := b.journal.nextRecord()
			if !found {
				break
			}
			b.give(r, handle)
		}
		select {
		case <-b.journal.wake:
		case err := <-received:
			return err
		}
	}
}

// give delivers one update. Updates that the front ignores are marked as
// handled: an older version may have written them to the journal.
func (b *Bot) give(r record, handle func(Update)) {
	u, relevant, err := b.read(r.raw, r.at)
	if relevant {
		handle(u)
		return
	}
	if err := errors.Join(err, b.journal.handled(r.id)); err != nil {
		b.config.Logger.Warn("skipped an update in the telegram update journal", "err", err)
	}
}

// insist repeats a call until Telegram accepts or refuses it. It returns nil if
// ctx ends first.
func (b *Bot) insist(ctx context.Context, method string, call func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := b.convertError(method, call())
		if err == nil || errors.Is(err, outbox.ErrNever) || errors.Is(err, ErrToken) {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		b.grumbles.log("telegram call failed; retrying", err)
		wait := pause
		var tooMany *outbox.TooMany
		if errors.As(err, &tooMany) {
			wait = tooMany.RetryAfter
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
}

// pollFailed logs a failed poll. The library pauses and retries.
func (b *Bot) pollFailed(err error) {
	switch {
	case errors.Is(err, bot.ErrorConflict) && strings.Contains(err.Error(), "webhook"):
		b.grumbles.log("a webhook was set for this telegram bot, so polling gets no updates; restart the server to remove the webhook", nil)
	case errors.Is(err, bot.ErrorConflict):
		b.grumbles.log("another program is polling with this telegram bot's token, and telegram allows only one; waiting for it to end", nil)
	case strings.HasSuffix(err.Error(), "ctx done"): // nothing is lost: the updates are in the journal
	default:
		b.grumbles.log("polling telegram failed; retrying", b.convertError("getUpdates", err))
	}
}

// grumbles logs each warning at most once a minute.
type grumbles struct {
	logger *slog.Logger
	mu     sync.Mutex
	last   map[string]time.Time
}

func (g *grumbles) log(words string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if last, logged := g.last[words]; logged && time.Since(last) < time.Minute {
		return
	}
	g.last[words] = time.Now()
	if err == nil {
		g.logger.Warn(words)
		return
	}
	g.logger.Warn(words, "err", err)
}
