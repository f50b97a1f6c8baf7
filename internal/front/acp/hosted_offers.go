package acp

import (
	"encoding/json"

	"github.com/bellcord/bellcord/internal/acp"
)

// agentOffers is what a hosted agent offers and Bellcord cannot replace.
type agentOffers struct {
	AgentCapabilities struct {
		PromptCapabilities struct {
			Audio bool `json:"audio"`
		} `json:"promptCapabilities"`
	} `json:"agentCapabilities"`
	Meta struct {
		Steering struct {
			Supported bool `json:"supported"`
		} `json:"steering"`
	} `json:"_meta"`
}

// hostedOffers returns what the hosted agent offers; nothing before its initialize.
func (s *Server) hostedOffers() agentOffers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agentOffers
}

// noteOffers records what the agent's reply to initialize offers.
func (s *Server) noteOffers(reply json.RawMessage) {
	var offers agentOffers
	_ = acp.Decode(reply, &offers) // what is not readable is not offered
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agentOffers = offers
}
