package wire

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

const (
	secretHeader = "X-Telegram-Bot-Api-Secret-Token" //nolint:gosec // a name, no secret
	mostPosted   = 1 << 20
)

// Handler accepts webhook requests from Telegram. It rejects requests without
// the configured secret, and all requests if no secret is configured. An update
// is on disk before the response is 200; after any other status Telegram sends
// it again.
func (b *Bot) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := b.posted(w, r); status != http.StatusOK {
			http.Error(w, http.StatusText(status), status)
		}
	})
}

func (b *Bot) posted(w http.ResponseWriter, r *http.Request) (status int) {
	if !b.knowsSecret(r) {
		return http.StatusUnauthorized
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostPosted))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case err != nil || numberOf(body) == 0:
		return http.StatusBadRequest
	}
	if err := b.accept([]json.RawMessage{body}); err != nil {
		b.config.Logger.Error("saving a telegram update failed; telegram will send it again", "err", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// knowsSecret reports whether the request contains the configured secret. The
// comparison takes constant time.
func (b *Bot) knowsSecret(r *http.Request) bool {
	received := sha256.Sum256([]byte(r.Header.Get(secretHeader)))
	expected := sha256.Sum256([]byte(b.config.Secret))
	return subtle.ConstantTimeCompare(received[:], expected[:]) == 1 && b.config.Secret != ""
}
