package commitlog

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
)

// fixed is the size of a body without its texts.
const fixed = 64

// sizeOf returns about how many bytes of memory a body holds. The limits of a
// journal count them. Bodies that are rare or deep are measured by their JSON.
func sizeOf(b bellcord.Body) int {
	switch b := b.(type) {
	case bellcord.TextDelta:
		return fixed + len(b.Text) + len(b.Meta)
	case bellcord.ThinkingDelta:
		return fixed + len(b.Text) + len(b.Meta)
	case bellcord.ToolOutputDelta:
		return fixed + len(b.Text)
	case bellcord.PromptEdited:
		return fixed + len(b.Text)
	case bellcord.ContextAdded:
		return fixed + len(b.Text)
	case bellcord.AttachmentLoaded:
		return fixed + len(b.Text)
	case bellcord.ConversationCompacted:
		return fixed + len(b.Summary)
	case bellcord.ThinkingSigned:
		return fixed + len(b.Signature)
	case bellcord.AgentUpdate:
		return fixed + len(b.Update)
	case bellcord.CustomEvent:
		return fixed + len(b.Data)
	case bellcord.StepEnded:
		return fixed + len(b.AgentReply)
	case bellcord.ModelRetryScheduled:
		return fixed + len(b.Reason)
	case bellcord.ToolCallEnded:
		return fixed + len(b.Result) + len(b.RawOutput) + sizeOfImages(b.Images)
	case bellcord.TurnAccepted:
		return fixed + b.TextSize() + sizeOfImages(b.Images) + sizeOfBlocks(b.Blocks)
	case bellcord.ToolCallRequested, bellcord.ToolCallUpdated, bellcord.PlanUpdated, bellcord.TurnEnded, bellcord.MessageImported,
		bellcord.QuestionOpened, bellcord.QuestionAnswered, bellcord.AnswerForwarded, bellcord.ChangesRecorded, bellcord.ProcessesRecovered, bellcord.Undone, bellcord.SessionUpdated:
		return fixed + sizeOfJSON(b)
	}
	return 2 * fixed
}

// sizeOfJSON returns the length of the JSON of a body, or 0 if it has none: the
// store rejects such a body.
func sizeOfJSON(b bellcord.Body) int {
	text, err := json.Marshal(b)
	if err != nil {
		return 0
	}
	return len(text)
}

func sizeOfImages(images []bellcord.Image) int {
	size := 0
	for _, image := range images {
		size += len(image.Data)
	}
	return size
}

func sizeOfBlocks(blocks []bellcord.Block) int {
	size := 0
	for _, block := range blocks {
		size += len(block.Text) + len(block.Content) + len(block.Meta)
	}
	return size
}
