package api

// AgentOption is a setting of a hosted agent with a fixed set of values.
type AgentOption struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Category string        `json:"category,omitempty" doc:"such as model, mode or thought_level"`
	Value    string        `json:"value"`
	Choices  []AgentChoice `json:"choices" nullable:"false"`
}

// AgentChoice is a value of an option.
type AgentChoice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

// AgentOptions lists the settings of a session's hosted agent.
type AgentOptions struct {
	Options []AgentOption `json:"options" nullable:"false" doc:"empty if the session has no hosted agent, or if the agent is not running or has no settings"`
}

// OptionChange is the body of PATCH /v1/sessions/{session}/options/{option}.
type OptionChange struct {
	Value string `json:"value" minLength:"1" maxLength:"500" doc:"one of the option's choices"`
}
