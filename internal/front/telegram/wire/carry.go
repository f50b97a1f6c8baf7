package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram/outbox"
)

const (
	mostAnswer   = 32 << 20
	callPatience = time.Minute
	slowestLine  = 64 << 10 // bytes a second
)

// carrier is the library's way to Telegram.
type carrier struct{ *Bot }

// Do carries a request. Updates are on disk when the library has the answer that
// brought them: with its next request it confirms them.
func (b carrier) Do(req *http.Request) (*http.Response, error) {
	ctx, done := context.WithTimeout(req.Context(), b.patience(req))
	defer done()
	resp, err := b.client.Do(req.WithContext(ctx)) //nolint:bodyclose,gosec // readAnswer does; the address is the library's
	if err != nil {
		return nil, b.unaddressed(req.Context(), err)
	}
	body, err := readAnswer(resp)
	if err != nil {
		return nil, b.unaddressed(req.Context(), err)
	}
	if polls(req) {
		if body, err = b.keep(body); err != nil {
			return nil, err
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// patience is how long a request may take: a poll waits on purpose, and an upload
// takes its time.
func (b *Bot) patience(req *http.Request) time.Duration {
	if polls(req) {
		return b.config.Poll + callPatience/2
	}
	return callPatience + time.Duration(req.ContentLength/slowestLine)*time.Second
}

func polls(req *http.Request) bool { return path.Base(req.URL.Path) == "getUpdates" }

// readAnswer reads and closes an answer, which has to be JSON: what a proxy has to
// say is a page.
func readAnswer(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	_ = resp.Body.Close()
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusRequestEntityTooLarge:
		return nil, fmt.Errorf("%w: %s", outbox.ErrNever, resp.Status)
	case !json.Valid(body):
		return nil, fmt.Errorf("response is not from the Bot API: %s", resp.Status)
	}
	return body, nil
}

// unaddressed is a failure without the address, which has the token in it. A
// request is called off by its own context only: of another's end, the library
// would think that polling is over.
func (b *Bot) unaddressed(ctx context.Context, err error) error {
	var addressed *url.Error
	if errors.As(err, &addressed) {
		err = addressed.Err
	}
	if hidden := b.hide(err.Error()); hidden != err.Error() || errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return errors.New(hidden)
	}
	return err
}

// keep puts the updates of an answer into the journal. The library is given their
// numbers only, which is all that it needs to ask for the next ones; an update
// without one makes it pause.
func (b *Bot) keep(body []byte) ([]byte, error) {
	var answer struct {
		OK     bool              `json:"ok"`
		Result []json.RawMessage `json:"result"`
	}
	if json.Unmarshal(body, &answer) != nil || !answer.OK {
		return body, nil // the library knows what to make of it
	}
	type number struct {
		ID int64 `json:"update_id"`
	}
	numbers := make([]number, 0, len(answer.Result))
	for _, raw := range answer.Result {
		numbers = append(numbers, number{numberOf(raw)})
	}
	if err := b.accept(answer.Result); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"ok": true, "result": numbers})
}

// accept returns when those of the updates that matter are on disk. One that
// can't be read would not be readable the next time, either.
func (b *Bot) accept(raws []json.RawMessage) error {
	now := time.Now()
	var records []record
	for _, raw := range raws {
		u, wanted, err := b.read(raw, now)
		if err != nil {
			b.config.Logger.Warn("skipped an unreadable telegram update", "err", err)
			continue
		}
		if wanted && u.ID != 0 {
			records = append(records, record{id: u.ID, at: now, raw: raw})
		}
	}
	return b.journal.keep(records)
}
