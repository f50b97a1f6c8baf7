package pi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Initialize implements child.Controller. Pi reports neither its name nor its
// version. Steering requires that a message that comes too late can be taken
// back, with clear_queue.
func (s *speaker) Initialize(ctx context.Context) (json.RawMessage, error) {
	if err := s.shakeHands(ctx); err != nil {
		return nil, err
	}
	reply := map[string]any{
		"protocolVersion": acp.Version,
		"agentCapabilities": map[string]any{
			"loadSession":         true,
			"promptCapabilities":  acp.PromptCapabilities{Image: true},
			"sessionCapabilities": map[string]any{"fork": struct{}{}},
		},
	}
	if s.clears {
		reply["_meta"] = map[string]any{"steering": map[string]any{"supported": true}}
	}
	return acp.Encode(reply), nil
}

// Request implements child.Controller.
func (s *speaker) Request(ctx context.Context, method string, params json.RawMessage, inSession bool) (json.RawMessage, error) {
	if err := s.shakeHands(ctx); err != nil {
		return nil, err
	}
	switch {
	case !inSession:
	case method == acp.MethodSetConfigOption:
		return s.setOption(ctx, params)
	case method == acp.UnstableForkSession:
		return s.fork(ctx)
	case method == acp.UnstableSteering && s.clears:
		return s.steer(ctx, params)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "pi has no " + method}
}

// Notify implements child.Controller. Pi has no notifications.
func (s *speaker) Notify(string, json.RawMessage, bool) {}

// setOption changes the model or the thinking level. Pi uses it from the next
// model request on, also during a run.
func (s *speaker) setOption(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p acp.SetSessionConfigOptionRequest
	if err := acp.Decode(params, &p); err != nil {
		return nil, invalid("set_config_option: %v", err)
	}
	var err error
	switch p.ConfigID {
	case modelOption:
		m, known := s.settings.findModel(p.Value)
		if !known {
			return nil, invalid("pi has no model %q", p.Value)
		}
		err = s.setModel(ctx, m)
	case levelOption:
		if !s.settings.hasLevel(p.Value) { // pi would use another level
			return nil, invalid("the model has no thinking level %q", p.Value)
		}
		err = s.setLevel(ctx, p.Value)
	default:
		return nil, invalid("pi has no option %q", p.ConfigID)
	}
	if err == nil {
		_, err = s.readModel(ctx) // another model has other levels
	}
	if err != nil {
		return nil, fmt.Errorf("setting pi's %s: %w", p.ConfigID, err)
	}
	s.settings.mu.Lock()
	defer s.settings.mu.Unlock()
	return acp.Encode(acp.SetSessionConfigOptionResponse{ConfigOptions: s.settings.options()}), nil
}

func (s *speaker) setModel(ctx context.Context, m model) error {
	_, err := s.request(ctx, "set_model", map[string]any{"provider": m.Provider, "modelId": m.ID})
	return err
}

func (s *speaker) setLevel(ctx context.Context, level string) error {
	_, err := s.request(ctx, "set_thinking_level", map[string]any{"level": level})
	return err
}

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf(format, args...)}
}
