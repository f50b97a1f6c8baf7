package wire_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// calls lists every call that a front makes.
var calls = map[string]func(context.Context, *wire.Bot) error{
	"getMe": func(ctx context.Context, b *wire.Bot) error { _, err := b.Begin(ctx); return err },
	"sendMessage": func(ctx context.Context, b *wire.Bot) error {
		_, err := b.Send(ctx, wire.Text{Place: toAnna, Text: "x"})
		return err
	},
	"editMessageText": func(ctx context.Context, b *wire.Bot) error {
		return b.Edit(ctx, 1, wire.Text{Place: toAnna, Text: "x"})
	},
	"editMessageReplyMarkup": func(ctx context.Context, b *wire.Bot) error { return b.Buttons(ctx, toAnna, 1, nil) },
	"sendMessageDraft": func(ctx context.Context, b *wire.Bot) error {
		return b.Draft(ctx, wire.Draft{Place: toAnna, ID: 1})
	},
	"deleteMessages":      func(ctx context.Context, b *wire.Bot) error { return b.Delete(ctx, toAnna, []int{1}) },
	"sendChatAction":      func(ctx context.Context, b *wire.Bot) error { return b.Typing(ctx, toAnna) },
	"answerCallbackQuery": func(ctx context.Context, b *wire.Bot) error { return b.Answer(ctx, "1", "x", false) },
	"sendDocument": func(ctx context.Context, b *wire.Bot) error {
		_, err := b.Document(ctx, toAnna, "a.txt", []byte("x"), "")
		return err
	},
	"getFile":       func(ctx context.Context, b *wire.Bot) error { _, err := b.Download(ctx, "1", 10); return err },
	"setMyCommands": func(ctx context.Context, b *wire.Bot) error { return b.Commands(ctx, nil) },
}

func TestCalls_Failure_ReportWhetherItIsPermanent(t *testing.T) {
	t.Parallel()
	for method, call := range calls {
		for _, c := range []struct {
			weather fakegram.Weather
			is      error
			never   bool
		}{
			{weather: fakegram.Weather{Status: http.StatusBadRequest}, is: outbox.ErrNever, never: true},
			{weather: fakegram.Weather{Status: http.StatusForbidden}, is: wire.ErrBlocked, never: true},
			{weather: fakegram.Weather{Status: http.StatusNotFound}, is: outbox.ErrNever, never: true},
			{weather: fakegram.Weather{Status: http.StatusRequestEntityTooLarge}, is: outbox.ErrNever, never: true},
			{weather: fakegram.Weather{Status: http.StatusUnauthorized}, is: wire.ErrToken},
			{weather: fakegram.Weather{Status: http.StatusBadGateway}},
			{weather: fakegram.Weather{Before: time.Hour}, is: context.DeadlineExceeded},
			{weather: fakegram.Weather{LoseCall: true}},
			{weather: fakegram.Weather{LoseAnswer: true}},
		} {
			onStage(t, func(s *stage) {
				b := s.greeted()
				s.Storm(func(fakegram.Call) fakegram.Weather { return c.weather })
				err := call(s.Context(), b)
				if err == nil || c.is != nil && !errors.Is(err, c.is) || errors.Is(err, outbox.ErrNever) != c.never || errors.As(err, new(*outbox.TooMany)) {
					s.Errorf("%s in %+v: %v", method, c.weather, err)
				}
				if n := len(s.CallsOf(method)); n != 1 {
					s.Errorf("%s in %+v was called %d times", method, c.weather, n)
				}
			})
		}
	}
}

func TestCalls_RateLimited_ReturnTheWait(t *testing.T) {
	t.Parallel()
	for method, call := range calls {
		onStage(t, func(s *stage) {
			b := s.greeted()
			s.Storm(func(fakegram.Call) fakegram.Weather { return fakegram.Weather{RetryAfter: 33} })
			var wait *outbox.TooMany
			if err := call(s.Context(), b); !errors.As(err, &wait) || wait.RetryAfter != 33*time.Second || errors.Is(err, outbox.ErrNever) {
				s.Errorf("%s: %v", method, err)
			}
		})
	}
}

func TestCalls_ContextEnds_ReturnAtOnce(t *testing.T) {
	t.Parallel()
	for method, call := range calls {
		onStage(t, func(s *stage) {
			b := s.greeted()
			s.Storm(func(fakegram.Call) fakegram.Weather { return fakegram.Weather{Before: time.Hour} })
			ctx, done := context.WithTimeout(s.Context(), time.Second)
			defer done()
			began := time.Now()
			if err := call(ctx, b); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
				s.Errorf("%s ended with %v after %v", method, err, time.Since(began))
			}
		})
	}
}

func TestCalls_Refused_KeepTelegramsText(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.greeted()
		_, err := b.Send(s.Context(), wire.Text{Place: toAnna, Text: "<b>open", HTML: true})
		if !errors.Is(err, wire.ErrMarkup) || !errors.Is(err, outbox.ErrNever) || !strings.Contains(err.Error(), "can't parse entities") {
			s.Errorf("wrong markup: %v", err)
		}
		_, err = b.Send(s.Context(), wire.Text{Place: wire.Place{Chat: 5}, Text: "x"})
		if !errors.Is(err, outbox.ErrNever) || errors.Is(err, wire.ErrMarkup) || !strings.Contains(err.Error(), "chat not found") {
			s.Errorf("no chat: %v", err)
		}
		if err := b.Edit(s.Context(), 77, wire.Text{Place: toAnna, Text: "x"}); !errors.Is(err, outbox.ErrNever) {
			s.Errorf("no message: %v", err)
		}
		s.Block(anna)
		_, err = b.Send(s.Context(), wire.Text{Place: toAnna, Text: "x"})
		if !errors.Is(err, wire.ErrBlocked) || !errors.Is(err, outbox.ErrNever) || !strings.Contains(err.Error(), "blocked by the user") {
			s.Errorf("blocked: %v", err)
		}
	})
}
