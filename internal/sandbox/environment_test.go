package sandbox

import (
	"slices"
	"testing"
)

// The check would ask the user about the registry, for commands such as npm test.
func TestProxyEnv_Npm_ChecksForNoUpdatesOfItself(t *testing.T) {
	t.Parallel()
	if env := proxyEnv("http://127.0.0.1:1"); !slices.Contains(env, "npm_config_update_notifier=false") {
		t.Errorf("variables %q", env)
	}
}
