package app_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

func TestEfforts_EachAPI_OffersThemIfItHasThem(t *testing.T) {
	t.Parallel()
	c := config.Config{Provider: map[string]config.Provider{}}
	for _, api := range config.APIs {
		c.Provider[api] = config.Provider{API: api}
	}
	models := app.NewModels(c)
	for _, api := range config.APIs {
		want := api == config.Responses || api == config.Anthropic
		if got := models.Efforts(api + "/some"); len(got) > 0 != want {
			t.Errorf("%s: %v", api, got)
		}
	}
	if got := models.Efforts("unknown/some"); got != nil {
		t.Errorf("of an unknown provider: %v", got)
	}
}
