package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// TurnPath is the path parameter of a turn. It is exported for the same reason
// as SessionPath.
type TurnPath struct {
	Turn string `path:"turn" doc:"id of a turn"`
}

type (
	oneTurn  struct{ Body api.Turn }
	madeTurn struct {
		Status   int
		Location string `header:"Location"`
		Body     api.Turn
	}
	newTurn struct {
		SessionPath
		Key  string `header:"Idempotency-Key" maxLength:"255" doc:"a repeated request with the same key returns the same turn"`
		Body api.NewTurn
	}
)

func (s *Server) turnRoutes() {
	prompt := route(http.MethodPost, "/v1/sessions/{session}/turns", "create-turn", "Send a prompt: the turn is recorded before this returns, and can be stopped from then on (with your own id: even before)", bellcord.ScopePrompt)
	prompt.DefaultStatus = http.StatusAccepted
	prompt.MaxBodyBytes = mostPrompt
	huma.Register(s.api, prompt, s.prompt)
	huma.Register(s.api, route(http.MethodGet, "/v1/turns", "list-turns", "List your turns that have not ended", bellcord.ScopeRead), s.listTurns)
	huma.Register(s.api, route(http.MethodGet, "/v1/turns/{turn}", "get-turn", "Get a turn; with ?wait=, once it has ended or that time has passed", bellcord.ScopeRead), s.getTurn)
	huma.Register(s.api, route(http.MethodGet, "/v1/receipts", "list-receipts", "List the receipts of your ended turns, the last accepted first", bellcord.ScopeRead), s.receipts)
}

func (s *Server) prompt(ctx context.Context, in *newTurn) (*madeTurn, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	p, err := s.parse(ctx, found, in)
	if err != nil {
		return nil, s.fail(err)
	}
	if s.overloaded() {
		return nil, s.fail(errOverloaded)
	}
	if err := s.mayUse(caller(ctx), found); err != nil {
		return nil, s.fail(err)
	}
	turn, err := s.Hub.Accept(ctx, found.ID, p)
	switch {
	case errors.Is(err, bellcord.ErrTurnExists):
		return s.repeated(ctx, found.ID, p, in.Key)
	case err != nil:
		return nil, s.fail(err)
	}
	if p.OnDisconnect == bellcord.StopOnDisconnect {
		s.watched.bind(found.ID, turn)
	}
	return s.made(ctx, http.StatusAccepted, turn)
}

func (s *Server) made(ctx context.Context, status int, id bellcord.TurnID) (*madeTurn, error) {
	r, err := s.Hub.Turn(ctx, id)
	if err != nil {
		return nil, s.fail(err)
	}
	return &madeTurn{status, "/v1/turns/" + string(id), s.outline(ctx, r)}, nil
}

// outline returns the turn as the caller may see it: its content requires the
// read scope.
func (s *Server) outline(ctx context.Context, r store.TurnRecord) api.Turn {
	t := s.turn(r)
	if !caller(ctx).May(bellcord.ScopeRead) {
		return api.Turn{ID: t.ID, Session: t.Session, State: t.State, Held: t.Held, Accepted: t.Accepted, FirstSeq: t.FirstSeq}
	}
	return t
}

