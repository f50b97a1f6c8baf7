package main

import (
	"io"
	"os"

	"github.com/bellcord/bellcord/internal/secret"
)

// secretSet contains the secrets that this process is configured with. They are added when the
// configuration is loaded, and are redacted wherever a failure becomes an event, a log line, an
// answer or a line on a screen.
var secretSet = &secret.Set{}

// stderr is where logs and errors go.
var stderr io.Writer = secretSet.Writer(os.Stderr)
