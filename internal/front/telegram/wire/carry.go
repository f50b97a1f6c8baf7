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

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

const (
	mostAnswer   = 32 << 20
	callPatience = time.Minute
	slowestLine  = 64 << 10 // bytes per second
)

// carrier is the HTTP client that the Bot API library uses.
type carrier struct{ *Bot }

// Do sends a request. For a poll it returns only after the received updates are
// on disk, because the library's next poll confirms them to Telegram.
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

// patience returns the timeout for a request. Polls wait for updates, and
// uploads get extra time for their size.
func (b *Bot) patience(req *http.Request) time.Duration {
	if polls(req) {
		return b.config.Poll + callPatience/2
	}
	return callPatience + time.Duration(req.ContentLength/slowestLine)*time.Second
}

func polls(req *http.Request) bool { return path.Base(req.URL.Path) == "getUpdates" }

// readAnswer reads and closes a response. It returns an error if the body is
// not JSON, such as the HTML error page of a proxy.
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

// unaddressed removes the URL, which contains the token, from err. It keeps
// context.Canceled only if ctx has ended: otherwise the library would stop
// polling because another request was canceled.
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

// keep writes the updates of a poll response to the journal. It returns a
// response with only their IDs, which is all the library needs to compute the
// next offset. An update without an ID makes the library pause.
func (b *Bot) keep(body []byte) ([]byte, error) {
	var answer struct {
		OK     bool              `json:"ok"`
		Result []json.RawMessage `json:"result"`
	}
	if json.Unmarshal(body, &answer) != nil || !answer.OK {
		return body, nil // the library handles the failure
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

// accept returns when the updates that the front uses are on disk. Unreadable
// updates are logged and skipped, since receiving them again would not help.
func (b *Bot) accept(raws []json.RawMessage) error {
	now := time.Now()
	var records []record
	for _, raw := range raws {
		u, relevant, err := b.read(raw, now)
		if err != nil {
			b.config.Logger.Warn("skipped an unreadable telegram update", "err", err)
			continue
		}
		if relevant && u.ID != 0 {
			records = append(records, record{id: u.ID, at: now, raw: raw})
		}
	}
	return b.journal.keep(records)
}
