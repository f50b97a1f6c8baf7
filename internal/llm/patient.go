package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/bellcord/bellcord"
)

// Patient retries the requests of a model that fail with a retryable failure.
// The pause between tries grows, and ends when the context ends. After any part
// of an answer was emitted it does not retry, so that no part is emitted twice.
type Patient struct {
	Model Model
	Tries int           // maximum; 0 means 5
	First time.Duration // pause after the first failure; 0 means 500 ms
	Most  time.Duration // longest pause, even if the server requests more; 0 means 60 s
}

// Generate implements Model. It emits bellcord.ModelRetryScheduled before each
// pause.
func (p Patient) Generate(ctx context.Context, req Request, emit func(bellcord.Body) error) (Reply, error) {
	tries, pause, most := orDefault(p.Tries, 5), orDefault(p.First, 500*time.Millisecond), orDefault(p.Most, time.Minute)
	for attempt := 1; ; attempt++ {
		shown := false
		reply, err := p.Model.Generate(ctx, req, func(b bellcord.Body) error {
			if _, metered := b.(bellcord.UsageReported); !metered {
				shown = true
			}
			return emit(b)
		})
		var failed interface {
			Retryable() bool
			RetryAfter() time.Duration
		}
		if err == nil || shown || attempt == tries || ctx.Err() != nil || !errors.As(err, &failed) || !failed.Retryable() {
			return reply, err
		}
		wait := failed.RetryAfter()
		if wait == 0 {
			wait = pause/2 + rand.N(pause/2+1) // jitter, so that many clients do not retry at the same time
			pause = min(2*pause, most)
		}
		wait = min(wait, most)
		if err := emit(bellcord.ModelRetryScheduled{Attempt: attempt, RetryIn: wait, Reason: err.Error()}); err != nil {
			return Reply{}, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return Reply{}, context.Cause(ctx)
		}
	}
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
