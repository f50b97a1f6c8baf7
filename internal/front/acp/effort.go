package acp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// effortID is the id of the option for the reasoning effort.
const effortID = "effort"

// efforts returns the reasoning efforts that a session can choose, or nil if the
// API of its model has none.
func (s *Server) efforts(v bellcord.Session) []string {
	known := s.config.Load().Efforts
	if known == nil || v.Agent != "" {
		return nil
	}
	levels := known(v.Model)
	if len(levels) == 0 {
		return nil
	}
	return append([]string{bellcord.DefaultEffort}, levels...)
}

// effortOption returns the option for the reasoning effort, or nothing.
func (s *Server) effortOption(v bellcord.Session) []acp.SessionConfigOption {
	levels := s.efforts(v)
	if levels == nil {
		return nil
	}
	current := cmp.Or(v.Effort, bellcord.DefaultEffort)
	if !slices.Contains(levels, current) { // of another program, or of the model before
		levels = append(levels, current)
	}
	choices := make([]acp.SessionConfigSelectOption, len(levels))
	for i, level := range levels {
		choices[i] = acp.SessionConfigSelectOption{Value: level, Name: strings.ToUpper(level[:1]) + level[1:]}
	}
	choices[0].Description = "As configured, or as the model decides"
	return []acp.SessionConfigOption{{
		ID: effortID, Name: "Effort", Category: "thought_level", Type: "select", CurrentValue: current, Options: choices,
	}}
}
