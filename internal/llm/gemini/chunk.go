package gemini

import "encoding/json"

// chunk is what one event tells, as far as anything is made of it.
type chunk struct {
	Candidates []candidate `json:"candidates"`
	Feedback   struct {
		Blocked string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage usage `json:"usageMetadata"`
	Error any   `json:"error"` // told instead of all else
}

type candidate struct {
	Content struct {
		Parts []spoken `json:"parts"`
	} `json:"content"`
	Finish string `json:"finishReason"`
	Words  string `json:"finishMessage"` // on the finish, where it was not a good one
}

// spoken is a part of an answer, which always comes whole.
type spoken struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"` // as the model wrote them
	} `json:"functionCall"`
	Signature string `json:"thoughtSignature"`
}

type usage struct {
	Prompt   int64 `json:"promptTokenCount"`
	ToolUse  int64 `json:"toolUsePromptTokenCount"`
	Cached   int64 `json:"cachedContentTokenCount"`
	Answer   int64 `json:"candidatesTokenCount"`
	Thoughts int64 `json:"thoughtsTokenCount"`
}

// The finish reasons that something is decided on.
const (
	reasonNone                   = "FINISH_REASON_UNSPECIFIED"
	reasonStop                   = "STOP"
	reasonMaxTokens              = "MAX_TOKENS"
	reasonSafety                 = "SAFETY"
	reasonRecitation             = "RECITATION"
	reasonLanguage               = "LANGUAGE"
	reasonBlocklist              = "BLOCKLIST"
	reasonProhibitedContent      = "PROHIBITED_CONTENT"
	reasonPersonalData           = "SPII"
	reasonImageSafety            = "IMAGE_SAFETY"
	reasonImageProhibitedContent = "IMAGE_PROHIBITED_CONTENT"
	reasonImageRecitation        = "IMAGE_RECITATION"
	reasonContinuation           = "CONTINUATION" // the rest is to be asked for
)
