package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/front/web/page"
)

// health serves what is not part of the API: health, readiness, metrics and the
// page. The health routes need no credentials and reveal only the status and
// the version.
type health struct {
	problemWriter
	version string
	metrics http.Handler // nil means none
	hub     healthReader
	leaving func() error
	probe   storeProbe
	memory  *memoryGate
}

func (h *health) handle(mux *http.ServeMux) {
	tell := func(w http.ResponseWriter, status int, word string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(api.Health{Status: word, Version: h.version}) // the client may have disconnected
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { tell(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := h.ready(r.Context()); err != nil {
			tell(w, http.StatusServiceUnavailable, h.hide(err.Error()))
			return
		}
		tell(w, http.StatusOK, "ready")
	})
	if h.metrics != nil {
		mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
			if !caller(r.Context()).May(bellcord.ScopeRead) {
				h.writeProblem(w, r, errScope{bellcord.ScopeRead})
				return
			}
			h.metrics.ServeHTTP(w, r)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if page.Holds(r) {
			page.ServeHTTP(w, r)
			return
		}
		h.writeProblem(w, r, errNowhere)
	})
}

// ready returns the reason why a turn would not be accepted now, or nil.
func (h *health) ready(ctx context.Context) error {
	if h.hub.Stats().Draining {
		if err := h.leaving(); err != nil {
			return fmt.Errorf("%w: %w", errClosing, err)
		}
		return errClosing
	}
	if h.hub.Health() != nil {
		return bellcord.ErrStoreDown // the reason is in the log
	}
	if err := h.probe.verify(ctx); err != nil {
		return err
	}
	if h.memory.overloaded() {
		return errOverloaded
	}
	return nil
}
