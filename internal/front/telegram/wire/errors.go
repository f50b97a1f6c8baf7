package wire

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

var (
	// ErrMarkup means that Telegram cannot parse the HTML of a text. The
	// same text may be accepted without markup.
	ErrMarkup = fmt.Errorf("%w: invalid markup", outbox.ErrNever)
	// ErrBlocked means that the bot is not allowed to write to the chat.
	ErrBlocked = fmt.Errorf("%w: the bot is not allowed to do this in the chat", outbox.ErrNever)
	// ErrTooLarge means that a file exceeds the size limit.
	ErrTooLarge = fmt.Errorf("%w: the file is too large", outbox.ErrNever)
	// ErrToken means that Telegram rejected the bot's token.
	ErrToken = errors.New("telegram does not accept the bot's token")
)

// Moved means that a group was upgraded to a supergroup and now has the ID To.
type Moved struct{ To int64 }

// Error implements error.
func (m Moved) Error() string {
	return fmt.Sprintf("%v: the group's ID has changed to %d", outbox.ErrNever, m.To)
}

// Unwrap returns outbox.ErrNever: retrying the call does not help.
func (m Moved) Unwrap() error { return outbox.ErrNever }

const (
	badMarkup   = "can't parse entities"
	notModified = "message is not modified"
	notThere    = "message to delete not found"
	tooBig      = "file is too big"
)

// convertError converts an error of the library to one that the outbox understands, and
// removes the token from its text.
func (b *Bot) convertError(method string, err error) error {
	if err == nil {
		return nil
	}
	words := b.hide(err.Error())
	because := func(reason error) error { return fmt.Errorf("%s: %w: %s", method, reason, words) }
	var wait *bot.TooManyRequestsError
	var moved *bot.MigrateError
	switch {
	case errors.As(err, &wait):
		after := time.Duration(max(wait.RetryAfter, 1)) * time.Second
		return fmt.Errorf("%s: %w", method, &outbox.TooMany{RetryAfter: after})
	case errors.As(err, &moved):
		return fmt.Errorf("%s: %w", method, Moved{To: int64(moved.MigrateToChatID)})
	case errors.Is(err, bot.ErrorForbidden):
		return because(ErrBlocked)
	case errors.Is(err, bot.ErrorBadRequest) && strings.Contains(words, badMarkup):
		return because(ErrMarkup)
	case errors.Is(err, bot.ErrorBadRequest) && strings.Contains(words, tooBig):
		return because(ErrTooLarge)
	case errors.Is(err, bot.ErrorBadRequest), errors.Is(err, bot.ErrorNotFound):
		return because(outbox.ErrNever)
	case errors.Is(err, bot.ErrorUnauthorized):
		return because(ErrToken)
	case words != err.Error():
		return fmt.Errorf("%s: %s", method, words)
	}
	return fmt.Errorf("%s: %w", method, err)
}

// refusedWith reports whether Telegram refused a call with these words.
func refusedWith(err error, words string) bool {
	return errors.Is(err, outbox.ErrNever) && strings.Contains(err.Error(), words)
}

// longSecret is the shortest secret part of a token that hide searches for.
// Every real secret is longer; shorter ones could occur in a text by chance.
const longSecret = 20

// hide masks the token in a text, and its secret part where that appears alone.
func (b *Bot) hide(text string) string {
	text = strings.ReplaceAll(text, b.config.Token, "***")
	if _, secret, _ := strings.Cut(b.config.Token, ":"); len(secret) >= longSecret {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}
