package react

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

const planDescription = "Show the user your plan, or its progress. Use it for work with several steps, not for work that takes one or two. " +
	"plan is the whole plan, which replaces the earlier one: each step is a short text with a status, and at most one is in_progress. " +
	"Mark a step as completed as soon as it is done. explanation is the reason of a change of the plan. Do not repeat the plan in your answer."

const planSchema = `{"type":"object","required":["plan"],"additionalProperties":false,"properties":{` +
	`"explanation":{"type":"string"},"plan":{"type":"array","maxItems":50,"items":{"type":"object","required":["step","status"],"additionalProperties":false,` +
	`"properties":{"step":{"type":"string"},"status":{"type":"string","enum":["pending","in_progress","completed"]}}}}}}`

const (
	mostPlanned     = 50  // steps of a plan
	mostPlannedStep = 500 // bytes of a step
)

type planArgs struct {
	Explanation string `json:"explanation"`
	Plan        []struct {
		Step   string `json:"step"`
		Status string `json:"status"`
	} `json:"plan"`
}

var planStatuses = []string{"pending", "in_progress", "completed"}

// planTool returns the tool that records the model's plan. Fronts show the
// event. It changes nothing else, so it runs in every mode.
func (j *job) planTool() tool.Tool {
	return tool.Tool{
		Tool: llm.Tool{Name: "update_plan", Description: planDescription, Schema: json.RawMessage(planSchema)},
		Check: func(args json.RawMessage) error {
			_, err := parsePlan(args)
			return err
		},
		Run: func(_ context.Context, call tool.Call) tool.Result {
			plan, err := parsePlan(call.Args)
			if err != nil { // checked before
				return tool.Result{Text: "error: " + err.Error(), Failed: true, Fate: bellcord.CallFinished}
			}
			if err := j.w.Emit(plan); err != nil { // the turn was stopped
				return tool.Result{Text: history.ResultText(bellcord.CallStopped, ""), Fate: bellcord.CallStopped}
			}
			return tool.Result{Text: "the user sees the plan", Fate: bellcord.CallFinished}
		},
	}
}

func parsePlan(args json.RawMessage) (bellcord.PlanUpdated, error) {
	var a planArgs
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return bellcord.PlanUpdated{}, fmt.Errorf("arguments: %w; use explanation and plan, a list of objects with step and status", err)
	}
	if len(a.Plan) == 0 || len(a.Plan) > mostPlanned {
		return bellcord.PlanUpdated{}, fmt.Errorf("arguments: plan must have 1 to %d steps, and has %d", mostPlanned, len(a.Plan))
	}
	plan, current := bellcord.PlanUpdated{}, 0
	for i, s := range a.Plan {
		switch text := strings.TrimSpace(s.Step); {
		case text == "":
			return plan, fmt.Errorf("arguments: step is missing in entry %d", i+1)
		case len(text) > mostPlannedStep:
			return plan, fmt.Errorf("arguments: step %d is longer than %d bytes", i+1, mostPlannedStep)
		case !slices.Contains(planStatuses, s.Status):
			return plan, fmt.Errorf("arguments: the status of step %d is %q; use %s", i+1, s.Status, strings.Join(planStatuses, ", "))
		case s.Status == "in_progress":
			current++
		}
		plan.Entries = append(plan.Entries, bellcord.PlanEntry{Text: strings.TrimSpace(s.Step), Status: s.Status})
	}
	if current > 1 {
		return plan, errors.New("arguments: more than one step is in_progress; choose one and mark the others as pending")
	}
	return plan, nil
}
