package app

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/internal/telemetry/otlp"
)

// openTraces sends a trace of every turn to the endpoint in OpenTelemetry's
// variables. Without an endpoint it returns nil and a function that does nothing.
// agentOf returns the name of a session's agent; it may query the store.
//
// The returned function sends the remaining traces within its context. Call it after
// the hub is closed.
func openTraces(ctx context.Context, version string, logger *slog.Logger, agentOf func(bellcord.SessionID) string) (*telemetry.Traces, func(context.Context) error, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return nil, func(context.Context) error { return nil }, nil
	}
	sampler, err := turnSampler(os.Getenv("OTEL_TRACES_SAMPLER"), os.Getenv("OTEL_TRACES_SAMPLER_ARG"))
	if err != nil {
		return nil, nil, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "bellcord"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(),
		resource.WithFromEnv(), // overrides the others
	)
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	client, err := otlp.New(os.Getenv)
	if err != nil { // the variables may be meant for other programs
		logger.Warn("traces are not sent", "err", err)
		return nil, func(context.Context) error { return nil }, nil
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, nil, fmt.Errorf("set up the export of traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("opentelemetry reported an error", "err", err) }))
	options := []sdk.TracerProviderOption{
		sdk.WithBatcher(exporter), sdk.WithResource(about), sdk.WithIDGenerator(telemetry.IDs{}),
	}
	if sampler != nil {
		options = append(options, sdk.WithSampler(sampler))
	}
	provider := sdk.NewTracerProvider(options...)
	traces := telemetry.NewTraces(provider.Tracer("github.com/bellcord/bellcord", trace.WithInstrumentationVersion(version)), agentOf)
	return traces, func(ctx context.Context) error {
		return errors.Join(traces.Close(ctx), provider.Shutdown(ctx))
	}, nil
}

// turnSampler returns the sampler for a share of all turns if the environment selects
// one, and nil to leave the choice to the SDK.
func turnSampler(name, share string) (sdk.Sampler, error) {
	if name != "traceidratio" && name != "parentbased_traceidratio" || share == "" {
		return nil, nil
	}
	ratio, err := strconv.ParseFloat(share, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) {
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG: %q is not a number from 0 to 1", share)
	}
	return sdk.ParentBased(shareOfTurns{sdk.TraceIDRatioBased(ratio)}), nil
}

// shareOfTurns makes the SDK sample by the random part of a turn's id. Otherwise it
// would use bits that are the same in every UUID, and take all turns or none.
type shareOfTurns struct{ sdk.Sampler }

// ShouldSample implements sdk.Sampler.
func (s shareOfTurns) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	const variant = 2 // bits
	low := p.TraceID[8:]
	binary.BigEndian.PutUint64(low, binary.BigEndian.Uint64(low)<<variant)
	return s.Sampler.ShouldSample(p)
}