// repeated responds to a prompt with an existing turn ID: the same prompt
// returns the existing turn, a different one is an error.
func (s *Server) repeated(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt, key string) (*madeTurn, error) {
	r, err := s.record(ctx, string(p.Turn))
	differs := r.Session != session || r.Prompt.Text != p.Text || r.Prompt.Task != p.Task
	switch {
	case errors.Is(err, bellcord.ErrNoTurn): // another owner's turn: reveal only that the ID is taken
		err = bellcord.ErrTurnExists
	case err == nil && differs && key != "":
		err = errKeyUsed
	case err == nil && differs:
		err = bellcord.ErrTurnExists
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return s.made(ctx, http.StatusOK, r.ID)
}

// parse returns the prompt of a request, within the server's limits.
func (s *Server) parse(ctx context.Context, session bellcord.Session, in *newTurn) (bellcord.Prompt, error) {
	p, body := s.Prompt, in.Body
	p.Task = bellcord.Task(body.Task)
	text, err := taskText(p.Task, body.Text, session)
	if err != nil {
		return p, err
	}
	p.Text, p.Images, p.Files, p.Links = text, body.Images, body.Files, body.Links
	if i := slices.IndexFunc(p.Files, func(f bellcord.File) bool { return strings.ContainsFunc(f.Name, unicode.IsControl) }); i >= 0 {
		return p, badInput("files: the name of file %d contains control characters", i+1)
	}
	p.WhenBusy, p.OnDisconnect = bellcord.BusyPolicy(body.WhenBusy), bellcord.OnDisconnect(body.OnDisconnect)
	switch {
	case body.ID != "":
		id, err := bellcord.ParseTurnID(body.ID)
		if err != nil {
			return p, badInput("id: %v", err)
		}
		p.Turn = id
	case in.Key != "":
		p.Turn = bellcord.TurnID(keyed(ctx, "turn "+string(session.ID), in.Key))
	}
	if body.Deadline != "" {
		d, err := time.ParseDuration(body.Deadline)
		if err != nil || d <= 0 {
			return p, badInput("deadline %q: must be a positive duration, such as 90s", body.Deadline)
		}
		p.Deadline = tighter(p.Deadline, d)
	}
	p.MaxSteps = tighter(p.MaxSteps, body.MaxSteps)
	p.MaxTokens = tighter(p.MaxTokens, body.Budget.MaxTokens)
	p.MaxCostNanoUSD = tighter(p.MaxCostNanoUSD, int64(body.Budget.MaxCostUSD*1e9))
	return p, nil
}

// tighter returns the smaller of two limits; 0 means no limit.
func tighter[N int | int64 | time.Duration](configured, requested N) N {
	if configured == 0 || requested != 0 && requested < configured {
		return requested
	}
	return configured
}

func (s *Server) listTurns(ctx context.Context, _ *struct{}) (*struct{ Body api.Turns }, error) {
	unended, err := s.Hub.UnendedTurns(ctx, "")
	if err != nil {
		return nil, s.fail(err)
	}
	var visible []store.TurnRecord
	reach := caller(ctx).Reach()
	owners := map[bellcord.SessionID]string{}
	for _, r := range unended {
		owner, known := owners[r.Session]
		if !known && reach != "" {
			of, err := s.Hub.Session(ctx, r.Session)
			if errors.Is(err, bellcord.ErrNoSession) {
				continue
			} else if err != nil {
				return nil, s.fail(err)
			}
			owner, owners[r.Session] = of.Owner, of.Owner
		}
		if reach == "" || owner == reach {
			visible = append(visible, r)
		}
	}
	return &struct{ Body api.Turns }{api.Turns{Turns: s.turns(visible)}}, nil
}

func (s *Server) getTurn(ctx context.Context, in *struct {
	TurnPath
	Wait    string `query:"wait" doc:"how long to wait for the end of the turn, such as 30s; maximum 60s"`
	Include string `query:"include" enum:"answer" doc:"answer: add the agent's text and tool calls, as one value"`
},
) (*oneTurn, error) {
	r, err := s.record(ctx, in.Turn)
	if err != nil {
		return nil, s.fail(err)
	}
	wait, err := waiting(in.Wait, 0)
	if err != nil {
		return nil, s.fail(err)
	}
	if wait > 0 && r.State != bellcord.StateEnded {
		bounded, done := context.WithTimeout(ctx, wait)
		defer done()
		if err := s.Hub.Await(bounded, r.ID); err != nil && bounded.Err() == nil {
			return nil, s.fail(err)
		}
		if r, err = s.Hub.Turn(context.WithoutCancel(ctx), r.ID); err != nil {
			return nil, s.fail(err)
		}
	}
	view := s.turn(r)
	if in.Include == "answer" {
		answer, err := s.Hub.TurnAnswer(ctx, r.ID)
		if err != nil {
			return nil, s.fail(err)
		}
		view.Answer = &answer
	}
	return &oneTurn{view}, nil
}
