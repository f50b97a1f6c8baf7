package backend

import (
	"errors"
	"net/http"
	"os/user"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/client"
)

// noSession reports whether an error means that a session does not exist.
func noSession(err error) bool {
	return errors.Is(err, bellcord.ErrNoSession) || refused(err, http.StatusNotFound, http.StatusBadRequest, http.StatusUnprocessableEntity)
}

// mayNotRead reports whether an error means that the token does not have the
// scope to read.
func mayNotRead(err error) bool { return refused(err, http.StatusForbidden) }

// refused reports whether a server answered with one of the HTTP statuses.
func refused(err error, statuses ...int) bool {
	var p *client.Problem
	if !errors.As(err, &p) {
		return false
	}
	for _, s := range statuses {
		if p.Status == s {
			return true
		}
	}
	return false
}

func currentUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown user"
}
