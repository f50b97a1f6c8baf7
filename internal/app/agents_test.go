package app

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/config"
)

func TestIdleTime_UnsetZeroOrSet_IsDefaultForeverOrTheTime(t *testing.T) {
	t.Parallel()
	zero, hour := config.Duration(0), config.Duration(time.Hour)
	if got := idleTime(config.Agent{}); got != 0 {
		t.Errorf("unset: %s", got)
	}
	if got := idleTime(config.Agent{IdleTimeout: &zero}); got >= 0 {
		t.Errorf("0s: %s", got)
	}
	if got := idleTime(config.Agent{IdleTimeout: &hour}); got != time.Hour {
		t.Errorf("1h: %s", got)
	}
}
