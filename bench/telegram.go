package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// telegramChats is the number of chats to which one bot streams at the same time.
const telegramChats = 500

// telegramFigures measures a bot with more output than Telegram accepts: whether it respects the
// limits, and whether a stop is delayed by messages in the outbox. The strict fake Telegram runs in
// the same process, so both ends use one clock.
func telegramFigures(out io.Writer) (err error) {
	ctx, done := context.WithTimeout(context.Background(), 10*time.Minute)
	defer done()
	b, err := openTelegramBench(ctx, telegramChats)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.closeBench()) }()
	fmt.Fprintf(out, "telegram: %d chats streaming at once on one bot, and as many turns without a chat, 2 words per second each\n", telegramChats)
	if err := b.stream(ctx); err != nil {
		return err
	}
	const during = 10 * time.Second
	began := time.Now()
	select {
	case <-time.After(during):
	case <-ctx.Done():
		return ctx.Err()
	}
	mean, most := b.pace(began, time.Now())
	fmt.Fprintf(out, "  %-44s  mean %.1f, maximum %d in one second (limit 30)\n", "calls per second, all chats", mean, most)
	var viaTelegram, bare []time.Duration
	for n := range telegramChats {
		t, err := b.stopChat(ctx, n)
		if err != nil {
			return err
		}
		u, err := b.stopBare(ctx, n)
		if err != nil {
			return err
		}
		viaTelegram, bare = append(viaTelegram, t), append(bare, u)
	}
	row(out, "/stop at Telegram to turn cancelled", viaTelegram)
	row(out, "bare: Hub.Stop to turn cancelled", bare)
	fmt.Fprintf(out, "  %-44s  %v (aim: at most 50ms)\n", "p99", quantile(viaTelegram, 0.99).Round(time.Microsecond))
	return b.audit(ctx, out)
}

// stream sends a prompt in every chat, and returns when all turns run.
func (b *telegramBench) stream(ctx context.Context) error {
	for n, person := range b.people {
		if _, err := b.gram.Say(person, person, chatPrompt(n)); err != nil {
			return err
		}
		s, err := b.hub.NewSession(ctx, bellcord.Session{Dir: b.dir})
		if err != nil {
			return err
		}
		turn, err := b.hub.Prompt(s.ID, bellcord.Prompt{Text: barePrompt(n)})
		if err != nil {
			return err
		}
		b.bare = append(b.bare, turn.ID)
	}
	return b.agent.until(ctx, func(a *reciter) bool { return len(a.running) == 2*len(b.people) })
}

func chatPrompt(n int) string { return fmt.Sprintf("recite in chat %d", n) }
func barePrompt(n int) string { return fmt.Sprintf("recite alone %d", n) }

// stopChat returns the time from the message on Telegram's side, which must still be fetched and
// stored, to the end of the turn's context.
func (b *telegramBench) stopChat(ctx context.Context, n int) (time.Duration, error) {
	requested := time.Now()
	if _, err := b.gram.Say(b.people[n], b.people[n], "/stop"); err != nil {
		return 0, err
	}
	canceled, err := b.agent.canceledAt(ctx, chatPrompt(n))
	return canceled.Sub(requested), err
}

func (b *telegramBench) stopBare(ctx context.Context, n int) (time.Duration, error) {
	requested := time.Now()
	b.hub.Stop(bellcord.StopTurn(b.bare[n], bellcord.Cause{By: "bench"}))
	canceled, err := b.agent.canceledAt(ctx, barePrompt(n))
	return canceled.Sub(requested), err
}

// pace returns the mean and the maximum number of calls per second for chats.
func (b *telegramBench) pace(from, to time.Time) (mean float64, most int) {
	var at []time.Time
	for _, c := range b.gram.Calls() {
		if c.Chat != 0 && c.At.After(from) && c.At.Before(to) {
			at = append(at, c.At)
		}
	}
	first := 0
	for i := range at {
		for at[i].Sub(at[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return float64(len(at)) / to.Sub(from).Seconds(), most
}

// audit waits until every chat shows how its answer ended, and prints whether Telegram's rules were
// respected.
func (b *telegramBench) audit(ctx context.Context, out io.Writer) error {
	shown := 0
	err := b.gram.Wait(ctx, func() bool {
		for shown < len(b.people) && strings.Contains(b.gram.Chat(b.people[shown]).Last().Text, "⏹ Stopped") {
			shown++
		}
		return shown == len(b.people)
	})
	broken := b.gram.Violations()
	fmt.Fprintf(out, "  %d of %d chats show the partial answer and that it was stopped; %d violations in %d calls\n",
		shown, len(b.people), len(broken), len(b.gram.Calls()))
	if len(broken) > 0 {
		err = errors.Join(err, errors.New(broken[0]))
	}
	return err
}
