package gemini

import "encoding/json"

// chunk is one event of a stream, with the fields that are used.
type chunk struct {
	Candidates []candidate `json:"candidates"`
	Feedback   struct {
		Blocked string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage usage `json:"usageMetadata"`
	Error any   `json:"error"` // if set, the other fields are empty
}

type candidate struct {
	Content struct {
		Parts []answerPart `json:"parts"`
	} `json:"content"`
	Finish string `json:"finishReason"`
	Words  string `json:"finishMessage"` // explains an abnormal finish
}

// answerPart is a part of an answer. A part always arrives whole.
type answerPart struct {
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

// The finish reasons that are handled.
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
	reasonContinuation           = "CONTINUATION" // the rest would need another request
)
