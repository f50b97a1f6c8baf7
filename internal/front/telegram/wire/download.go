package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-telegram/bot"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

// Download fetches a file of at most most bytes. It returns ErrTooLarge for a
// larger file, even if Telegram reports a smaller size.
func (b *Bot) Download(ctx context.Context, file string, most int64) ([]byte, error) {
	f, err := b.library.GetFile(ctx, &bot.GetFileParams{FileID: file})
	if err != nil {
		return nil, b.convertError("getFile", err)
	}
	if f.FileSize > most {
		return nil, fmt.Errorf("download file: %w: %d bytes (limit %d)", ErrTooLarge, f.FileSize, most)
	}
	ctx, done := context.WithTimeout(ctx, callPatience+time.Duration(most/slowestLine)*time.Second)
	defer done()
	data, err := b.fetch(ctx, b.library.FileDownloadLink(f), most)
	if err != nil {
		return nil, fmt.Errorf("download file: %w", b.unaddressed(ctx, err))
	}
	return data, nil
}

func (b *Bot) fetch(ctx context.Context, link string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, errors.New("telegram returned an invalid file path")
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusForbidden, http.StatusBadRequest:
		return nil, fmt.Errorf("%w: %s", outbox.ErrNever, resp.Status)
	default:
		return nil, fmt.Errorf("telegram returned %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	}
	return data, err
}
