package config

import (
	"errors"
	"os"
)

// Cluster is what nodes that share a store in PostgreSQL have besides.
type Cluster struct {
	Name  string   `toml:"name"`  // of this node, for people; the machine's where nothing is said
	Lease Duration `toml:"lease"` // after which a node that is not heard counts as dead; more than 0s
	NATS  string   `toml:"nats"`  // URLs with commas between them, on other hosts with TLS and credentials: tls://USER:PASSWORD@HOST:PORT; "" where the nodes have only the store
	Creds string   `toml:"creds"` // file with NATS credentials
	CA    string   `toml:"ca"`    // file with the certificates that NATS's must be signed by
	Cert  string   `toml:"cert"`  // file with our own, where NATS wants one
	Key   string   `toml:"key"`   // file with its key
	// Prefix of the subjects. Clusters that share NATS servers have different ones.
	Prefix string `toml:"prefix"`
}

// Check says what is wrong with it, for a store of the given URL.
func (c Cluster) Check(store string) error {
	switch {
	case store != "" && c.Lease <= 0:
		return errors.New("cluster.lease: a node needs a lease of more than 0s")
	case c.NATS != "" && store == "":
		return errors.New("NATS is for nodes that share a store: give --store postgres://…, too")
	case (c.Cert == "") != (c.Key == ""):
		return errors.New("a certificate for NATS and its key come together")
	}
	return nil
}

// machine is its name, "" where it has none.
func machine() string {
	name, _ := os.Hostname()
	return name
}
