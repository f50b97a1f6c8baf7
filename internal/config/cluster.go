package config

import (
	"errors"
	"os"
)

// Cluster configures a node that shares a PostgreSQL store with other nodes.
type Cluster struct {
	NodeName            string   `toml:"node_name"`             // name of this node in lists and logs (unset: the host name)
	LeaseDuration       Duration `toml:"lease_duration"`        // how long a node may fail to renew its lease before it counts as dead; more than 0s
	NATSURL             string   `toml:"nats_url"`              // URLs of NATS servers, separated by commas; a server on another host needs TLS and credentials: tls://USER:PASSWORD@HOST:PORT (unset: nodes communicate through the store only; env BELLCORD_NATS)
	NATSCredentialsFile string   `toml:"nats_credentials_file"` // file with NATS credentials (unset: none)
	NATSCAFile          string   `toml:"nats_ca_file"`          // file with the CA certificates that sign the NATS servers' certificates (unset: the certificates of the system)
	NATSCertFile        string   `toml:"nats_cert_file"`        // file with this node's client certificate for NATS; needs nats_key_file (unset: none)
	NATSKeyFile         string   `toml:"nats_key_file"`         // file with the private key of nats_cert_file (unset: none)
	NATSSubjectPrefix   string   `toml:"nats_subject_prefix"`   // prefix of the NATS subjects; use a different one for each cluster on the same NATS servers
}

// Check returns an error for invalid settings. store is the URL of the store.
func (c Cluster) Check(store string) error {
	switch {
	case store != "" && c.LeaseDuration <= 0:
		return errors.New("cluster.lease_duration must be more than 0s")
	case c.NATSURL != "" && store == "":
		return errors.New("NATS needs a shared store: add --store-url postgres://…")
	case (c.NATSCertFile == "") != (c.NATSKeyFile == ""):
		return errors.New("cluster.nats_cert_file and cluster.nats_key_file must be set together")
	}
	return nil
}

// machine returns the host name, or "" if it cannot be determined.
func machine() string {
	name, _ := os.Hostname()
	return name
}
