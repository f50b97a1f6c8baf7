package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/autostart"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/telemetry"
)

type serveFlags struct {
	settings
	addr, cert, key string
	hosts, origins  []string
	behindProxy     bool
	finish          time.Duration
	environment     string
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve programs and people: sessions over HTTP, live over SSE, a stop from anywhere",
		Long: `Serves a page for people at / (bellcord open logs a browser in; see docs/page.md)
and sessions under /v1 (see docs/http.md; the OpenAPI document is at /v1/openapi.json). Every request needs a token, also from this machine: the one
of the first start is in DATA/token, more are made by bellcord token create.
The commands ps, attach and stop find the server by DATA/bellcord.sock.

SIGTERM and Ctrl-C let what runs finish for a while, then stop it with the cause
shutdown; a second one does not wait.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return autostart.Host(func(signals chan os.Signal) error { return f.serve(cmd.Context(), signals) })
		},
	}
	f.agentFlags(cmd)
	cmd.Flags().StringVar(&f.nats, "nats", "", "`URLs` of NATS servers, with commas between them, by which nodes reach each other (env BELLCORD_NATS)")
	cmd.Flags().StringVar(&f.addr, "addr", "", "`host:port` to listen on (default 127.0.0.1:4500; port 0 picks one)")
	cmd.Flags().StringSliceVar(&f.hosts, "host", nil, "other `name` by which requests may reach the server")
	cmd.Flags().StringSliceVar(&f.origins, "origin", nil, "other `site` whose pages may ask, as in https://example.com")
	cmd.Flags().StringVar(&f.cert, "tls-cert", "", "`file` with a certificate")
	cmd.Flags().StringVar(&f.key, "tls-key", "", "`file` with its key")
	cmd.Flags().BoolVar(&f.behindProxy, "behind-proxy", false, "a proxy in front does TLS and sets X-Forwarded-For")
	cmd.Flags().DurationVar(&f.finish, "finish", 0, "how long turns may go on at a shutdown (default 30s)")
	cmd.Flags().StringVar(&f.environment, "environment", "", "`file` with NAME=value lines, such as keys, which only its owner may read")
	return cmd
}

// config is the file's with the flags over it.
func (f *serveFlags) config() (config.Config, error) {
	c, err := f.load()
	if err != nil {
		return c, err
	}
	s := &c.Serve
	for _, flag := range []struct{ from, to *string }{{&f.addr, &s.Addr}, {&f.cert, &s.TLSCert}, {&f.key, &s.TLSKey}} {
		if *flag.from != "" {
			*flag.to = *flag.from
		}
	}
	s.Hosts, s.Origins = append(s.Hosts, f.hosts...), append(s.Origins, f.origins...)
	s.BehindProxy = s.BehindProxy || f.behindProxy
	if f.finish > 0 {
		s.Finish = config.Duration(f.finish)
	}
	return c, s.Check()
}

// service is a house with its doors.
type service struct {
	*house
	config config.Config
	web    *web.Server
	door   *auth.Door
	tcp    net.Listener
	socket net.Listener
	chats  *chats // nil where no bot is wanted
	stops  *telemetry.StopLog
	logs   sync.WaitGroup              // of stops
	traces func(context.Context) error // ends them
}

// takeEnvironment has the file's words in the environment, over what is there.
func (f *serveFlags) takeEnvironment() error {
	if f.environment == "" {
		return nil
	}
	all, err := autostart.Environment(f.environment)
	for name, value := range all {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

func (f *serveFlags) serve(ctx context.Context, signals chan os.Signal) error {
	if err := f.takeEnvironment(); err != nil {
		return err
	}
	c, err := f.config()
	if err != nil {
		return err
	}
	catchSignals(signals)
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	s, err := openService(ctx, c, log)
	if err != nil {
		return err
	}
	path, made, err := firstToken(ctx, s.store, c.Data)
	if err != nil {
		return errors.Join(err, s.end(signals))
	}
	if made {
		log.Info("a token with all rights was made; more: bellcord token create", "file", path)
	}
	return s.run(signals)
}

func openService(ctx context.Context, c config.Config, log *slog.Logger) (*service, error) {
	s := &service{config: c}
	registry := telemetry.NewRegistry()
	// Gauges ask the hub, through the server's own door, which opens last.
	metrics := telemetry.NewMetrics(registry, func() bellcord.Stats { return s.Stats() })
	traces, endTraces, err := openTraces(ctx, version, s.agentOf)
	if err != nil {
		return nil, err
	}
	s.traces = endTraces
	s.stops = telemetry.NewStopLog(log)
	watch := func(c bellcord.Commit) { metrics.Watch(c); s.stops.Watch(c) }
	if traces != nil {
		err = traces.Register(registry)
		watch = func(c bellcord.Commit) { metrics.Watch(c); s.stops.Watch(c); traces.Watch(c) }
	}
	if err == nil {
		s.house, err = openHouseWith(ctx, c, bellcord.Options{Logger: log, Watch: watch})
	}
	if err != nil {
		return nil, err
	}
	opts := doorOptions(c, log)
	if err := opts.Check(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.door = auth.NewDoor(s.store, opts)
	s.web = web.New(web.Config{
		Version: version, URL: s.pageURL, Hub: s.front(), Door: s.door, Logger: log,
		Hosts: c.Serve.Names(), Origins: c.Serve.Origins, BehindProxy: c.Serve.BehindProxy,
		Session: bellcord.Session{Agent: c.Agent, Model: modelOf(c), Mode: c.Mode}, Prompt: limits(c),
		Workspaces: filepath.Join(c.Data, "workspaces"),
		CheckModel: s.models.check,
		CheckAgent: func(name string) error { _, err := definition(c, name); return err },
		Models:     s.listModels, Agents: s.listAgents,
		Deleted: s.letGo, Elsewhere: s.elsewhere(), Nodes: s.nodes,
		Metrics: telemetry.Handler(registry), Viewers: metrics.Viewers,
	})
	err = s.openChats(c, log)
	if err == nil {
		err = s.listen(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func doorOptions(c config.Config, log *slog.Logger) auth.Options {
	opts := auth.Options{Logger: log, Secure: c.Serve.TLSCert != "" || c.Serve.BehindProxy, Rate: c.Serve.Rate}
	for _, o := range c.Serve.OIDC {
		issuer := auth.Issuer{Name: o.Name, Issuer: o.Issuer, Audience: o.Audience, Claim: o.Claim, Admins: o.Admins}
		for _, scope := range o.Scopes {
			issuer.Scopes = append(issuer.Scopes, auth.Scope(scope))
		}
		opts.OIDC = append(opts.OIDC, issuer)
	}
	return opts
}

func (s *service) agentOf(id bellcord.SessionID) string {
	found, err := s.Session(context.Background(), id)
	if err != nil || found.Agent == "" {
		return "bellcord"
	}
	return found.Agent
}

func (s *service) listModels() []api.Model {
	var all []api.Model
	for _, name := range append([]string{modelOf(s.config)}, s.config.Models...) {
		if name != "" {
			all = append(all, api.Model{ID: name, Window: s.models.window(name), Price: s.models.price(name)})
		}
	}
	return all
}

func (s *service) listAgents() []api.Agent {
	all := []api.Agent{{Name: "", Installed: true}}
	for _, name := range agentNames(s.config) {
		d, err := definition(s.config, name)
		if err != nil {
			continue
		}
		_, err = d.Find()
		all = append(all, api.Agent{Name: name, Protocol: d.Protocol, Installed: err == nil})
	}
	return all
}

// newHTTP bounds what a connection may take before it is a request.
func (s *service) newHTTP(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug),
	}
}

// url is where the server is found from this machine.
func (s *service) url() string {
	scheme := "http"
	if s.config.Serve.TLSCert != "" {
		scheme = "https"
	}
	return fmt.Sprintf("%s://%s", scheme, s.tcp.Addr())
}

// pageURL is where people find the page: by the first name that the server was
// given, else by its address.
func (s *service) pageURL() string {
	switch names := s.config.Serve.Hosts; {
	case len(names) == 0:
		return s.url()
	case s.config.Serve.BehindProxy:
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
