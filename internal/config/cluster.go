package config

// Cluster is what nodes that share a store in PostgreSQL have besides.
type Cluster struct {
	Name  string   `toml:"name"`  // of this node, for people; the machine's where empty
	Lease Duration `toml:"lease"` // after which a node that is not heard counts as dead
	NATS  string   `toml:"nats"`  // URLs with commas between them; "" where the nodes have only the store
	Creds string   `toml:"creds"` // file with NATS credentials
	CA    string   `toml:"ca"`    // file with the certificates that NATS's must be signed by
	Cert  string   `toml:"cert"`  // file with our own, where NATS wants one
	Key   string   `toml:"key"`   // file with its key
	// Prefix of the subjects. Clusters that share NATS servers have different ones.
	Prefix string `toml:"prefix"`
}
