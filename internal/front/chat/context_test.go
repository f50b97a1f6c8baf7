package chat_test

import (
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func thousand(string) int64 { return 1000 }

func TestContext_Steps_ShowHowFullItIs(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Window: thousand}).runs("go").happens(bellcord.StepStarted{Model: "openai/fake", EstimatedInput: 200})
	s.has("ctx 20%")
	s.happens(bellcord.StepEnded{Usage: &bellcord.Usage{InputTokens: 240, OutputTokens: 70}})
	s.has("ctx 31%")
	s.ends(bellcord.Receipt{End: bellcord.EndDone}).has("● done", "ctx 31%")
	s.happens(bellcord.ConversationCompacted{Summary: "short"}).hasNot("ctx")
}

func TestContext_HostedAgent_ShowsItsReport(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	s.happens(bellcord.UsageReported{Context: &bellcord.ContextUse{UsedTokens: 5000, SizeTokens: 20000}})
	s.has("ctx 25%")
}

func TestContext_SizeUnknown_IsNotShown(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Window: func(string) int64 { return 0 }}).runs("go")
	s.happens(bellcord.StepStarted{Model: "openai/fake", EstimatedInput: 200}).hasNot("ctx")
}
