// Package server runs an App for several people: it owns the listeners, the web
// and Telegram fronts, their limits, and the order of a shutdown.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/acpnet"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/store"
)

// Server serves one App: over TCP, over the socket in the data directory, and in
// Telegram if a bot is configured.
type Server struct {
	app      *app.App
	settings config.Config
	version  string
	logger   *slog.Logger
	web      *web.Server
	acp      *acpnet.Server
	door     *auth.Door
	tcp      net.Listener
	socket   net.Listener // nil on a system without UNIX sockets
	telegram *telegramBot // nil if no bot is configured
	push     *push.Notifier

	connections *connections // of tcp and socket together; nil for no limit
}

// Open opens the App and the listeners; Run serves requests. On the first
// start it creates a token with all scopes.
func Open(ctx context.Context, c app.Config) (*Server, error) {
	s := &Server{settings: c.Settings, version: c.Version, logger: c.Logger, connections: newConnections(descriptors(), c.Logger)}
	registry := telemetry.NewRegistry()
	// Metrics are only requested over the listeners, which open last: app is
	// set by then.
	metrics := telemetry.NewMetrics(registry, func() hub.Stats { return s.app.Hub.Stats() })
	serve := c.Settings.Serve
	s.push = push.New(push.Config{Logger: c.Logger})
	c.Watch = func(commit store.Commit) { metrics.Watch(commit); s.push.Watch(commit) }
	c.Admission = &hub.Admission{Turns: serve.MaxTurns, TurnsPerOwner: serve.MaxTurnsPerOwner}
	var err error
	if s.app, err = app.Open(ctx, c); err != nil {
		return nil, err
	}
	options := doorOptions(c.Settings, c.Logger)
	if shared, is := s.app.Store.(interface{ SigningKey() []byte }); is {
		options.ChallengeKey = shared.SigningKey()
	}
	if err := errors.Join(s.app.RegisterMetrics(registry), options.Check()); err != nil {
		return nil, errors.Join(err, s.app.Close())
	}
	s.door = auth.NewDoor(s.app.Store, options)
	front := s.webConfig(c, options.Secure)
	front.Metrics, front.Viewers = telemetry.Handler(registry), metrics.Viewers
	s.web = web.New(front)
	s.openACP()
	err = s.openTelegram()
	if err == nil {
		err = s.listen(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.app.Close())
	}
	s.push.Start(s.app.Store)
	path, created, err := app.EnsureToken(ctx, s.app.Store, c.Settings.DataDir)
	if err != nil {
		return nil, errors.Join(err, s.shutdown(nil))
	}
	if created {
		s.logger.Info("created a token with all scopes; to create more: bellcord token create", "file", path)
	}
	return s, nil
}

func (s *Server) webConfig(from app.Config, secure bool) web.Config {
	c := from.Settings
	return web.Config{
		Version: from.Version, URL: s.pageURL, Hub: s.app.Front(), Door: s.door, Logger: s.logger, Hide: from.Secrets.Hide,
		Hosts: c.Serve.Names(), Origins: c.Serve.AllowedOrigins, BehindProxy: c.Serve.TrustProxy, Secure: secure,
		CheckPeer: func(conn net.Conn) error { return app.CheckPeer(conn, c.DataDir) },
		Session:   bellcord.Session{Agent: c.Agent, Model: app.DefaultModel(c), Mode: c.Mode}, Prompt: app.PromptLimits(c),
		Workspaces: app.WorkspacesDir(c.DataDir), Roots: c.Serve.Roots, MachineOwner: app.MachineOwner, Private: []string{c.DataDir, config.Dir()},
		CheckModel: s.app.Models.Check,
		CheckAgent: s.checkAgent,
		Ceiling:    c.Ceiling,
		Models:     s.listModels, Agents: s.listAgents, AgentOptions: s.app,
		Texts: s.app.Store, Shares: s.app.Store, Push: s.push, Files: s.app.Files(),
		Deleted: s.app.SessionDeleted, RemoveFiles: s.app.RemoveWorkspace, Elsewhere: s.app.WatchedElsewhere(),
		Nodes: s.app.Nodes, Leaving: s.app.OutdatedError, Reclaim: s.reclaim,
		MostViewers: &web.Bounds{All: mostViewers(c.Serve.MaxViewers, descriptors()), PerOwner: c.Serve.MaxViewersPerOwner},
	}
}

// reclaim empties the caches of idle sessions. The collection makes the freed memory
// visible to the next check.
func (s *Server) reclaim() int64 {
	freed := s.app.Hub.ForgetIdle()
	if freed > 0 {
		runtime.GC()
	}
	return freed
}

func (s *Server) checkAgent(name string) error {
	_, err := app.AgentDefinition(s.settings, name)
	return err
}

func doorOptions(c config.Config, log *slog.Logger) auth.Options {
	opts := auth.Options{Logger: log, Secure: c.Serve.TLSCert != "" || c.Serve.TrustProxy, Rate: c.Serve.RequestsPerSecond}
	for _, o := range c.Serve.OIDC {
		issuer := auth.Issuer{Name: o.Name, Issuer: o.Issuer, Audience: o.Audience, Claim: o.OwnerClaim, Admins: o.Admins}
		for _, scope := range o.Scopes {
			issuer.Scopes = append(issuer.Scopes, bellcord.Scope(scope))
		}
		opts.OIDC = append(opts.OIDC, issuer)
	}
	return opts
}

func (s *Server) listModels() []api.Model {
	var all []api.Model
	for _, name := range app.ModelNames(s.settings) {
		all = append(all, api.Model{ID: name, ContextWindow: s.app.Models.ContextWindow(name), Price: s.app.Models.Price(name), TextOnly: !s.app.Models.TakesImages(name)})
	}
	return all
}

func (s *Server) listAgents() []api.Agent {
	all := []api.Agent{{Name: "", Installed: true}}
	for _, name := range app.AgentNames(s.settings) {
		d, err := app.AgentDefinition(s.settings, name)
		if err != nil {
			continue
		}
		_, err = d.Find()
		all = append(all, api.Agent{Name: name, Protocol: d.Protocol, Installed: err == nil})
	}
	return all
}

// newHTTP returns an HTTP server with limits for incomplete requests.
func (s *Server) newHTTP(handler http.Handler) *http.Server {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug),
	}
	if s.connections != nil {
		server.ConnState = s.connections.changed
	}
	return server
}

// url returns the address of the server on this machine.
func (s *Server) url() string {
	scheme := "http"
	if s.settings.Serve.TLSCert != "" {
		scheme = "https"
	}
	return fmt.Sprintf("%s://%s", scheme, s.tcp.Addr())
}

// pageURL returns the address of the page for users: with the first configured
// host name, otherwise with the address of the listener.
func (s *Server) pageURL() string {
	switch names := s.settings.Serve.AllowedHosts; {
	case len(names) == 0:
		return s.url()
	case s.settings.Serve.TrustProxy:
		return "https://" + names[0]
	default:
		at, err := url.Parse(s.url())
		if err != nil {
			return s.url()
		}
		at.Host = names[0]
		if _, _, err := net.SplitHostPort(names[0]); err != nil {
			at.Host = net.JoinHostPort(strings.Trim(names[0], "[]"), strconv.Itoa(s.tcp.Addr().(*net.TCPAddr).Port))
		}
		return at.String()
	}
}
