package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/app/server"
	"github.com/bellcord/bellcord/internal/autostart"
	"github.com/bellcord/bellcord/internal/config"
)

type serveFlags struct {
	settings
	addr, cert, key string
	hosts, origins  []string
	dirs            []string
	behindProxy     bool
	finish          time.Duration
	environment     string
	newStore        bool
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve sessions over HTTP, with a page for browsers",
		Long: `Serves a page for people at / (bellcord open logs a browser in; see docs/page.md) and
sessions under /v1 (see docs/http.md; the OpenAPI document is at /v1/openapi.json).
Every request needs a token, even from this machine. The first start writes one to
DATA/token; create more with bellcord token create. The commands ps, attach and stop
find the server through DATA/bellcord.sock.

After SIGTERM or Ctrl-C, running turns may continue for the time that --shutdown-grace sets;
then they are stopped with the cause shutdown. A second signal does not wait.
A server that is still starting ends at the first signal.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return autostart.Host(func(signals chan os.Signal) error { return f.serve(cmd.Context(), signals) })
		},
	}
	f.agentFlags(cmd)
	cmd.Flags().StringVar(&f.nats, "nats", "", "`URLs` of the NATS servers that connect the nodes, separated by commas (env BELLCORD_NATS)")
	cmd.Flags().StringVar(&f.addr, "addr", "", "`host:port` to listen on; port 0 picks a free one (default 127.0.0.1:4500)")
	cmd.Flags().StringSliceVar(&f.hosts, "allow-host", nil, "additional host `name` to accept in requests; can be repeated")
	cmd.Flags().StringSliceVar(&f.origins, "allow-origin", nil, "additional `origin` whose pages may send requests, such as https://example.com; can be repeated")
	cmd.Flags().StringArrayVar(&f.dirs, "dir", nil, "`directory` in which everyone who may send prompts can start sessions; can be repeated")
	cmd.Flags().StringVar(&f.cert, "tls-cert", "", "`file` with the TLS certificate")
	cmd.Flags().StringVar(&f.key, "tls-key", "", "`file` with the private key of the TLS certificate")
	cmd.Flags().BoolVar(&f.behindProxy, "trust-proxy", false, "a proxy in front terminates TLS and sets X-Forwarded-For")
	cmd.Flags().DurationVar(&f.finish, "shutdown-grace", 0, "how long running turns may continue at a shutdown before they are stopped; 0s stops them at once (default 30s)")
	cmd.Flags().BoolVar(&f.newStore, "new-store", false, "create an empty store in a data directory that has lost its database")
	cmd.Flags().StringVar(&f.environment, "env-file", "", "`file` with environment variables such as keys, as NAME=value lines; only its owner may have access to it")
	hideMemory(cmd)
	return cmd
}

// config returns the configuration file's settings, overridden by flags.
func (f *serveFlags) config() (config.Config, error) {
	c, err := f.load()
	if err != nil {
		return c, err
	}
	c.New = f.newStore
	s := &c.Serve
	for _, flag := range []struct{ from, to *string }{{&f.addr, &s.Addr}, {&f.cert, &s.TLSCert}, {&f.key, &s.TLSKey}} {
		if *flag.from != "" {
			*flag.to = *flag.from
		}
	}
	s.AllowedHosts, s.AllowedOrigins = append(s.AllowedHosts, f.hosts...), append(s.AllowedOrigins, f.origins...)
	s.TrustProxy = s.TrustProxy || f.behindProxy
	dirs, err := backend.ExistingDirs("--dir", f.dirs)
	if err != nil {
		return c, err
	}
	s.Dirs = append(s.Dirs, dirs...)
	if f.given("shutdown-grace") {
		s.ShutdownGrace = config.Duration(f.finish)
	}
	return c, s.Check()
}

// takeEnvironment sets the variables of the file given with --env-file. They override existing
// ones.
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
	log := slog.New(slog.NewJSONHandler(stderr, nil))
	server.LimitMemory(log)
	if err := app.KeepPrivate(c.DataDir, log); err != nil {
		return err
	}
	if file, _ := config.File(f.file); config.Exposed(file) != nil {
		log.Warn("configuration is readable by other users", "err", config.Exposed(file))
	}
	from := appConfig(c, log)
	from.Logger = log
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := openUntilSignal(ctx, cancel, signals, func(ctx context.Context) (*server.Server, error) { return server.Open(ctx, from) })
	if err != nil {
		return err
	}
	return s.Run(signals, func(url string) {
		if isatty.IsTerminal(os.Stderr.Fd()) {
			fmt.Fprintf(os.Stderr, "Bellcord is running at %s. To open the page: bellcord open. Ctrl-C ends the server.\n", url)
		}
	})
}

// catchSignals must be called before anything is started, so that no signal is missed.
func catchSignals(signals chan<- os.Signal) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // ignoreHangups logs it; signal.Ignore would be inherited by commands
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
}
