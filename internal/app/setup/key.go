package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord/internal/config"
)

// KeyEntered is a provider's API key that the user entered.
type KeyEntered struct{ Provider, Key string }

// WriteKey writes a configuration file with a key, which only the user can
// read. It first asks the provider for its models: a key that the provider
// rejects is not written. An existing file is an error.
func WriteKey(ctx context.Context, file string, key KeyEntered) (Written, error) {
	path, _ := config.File(file)
	if config.IsFile(path) {
		return Written{}, fmt.Errorf("%s already exists and was not changed: set api_key in [provider.%s] there", path, key.Provider)
	}
	key.Key = strings.TrimSpace(key.Key)
	if key.Key == "" || strings.ContainsFunc(key.Key, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
		return Written{}, errors.New("the key is empty or contains characters that no key has")
	}
	c, err := config.FromEnvironment()
	if err != nil {
		return Written{}, err
	}
	p := c.Provider[key.Provider]
	p.APIKey = key.Key
	c.Provider[key.Provider] = p
	model, err := offeredBy(ctx, c, key.Provider)
	switch {
	case err != nil:
		return Written{}, fmt.Errorf("the models of %s could not be listed with this key: %w", key.Provider, err)
	case model == "":
		return Written{}, fmt.Errorf("%s offers no models with this key", key.Provider)
	}
	return write(path, Choice{Model: key.Provider + "/" + model, Reason: "you entered a key, and the provider offers this model", key: key}, false)
}
