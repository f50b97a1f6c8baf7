package config_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestClusterCheck_NATSWithoutASharedStore_IsAnError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		cluster config.Cluster
		store   string
		good    bool
	}{
		{"nothing", config.Cluster{}, "", true},
		{"a store alone", config.Cluster{LeaseDuration: 1}, "postgres://x", true},
		{"a lease of nothing", config.Cluster{}, "postgres://x", false},
		{"both", config.Cluster{LeaseDuration: 1, NATSURL: "nats://x"}, "postgres://x", true},
		{"NATS alone", config.Cluster{LeaseDuration: 1, NATSURL: "nats://x"}, "", false},
		{"a certificate without its key", config.Cluster{LeaseDuration: 1, NATSURL: "nats://x", NATSCertFile: "c"}, "postgres://x", false},
		{"a key without its certificate", config.Cluster{LeaseDuration: 1, NATSURL: "nats://x", NATSKeyFile: "k"}, "postgres://x", false},
	} {
		if err := test.cluster.Check(test.store); (err == nil) != test.good {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
