package telemetry

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/bellcord/bellcord"
)

// Attributes of OpenTelemetry's conventions for generative AI.
const (
	operation      = attribute.Key("gen_ai.operation.name")
	providerName   = attribute.Key("gen_ai.provider.name")
	requestModel   = attribute.Key("gen_ai.request.model")
	inputTokens    = attribute.Key("gen_ai.usage.input_tokens")
	outputTokens   = attribute.Key("gen_ai.usage.output_tokens")
	conversationID = attribute.Key("gen_ai.conversation.id")
	agentName      = attribute.Key("gen_ai.agent.name")
	toolName       = attribute.Key("gen_ai.tool.name")
	toolCallID     = attribute.Key("gen_ai.tool.call.id")
	finishReasons  = attribute.Key("gen_ai.response.finish_reasons")
	errorType      = attribute.Key("error.type")
)

// The values of operation.
const (
	invokeAgent = "invoke_agent"
	chat        = "chat"
	executeTool = "execute_tool"
)

// Bellcord's attributes, for which there is no convention.
const (
	turnID           = attribute.Key("bellcord.turn.id")
	turnEnd          = attribute.Key("bellcord.end")
	stopKind         = attribute.Key("bellcord.stop.kind")
	stopBy           = attribute.Key("bellcord.stop.by")
	stopFrom         = attribute.Key("bellcord.stop.source")
	stopWhy          = attribute.Key("bellcord.stop.reason")
	stopMode         = attribute.Key("bellcord.stop.mode")
	survivorCount    = attribute.Key("bellcord.survivors")
	agentAbandoned   = attribute.Key("bellcord.abandoned")
	usageExact       = attribute.Key("bellcord.usage.exact")
	stepNumber       = attribute.Key("bellcord.step")
	asideFor         = attribute.Key("bellcord.side_request.purpose")
	callFate         = attribute.Key("bellcord.call.outcome")
	questionID       = attribute.Key("bellcord.question.id")
	questionAnswered = attribute.Key("bellcord.question.answered")
	retryAttempt     = attribute.Key("bellcord.retry.attempt")
	retryWait        = attribute.Key("bellcord.retry.wait_seconds")
)

// ofModel returns the attributes of a model and its provider, as far as the
// name contains them.
func ofModel(model string) []attribute.KeyValue {
	attrs := []attribute.KeyValue{operation.String(chat)}
	if model != "" {
		attrs = append(attrs, requestModel.String(model))
	}
	if provider, _, both := strings.Cut(model, "/"); both {
		attrs = append(attrs, providerName.String(provider))
	}
	return attrs
}

func ofUsage(u bellcord.Usage) []attribute.KeyValue {
	return []attribute.KeyValue{inputTokens.Int64(u.InputTokens), outputTokens.Int64(u.OutputTokens), usageExact.Bool(u.Exact)}
}

func ofCause(c bellcord.Cause) []attribute.KeyValue {
	attrs := []attribute.KeyValue{stopKind.String(string(c.Kind))}
	for key, value := range map[attribute.Key]string{stopBy: c.By, stopFrom: c.Source, stopWhy: c.Reason, stopMode: string(c.Mode)} {
		if value != "" {
			attrs = append(attrs, key.String(value))
		}
	}
	return attrs
}

func ofCall(id, name string) []attribute.KeyValue {
	return []attribute.KeyValue{operation.String(executeTool), toolName.String(name), toolCallID.String(id)}
}
