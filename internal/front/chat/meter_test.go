package chat_test

import (
	"testing"

	"github.com/bellcord/bellcord"
)

func TestMeter_ReportBelowTheEstimate_DoesNotDecrease(t *testing.T) {
	t.Parallel()
	price := &bellcord.Price{Input: 1e6}
	s := newStage(t).runs("go").happens(bellcord.StepStarted{EstimatedInput: 900, Price: price})
	s.has("900 tok", "$0.90")
	s.happens(bellcord.UsageReported{Usage: bellcord.Usage{InputTokens: 400}})
	s.has("900 tok", "$0.90")
	s.happens(bellcord.StepEnded{Usage: &bellcord.Usage{InputTokens: 400, OutputTokens: 50}})
	s.has("900 tok", "$0.90")
	s.happens(bellcord.StepStarted{EstimatedInput: 500, Price: price})
	s.has("950 tok", "$0.90")
	s.happens(bellcord.StepEnded{Usage: &bellcord.Usage{InputTokens: 600}})
	s.has("1.1k tok", "$1.00")
}

func TestMeter_ManySmallParts_CountAsTheirWhole(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(bellcord.StepStarted{EstimatedInput: 100})
	for range 40 {
		s.happens(bellcord.TextDelta{Text: "a"})
	}
	s.has("~110 tok")
}
