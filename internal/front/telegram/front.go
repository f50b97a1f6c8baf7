package telegram

import (
	"context"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// Config configures a Front. New sets the fields of the adapter in chats.Config.
type Config struct {
	chats.Config
	Bot    *wire.Bot
	People *rights.List
	Edits  bool // never use drafts, even where Telegram supports them
}

const platform = "Telegram"

// limits are Telegram's limits for bots.
var limits = chats.Limits{Text: 4096, Buttons: 100, ButtonData: 64, Upload: 50 << 20, Download: 20 << 20, Draft: 30 * time.Second}

// pace keeps a margin to Telegram's limits: 30 calls a second in all, one a
// second for a chat, 20 a minute for a group. Telegram accepts the answer to a
// button press for 15 s.
var pace = outbox.Pace{
	All: 40 * time.Millisecond, Private: 1200 * time.Millisecond, Group: 3500 * time.Millisecond,
	Aside: 12 * time.Second,
}

// Front runs a bot's chats. Run handles updates; Close shows the ends of all
// turns and shuts the front down.
type Front struct {
	*chats.Front
	bot  *wire.Bot
	self wire.Self
}

// New returns a front. It fails if the stored chats cannot be read.
func New(c Config) (*Front, error) {
	a := adapter{c.Bot, c.Logger}
	c.Platform, c.Limits, c.Pace = platform, limits, pace
	c.Messages, c.Files, c.Rights = a, a, c.People
	if !c.Edits {
		c.Drafts = a
	}
	core, err := chats.New(c.Config)
	if err != nil {
		return nil, err
	}
	return &Front{Front: core, bot: c.Bot}, nil
}

// Run handles updates until ctx ends: from the webhook if its URL is given,
// otherwise by polling. It retries until Telegram can be reached. Turns that
// the previous process has not shown completely are resumed.
func (f *Front) Run(ctx context.Context, webhook string) error {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		self, err := f.bot.Begin(ctx)
		if err == nil {
			f.self = self
			break
		}
		f.Logger.Warn("connecting to telegram failed; retrying", "err", err, "in", pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
	f.Aside(func(ctx context.Context) error { return f.bot.Commands(ctx, menu()) })
	f.Logger.Info("telegram bot started", "bot", f.self.Username)
	return f.Front.Run(ctx, func(ctx context.Context) error {
		if webhook != "" {
			return f.bot.Serve(ctx, webhook, f.Take)
		}
		return f.bot.Poll(ctx, f.Take)
	})
}

func menu() (menu []wire.Command) {
	for _, c := range chats.Menu {
		menu = append(menu, wire.Command(c))
	}
	return menu
}
