package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm"
)

// offers asks every provider once, whoever wants to know.
type offers struct {
	models *models
	mu     sync.Mutex
	asked  map[string]func() ([]string, error)
}

func newOffers(m *models) *offers {
	return &offers{models: m, asked: map[string]func() ([]string, error){}}
}

func (o *offers) of(ctx context.Context, provider string) ([]string, error) {
	o.mu.Lock()
	ask := o.asked[provider]
	if ask == nil {
		ask = sync.OnceValues(func() ([]string, error) {
			ctx, done := context.WithTimeout(ctx, requestBound)
			defer done()
			return o.models.provider(provider).Models(ctx)
		})
		o.asked[provider] = ask
	}
	o.mu.Unlock()
	return ask()
}

// keys asks every provider that has a key or an address for its models.
func (p *patient) keys(ctx context.Context) []finding {
	var all []finding
	for _, name := range p.models.names() {
		provider := p.config.Provider[name]
		if provider.API == config.Fake || provider.Key == "" && provider.BaseURL == "" {
			continue
		}
		names, err := p.offers.of(ctx, name)
		var failure *llm.Failure
		switch {
		case err == nil:
			all = append(all, ok("%s answers and offers %d models", name, len(names))...)
		case errors.As(err, &failure) && (failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden):
			all = append(all, bad("set a key that is valid: "+variableOf(name), "%s refuses the key: %s", name, inOneLine(err))...)
		default:
			all = append(all, warn("check the network, the proxy and base_url", "%s could not be asked: %s", name, inOneLine(err))...)
		}
	}
	if len(all) == 0 {
		return warn("set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, then bellcord init --force", "there is no key: only the fake model answers")
	}
	return all
}

// variableOf a provider's key.
func variableOf(provider string) string {
	for _, k := range keyVariables {
		if k.provider == provider {
			return k.variable
		}
	}
	return "api_key in [provider." + provider + "]"
}

// model looks whether the one of new sessions is offered. It is not asked
// anything: that would cost.
func (p *patient) model(ctx context.Context) []finding {
	name := modelOf(p.config)
	if name == "" && p.config.Agent != "" {
		return ok("that of the agent %s", p.config.Agent)
	}
	provider, model, err := p.models.split(name)
	if err != nil {
		return bad("bellcord init, or set model = \"provider/model\"", "%s", inOneLine(err))
	}
	if p.config.Provider[provider].API == config.Fake {
		return warn("set a key, then bellcord init --force", "%s is the fake model: it repeats what it is told", name)
	}
	names, err := p.offers.of(ctx, provider)
	switch {
	case err != nil:
		return warn("see keys", "%s: its provider could not be asked", name)
	case !slices.Contains(names, model):
		return warn("bellcord models "+provider, "%s is not among the %d models that are offered", name, len(names))
	}
	return ok("%s is offered", name)
}

// mostSkew is what tokens and certificates forgive.
const mostSkew = 30 * time.Second

// homes of the providers that everybody has.
var homes = map[string]string{
	"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com", "gemini": "https://generativelanguage.googleapis.com",
}

// clock holds ours against the first model server that tells its own, and the
// wall's against the one that only goes forward.
func (p *patient) clock(ctx context.Context) []finding {
	began := time.Now()
	for _, name := range p.models.names() {
		provider := p.config.Provider[name]
		if provider.API == config.Fake || provider.Key == "" && provider.BaseURL == "" {
			continue
		}
		theirs, err := dateOf(ctx, or(provider.BaseURL, homes[name]))
		if err != nil {
			continue
		}
		if skew := time.Since(theirs); skew.Abs() > mostSkew {
			return bad("turn on time synchronisation (timedatectl set-ntp true)", "it is %s off that of %s", skew.Round(time.Second), name)
		}
		return ok("within %s of that of %s", mostSkew, name)
	}
	if drift := time.Now().Round(0).Sub(began.Round(0)) - time.Since(began); drift.Abs() > time.Second {
		return warn("find out who sets the clock", "it jumped by %s just now", drift)
	}
	return ok("no server to hold it against")
}

func dateOf(ctx context.Context, url string) (time.Time, error) {
	ctx, done := context.WithTimeout(ctx, requestBound)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, http.NoBody)
	if err != nil {
		return time.Time{}, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	_ = res.Body.Close()
	return http.ParseTime(res.Header.Get("Date"))
}
