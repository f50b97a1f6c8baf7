package doctor

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm"
)

// offers lists the models of each provider at most once.
type offers struct {
	models *app.Models
	mu     sync.Mutex
	lists  map[string]func() ([]string, error)
}

func newOffers(m *app.Models) *offers {
	return &offers{models: m, lists: map[string]func() ([]string, error){}}
}

func (o *offers) of(ctx context.Context, provider string) ([]string, error) {
	o.mu.Lock()
	ask := o.lists[provider]
	if ask == nil {
		ask = sync.OnceValues(func() ([]string, error) {
			ctx, done := context.WithTimeout(ctx, requestTimeout)
			defer done()
			return o.models.Provider(provider).Models(ctx)
		})
		o.lists[provider] = ask
	}
	o.mu.Unlock()
	return ask()
}

// keys requests the list of models from every provider with a key or an
// address.
func (d *Doctor) keys(ctx context.Context) []Finding {
	var all []Finding
	for _, name := range d.models.Providers() {
		provider := d.config.Settings.Provider[name]
		if provider.API == config.Fake || provider.APIKey == "" && provider.BaseURL == "" {
			continue
		}
		names, err := d.offers.of(ctx, name)
		var failure *llm.Failure
		switch {
		case err == nil:
			all = append(all, ok("%s answers and offers %d models", name, len(names))...)
		case errors.As(err, &failure) && (failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden):
			all = append(all, bad("set a valid key: "+variableOf(name), "%s rejects the key: %s", name, inOneLine(err))...)
		default:
			all = append(all, warn("check the network, the proxy and base_url", "cannot list the models of %s: %s", name, inOneLine(err))...)
		}
	}
	if len(all) == 0 {
		return warn("set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY", "no key is set")
	}
	return all
}

// variableOf returns the variable or setting that contains a provider's key.
func variableOf(provider string) string {
	for _, k := range app.KeyVariables {
		if k.Provider == provider {
			return k.Variable
		}
	}
	return "api_key in [provider." + provider + "]"
}

// model checks whether the provider offers the model of new sessions. It sends
// no prompt, because that would cost money.
func (d *Doctor) model(ctx context.Context) []Finding {
	name := app.DefaultModel(d.config.Settings)
	if name == "" && d.config.Settings.Agent != "" {
		return ok("chosen by the agent %s", d.config.Settings.Agent)
	}
	provider, model, err := d.models.Split(name)
	if err != nil {
		return bad("run bellcord init, or set model = \"provider/model\"", "%s", inOneLine(err))
	}
	if err := d.models.Check(name); err != nil {
		return bad("set the key, or choose another model: model = \"provider/model\"", "%s", inOneLine(err))
	}
	if d.config.Settings.Provider[provider].API == config.Fake {
		return warn("set a key, then model = \"provider/model\" (bellcord models lists them)", "%s is the fake model: it repeats the prompt", name)
	}
	names, err := d.offers.of(ctx, provider)
	switch {
	case err != nil:
		return warn("see the line keys", "%s: the models of its provider could not be listed", name)
	case !slices.Contains(names, model):
		return warn("choose another; to list them: bellcord models "+provider, "%s is not among the %d models that its provider offers", name, len(names))
	}
	return ok("%s is available", name)
}

// mostSkew is the clock difference that tokens and certificates tolerate.
const mostSkew = 30 * time.Second

// homes contains the addresses of the public providers.
var homes = map[string]string{
	"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com", "gemini": "https://generativelanguage.googleapis.com",
}

// clock compares this machine's clock with that of the first model server that
// answers. Without one, it compares the wall clock with the monotonic clock.
func (d *Doctor) clock(ctx context.Context) []Finding {
	began := time.Now()
	for _, name := range d.models.Providers() {
		provider := d.config.Settings.Provider[name]
		if provider.API == config.Fake || provider.APIKey == "" && provider.BaseURL == "" {
			continue
		}
		serverTime, err := dateOf(ctx, cmp.Or(provider.BaseURL, homes[name]))
		if err != nil {
			continue
		}
		if skew := time.Since(serverTime); skew.Abs() > mostSkew {
			return bad("turn on time synchronization (timedatectl set-ntp true)", "differs by %s from the clock of %s", skew.Round(time.Second), name)
		}
		return ok("within %s of the clock of %s", mostSkew, name)
	}
	if drift := time.Now().Round(0).Sub(began.Round(0)) - time.Since(began); drift.Abs() > time.Second {
		return warn("find out what sets the clock", "jumped by %s just now", drift)
	}
	return ok("not checked: no server to compare it with")
}

func dateOf(ctx context.Context, url string) (time.Time, error) {
	ctx, done := context.WithTimeout(ctx, requestTimeout)
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
