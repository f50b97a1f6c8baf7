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
		{"a store alone", config.Cluster{Lease: 1}, "postgres://x", true},
		{"a lease of nothing", config.Cluster{}, "postgres://x", false},
		{"both", config.Cluster{Lease: 1, NATS: "nats://x"}, "postgres://x", true},
		{"NATS alone", config.Cluster{Lease: 1, NATS: "nats://x"}, "", false},
		{"a certificate without its key", config.Cluster{Lease: 1, NATS: "nats://x", Cert: "c"}, "postgres://x", false},
		{"a key without its certificate", config.Cluster{Lease: 1, NATS: "nats://x", Key: "k"}, "postgres://x", false},
	} {
		if err := test.cluster.Check(test.store); (err == nil) != test.good {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
