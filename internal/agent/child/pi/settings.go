package pi

import (
	"context"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// settings are the settings of pi's session, as pi last reported them.
type settings struct {
	mu       sync.Mutex
	client   child.Client // nil if no client shows the settings
	complete bool         // all settings were read
	away     bool         // pi is in a fork for a moment: its reports are about another session
	models   []model
	levels   []string // thinking levels of the model; nil if this version does not report them
	commands []acp.AvailableCommand
	model    model
	level    string
	used     *bellcord.ContextUse // nil if this version does not report it
}

// Options of pi's session.
const (
	modelOption = "model"
	levelOption = "thinking_level"
)

// readSettings reads all settings and returns pi's state. A version that lacks a
// command lacks these settings.
func (s *speaker) readSettings(ctx context.Context) (state, error) {
	for _, command := range []string{"get_available_models", "get_commands", "get_session_stats"} {
		if _, err := s.request(ctx, command, nil); err != nil && !refused(err) {
			return state{}, err
		}
	}
	now, err := s.readModel(ctx)
	if err == nil {
		s.settings.announce()
	}
	return now, err
}

// readModel reads the current model, its thinking levels, and the current one.
func (s *speaker) readModel(ctx context.Context) (state, error) {
	if _, err := s.request(ctx, "get_available_thinking_levels", nil); err != nil && !refused(err) {
		return state{}, err
	}
	return s.state(ctx)
}

// announce sends the options to the client, and from now on their changes.
func (c *settings) announce() {
	c.mu.Lock()
	c.complete = true
	client, options := c.client, c.options()
	c.mu.Unlock()
	if client != nil {
		client.Update(acp.Encode(acp.SessionUpdate{Value: acp.ConfigOptionUpdate{ConfigOptions: options}}))
	}
}

// observe stores what a record reports, and announces a change of the model or
// the thinking level.
func (c *settings) observe(r record) {
	c.mu.Lock()
	changed := !c.away && c.apply(r) && c.complete
	c.mu.Unlock()
	if changed {
		c.announce()
	}
}

// apply stores what a record reports. It reports whether the model or the
// thinking level has changed. The caller holds mu.
func (c *settings) apply(r record) bool {
	before, levelBefore := c.model, c.level
	switch {
	case r.Type == "thinking_level_changed":
		c.level = r.Level
	case r.Type != "response" || !r.Success:
		return false
	case r.Command == "get_state":
		now := stateOf(r.Data)
		c.model, c.level = now.Model, now.ThinkingLevel
	case r.Command == "get_available_models":
		c.models = dataOf[struct{ Models []model }](r.Data).Models
	case r.Command == "get_available_thinking_levels":
		c.levels = dataOf[struct{ Levels []string }](r.Data).Levels
	case r.Command == "get_commands":
		c.commands = dataOf[struct{ Commands []acp.AvailableCommand }](r.Data).Commands
	case r.Command == "get_session_stats":
		c.used = contextUse(r.Data)
	}
	return c.model != before || c.level != levelBefore
}

// options returns the settings as options of ACP. The caller holds mu.
func (c *settings) options() []acp.SessionConfigOption {
	all := []acp.SessionConfigOption{}
	if len(c.models) > 0 {
		all = append(all, choice(modelOption, "Model", "model", c.model.name(), modelChoices(c.models)))
	}
	if len(c.levels) > 0 {
		all = append(all, choice(levelOption, "Thinking level", "thought_level", c.level, levelChoices(c.levels)))
	}
	return all
}

func choice(id, name, category, current string, values []acp.SessionConfigSelectOption) acp.SessionConfigOption {
	if !slices.ContainsFunc(values, func(v acp.SessionConfigSelectOption) bool { return v.Value == current }) && current != "" {
		values = append(values, acp.SessionConfigSelectOption{Value: current, Name: current}) // as of the command line, for example
	}
	return acp.SessionConfigOption{ID: id, Name: name, Category: category, Type: "select", CurrentValue: current, Options: values}
}

func modelChoices(models []model) []acp.SessionConfigSelectOption {
	var all []acp.SessionConfigSelectOption
	for _, m := range models {
		value := acp.SessionConfigSelectOption{Value: m.name(), Name: m.Name, Description: m.name()}
		if value.Name == "" {
			value.Name, value.Description = m.ID, m.Provider
		}
		all = append(all, value)
	}
	return all
}

func levelChoices(levels []string) []acp.SessionConfigSelectOption {
	var all []acp.SessionConfigSelectOption
	for _, level := range levels {
		all = append(all, acp.SessionConfigSelectOption{Value: level, Name: level})
	}
	return all
}

// Settings implements child.Controller.
func (s *speaker) Settings() child.Settings {
	c := &s.settings
	c.mu.Lock()
	defer c.mu.Unlock()
	now := child.Settings{Reply: acp.Encode(acp.LoadSessionResponse{ConfigOptions: c.options()})}
	if c.commands != nil {
		now.Updates = append(now.Updates, acp.Encode(acp.SessionUpdate{Value: acp.AvailableCommandsUpdate{AvailableCommands: c.commands}}))
	}
	if c.used != nil {
		update := acp.UsageUpdate{Used: c.used.UsedTokens, Size: c.used.SizeTokens}
		if c.used.Cost != nil {
			update.Cost = acp.Cost(*c.used.Cost)
		}
		now.Updates = append(now.Updates, acp.Encode(acp.SessionUpdate{Value: update}))
	}
	return now
}

// Connect implements child.Controller.
func (s *speaker) Connect(c child.Client) {
	s.settings.mu.Lock()
	s.settings.client = c
	s.settings.mu.Unlock()
}

// setAway sets whether pi is in another session for a moment.
func (c *settings) setAway(away bool) {
	c.mu.Lock()
	c.away = away
	c.mu.Unlock()
}

// findModel returns the model with a name, and whether pi has it.
func (c *settings) findModel(name string) (model, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.models, func(m model) bool { return m.name() == name })
	if i < 0 {
		return model{}, false
	}
	return c.models[i], true
}

func (c *settings) hasLevel(level string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.levels, level)
}

// measures reports whether pi reports how full its context is.
func (c *settings) measures() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used != nil
}
