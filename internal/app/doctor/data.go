package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
	"github.com/bellcord/bellcord/store/storecheck"
)

// leastSpace is the free disk space below which dataDirectory warns.
const leastSpace = 512 << 20

// dataDirectory checks the directory if it exists. It does not create it.
func (d *Doctor) dataDirectory(context.Context) []Finding {
	dir := d.config.Settings.DataDir
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("%s will be created when it is first needed", dir)
	case err != nil:
		return bad("resolve this error", "%v", err)
	case !info.IsDir():
		return bad("choose another with --data-dir or BELLCORD_DATA", "%s is not a directory", dir)
	case app.OpenToOthers(info):
		return bad(fmt.Sprintf("chmod 700 %s", dir), "%s is open to other users (%v)", dir, info.Mode().Perm())
	}
	probe, err := os.CreateTemp(dir, "doctor")
	if err != nil {
		return bad("make it your own directory with chown and chmod 700", "cannot write to %s: %v", dir, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return bad("resolve this error", "%v", err)
	}
	free, err := freeSpace(dir)
	if err == nil && free < leastSpace {
		return warn("free up disk space", "%s has only %d MB of free space", dir, free>>20)
	}
	return ok("%s is writable and private, %d GB free", dir, free>>30)
}

// store opens the store, which migrates an older schema, as every command does.
func (d *Doctor) store(ctx context.Context) []Finding {
	if _, err := os.Stat(d.config.Settings.DataDir); d.config.Settings.StoreURL == "" && err != nil {
		return ok("will be created when it is first needed")
	}
	opened, err := app.OpenStore(ctx, d.config)
	off := ""
	var log []Finding
	if err == nil {
		if shared, is := opened.(*postgres.Store); is {
			off = app.ClockOffset(shared)
		}
		log = d.checkLog(ctx, opened)
		err = opened.Close()
	}
	if err != nil {
		return bad("run bellcord store check; if you have a backup: bellcord store restore FILE", "cannot be opened: %s", inOneLine(err))
	}
	if off != "" {
		return append(warn("synchronize this machine's clock (NTP)", "opens, and its schema is current, but this machine's clock is %s compared with the database's", off), log...)
	}
	return append(ok("opens, and its schema is current"), log...)
}

// logTime limits the time for which checkLog reads the store.
const logTime = 10 * time.Second

// checkLog verifies the events of the store by their hashes, the most recently
// used session first, and the receipts that the user kept.
func (d *Doctor) checkLog(ctx context.Context, store store.Reader) []Finding {
	limited, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	report, err := storecheck.Run(limited, store, d.kept...)
	if len(report.Problems) > 0 {
		return bad("run bellcord store check for all problems; if you have a backup: bellcord store restore FILE", "%s", line.Visible(report.Problems[0]))
	}
	receipts := ""
	if len(d.kept) > 0 {
		receipts = "; the receipt matches the store"
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return ok("the first %d events match their hashes, checked for %v; bellcord store check verifies all%s", report.Chained, logTime, receipts)
	case err != nil:
		return bad("resolve this error", "%s", inOneLine(err))
	}
	return ok("%d events match their hashes%s", report.Chained, receipts)
}

// nats checks the NATS servers, if any are configured.
func (d *Doctor) nats(ctx context.Context) []Finding {
	if d.config.Settings.Cluster.NATSURL == "" {
		return nil
	}
	bus := app.BusConfig(d.config.Settings)
	if err := bus.CheckServers(ctx); err != nil {
		return bad("see docs/scale.md; bellcord serve does not start with this server", "%s", inOneLine(err))
	}
	switch err := bus.Probe(ctx); {
	case errors.Is(err, cluster.ErrExposed):
		return bad("see docs/scale.md; bellcord serve does not start with this server", "%s", inOneLine(err))
	case err != nil:
		return warn("start it, or correct nats_url in [cluster]; until then nodes communicate through the store, half a second slower", "cannot be reached: %s", inOneLine(err))
	}
	return ok("can be reached, and is not open to others")
}

func (d *Doctor) token(context.Context) []Finding {
	path := filepath.Join(d.config.Settings.DataDir, "token")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("none yet: bellcord serve creates the first one")
	case err != nil:
		return bad("resolve this error", "%v", err)
	case app.OpenToOthers(info):
		return bad("chmod 600 "+path+", and revoke the token with bellcord token revoke if others may have read it", "%s is readable by other users (%v)", path, info.Mode().Perm())
	}
	return ok("%s is private", path)
}

// port tries to listen on the address of bellcord serve.
func (d *Doctor) port(ctx context.Context) []Finding {
	addr := d.config.Settings.Serve.Addr
	if err := d.config.Settings.Serve.Check(); err != nil {
		return bad("correct [serve]", "%s", inOneLine(err))
	}
	if backend.ServerRuns(ctx, d.config.Settings.DataDir) {
		return ok("a server is running on this data directory")
	}
	var try net.ListenConfig
	l, err := try.Listen(ctx, "tcp", addr)
	if err != nil {
		return warn("use bellcord serve --addr 127.0.0.1:0, or end the other program", "cannot listen on %s: %v", addr, err)
	}
	_ = l.Close()
	return ok("%s is free for bellcord serve", addr)
}
