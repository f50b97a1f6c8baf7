package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

var (
	errDown    = errors.New("down")
	errStopped = errors.New("stopped by the test")
)

// model answers each request with the next of its functions, repeating the last
// one, and records the time of each request.
type model struct {
	answers     []func(emit func(bellcord.Body) error) error
	requestedAt []time.Duration
	start       time.Time
}

func (m *model) Generate(_ context.Context, _ llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	m.requestedAt = append(m.requestedAt, time.Since(m.start))
	answer := m.answers[min(len(m.requestedAt), len(m.answers))-1]
	if err := answer(emit); err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{Finish: "stop"}, nil
}

func down(after time.Duration) func(func(bellcord.Body) error) error {
	return func(func(bellcord.Body) error) error {
		return &llm.Failure{Reason: llm.Overloaded, Status: 503, After: after, Err: errDown}
	}
}

func fine(func(bellcord.Body) error) error { return nil }

func modelThat(answers ...func(func(bellcord.Body) error) error) *model {
	return &model{answers: answers, start: time.Now()}
}

// retries collects the events about scheduled retries.
type retries []bellcord.ModelRetryScheduled

func (r *retries) emit(b bellcord.Body) error {
	if again, ok := b.(bellcord.ModelRetryScheduled); ok {
		*r = append(*r, again)
	}
	return nil
}

func TestPatient_TransientFailures_RetriesAfterGrowingPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := modelThat(down(0), down(0), down(0), fine)
		var scheduled retries
		reply, err := llm.Patient{Model: m, First: time.Second}.Generate(t.Context(), llm.Request{}, scheduled.emit)
		if err != nil || reply.Finish != "stop" || len(m.requestedAt) != 4 || len(scheduled) != 3 {
			t.Fatalf("reply %+v, %v after %d tries", reply, err, len(m.requestedAt))
		}
		longest := time.Second
		for i, again := range scheduled {
			paused := m.requestedAt[i+1] - m.requestedAt[i]
			if paused < longest/2 || paused > longest {
				t.Errorf("pause %d took %v, want from %v to %v", i+1, paused, longest/2, longest)
			}
			if again.Attempt != i+1 || again.RetryIn != paused || again.Reason == "" {
				t.Errorf("told %+v of a pause of %v", again, paused)
			}
			longest *= 2
		}
	})
}

func TestPatient_RetryAfterFromServer_PausesThatLongUpToMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := modelThat(down(7*time.Second), down(time.Hour), fine)
		var scheduled retries
		p := llm.Patient{Model: m, Most: 20 * time.Second}
		if _, err := p.Generate(t.Context(), llm.Request{}, scheduled.emit); err != nil {
			t.Fatal(err)
		}
		if len(m.requestedAt) != 3 || m.requestedAt[1] != 7*time.Second || m.requestedAt[2] != 27*time.Second {
			t.Errorf("asked at %v", m.requestedAt)
		}
		if scheduled[0].RetryIn != 7*time.Second || scheduled[1].RetryIn != 20*time.Second {
			t.Errorf("told %+v", scheduled)
		}
	})
}

func TestPatient_StopDuringPause_ReturnsImmediately(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := modelThat(down(time.Minute))
		ctx, cancel := context.WithCancelCause(t.Context())
		defer time.AfterFunc(10*time.Second, func() { cancel(errStopped) }).Stop()
		_, err := llm.Patient{Model: m}.Generate(ctx, llm.Request{}, new(retries).emit)
		if took := time.Since(m.start); took != 10*time.Second {
			t.Errorf("a stop at 10 s ended the pause at %v", took)
		}
		if err != errStopped || len(m.requestedAt) != 1 { //nolint:errorlint // the cause itself
			t.Errorf("error %v after %d tries", err, len(m.requestedAt))
		}
	})
}

func TestPatient_FailureAfterUsageOnly_Retries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		metered := func(emit func(bellcord.Body) error) error {
			return errors.Join(emit(bellcord.UsageReported{}), down(0)(emit))
		}
		m := modelThat(metered, fine)
		if reply, err := (llm.Patient{Model: m}).Generate(t.Context(), llm.Request{}, new(retries).emit); err != nil || reply.Finish != "stop" {
			t.Errorf("reply %+v, %v", reply, err)
		}
	})
}

func TestPatient_EveryTryFails_ReturnsLastError(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]int{0: 5, 1: 1, 3: 3} {
		synctest.Test(t, func(t *testing.T) {
			m := modelThat(down(0))
			var scheduled retries
			_, err := llm.Patient{Model: m, Tries: tries}.Generate(t.Context(), llm.Request{}, scheduled.emit)
			var passing *llm.Failure
			if !errors.As(err, &passing) || !errors.Is(err, errDown) {
				t.Errorf("error %v", err)
			}
			if len(m.requestedAt) != want || len(scheduled) != want-1 {
				t.Errorf("%d tries and %d pauses, want %d tries", len(m.requestedAt), len(scheduled), want)
			}
		})
	}
}

func TestPatient_PermanentFailureOrPartialAnswer_DoesNotRetry(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	full := errors.New("no room")
	for name, c := range map[string]struct {
		answer func(func(bellcord.Body) error) error
		emit   func(bellcord.Body) error
		want   error
	}{
		"a failure that does not pass": {func(func(bellcord.Body) error) error { return refused }, new(retries).emit, refused},
		"an answer cut off after a word": {func(emit func(bellcord.Body) error) error {
			return errors.Join(emit(bellcord.TextDelta{Text: "he"}), down(0)(emit))
		}, new(retries).emit, errDown},
		"an answer cut off after a thought": {func(emit func(bellcord.Body) error) error {
			return errors.Join(emit(bellcord.ThinkingDelta{Text: "hm"}), down(0)(emit))
		}, new(retries).emit, errDown},
		"a pause that nobody could be told of": {down(0), func(bellcord.Body) error { return full }, full},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := modelThat(c.answer)
				_, err := llm.Patient{Model: m}.Generate(t.Context(), llm.Request{}, c.emit)
				if !errors.Is(err, c.want) || len(m.requestedAt) != 1 || time.Since(m.start) != 0 {
					t.Errorf("error %v after %d tries", err, len(m.requestedAt))
				}
			})
		})
	}
}

func TestPatient_StopDuringRequest_DoesNotRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		m := modelThat(func(emit func(bellcord.Body) error) error {
			cancel(errStopped)
			return down(0)(emit)
		})
		_, err := llm.Patient{Model: m}.Generate(ctx, llm.Request{}, new(retries).emit)
		if err == nil || len(m.requestedAt) != 1 {
			t.Errorf("error %v after %d tries", err, len(m.requestedAt))
		}
	})
}
