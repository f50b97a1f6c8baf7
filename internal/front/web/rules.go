package web

import (
	"context"

	"github.com/bellcord/bellcord"
)

// rules decides which agent, model and mode a session may have.
type rules struct {
	agent                  string // of new sessions; for checks of the mode alone
	ceiling                func(mode, agent string) error
	checkModel, checkAgent func(name string) error
}

// mayChoose refuses a mode or an agent that only an admin may choose.
func (r rules) mayChoose(ctx context.Context, mode, agent string) error {
	if caller(ctx).May(bellcord.ScopeAdmin) {
		return nil
	}
	if err := r.ceiling(mode, agent); err != nil {
		return errCeiling{err}
	}
	return nil
}

// checkNames checks that the agent or the model exists.
func (r rules) checkNames(agent, model string) error {
	var err error
	switch {
	case agent != "" && r.checkAgent != nil:
		err = r.checkAgent(agent)
	case agent == "" && r.checkModel != nil:
		err = r.checkModel(model)
	}
	if err != nil {
		return errInput{err.Error()}
	}
	return nil
}
