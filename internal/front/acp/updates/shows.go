package updates

import (
	"encoding/json"

	"github.com/bellcord/bellcord/internal/acp"
)

// Shows is what a client can show in addition to the basic updates.
type Shows struct {
	Terminals  bool // output of terminals that only display, in _meta
	Notices    bool
	Compaction bool
}

// ReadShows reads what a client can show from the parameters of initialize.
func ReadShows(params json.RawMessage) Shows {
	var p struct {
		Capabilities struct {
			Session struct {
				Notices    acp.Supported `json:"notices"`
				Compaction acp.Supported `json:"compaction"`
			} `json:"session"`
			Meta struct {
				Terminals bool `json:"terminal_output"`
			} `json:"_meta"`
		} `json:"clientCapabilities"`
	}
	_ = acp.Decode(params, &p) // initialize has decoded them
	can := p.Capabilities
	return Shows{Terminals: can.Meta.Terminals, Notices: bool(can.Session.Notices), Compaction: bool(can.Session.Compaction)}
}
