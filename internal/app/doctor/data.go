package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/store/postgres"
)

// leastSpace is the free space below which the disk is soon full.
const leastSpace = 512 << 20

// dataDirectory checks an existing directory. It creates none.
func (d *Doctor) dataDirectory(context.Context) []Finding {
	dir := d.config.Settings.Data
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("%s will be made when it is first needed", dir)
	case err != nil:
		return bad("see the message", "%v", err)
	case !info.IsDir():
		return bad("choose another: --data, BELLCORD_DATA", "%s is not a directory", dir)
	case app.OpenToOthers(info):
		return bad(fmt.Sprintf("chmod 700 %s", dir), "%s is open to others (%v)", dir, info.Mode().Perm())
	}
	probe, err := os.CreateTemp(dir, "doctor")
	if err != nil {
		return bad("make it yours: chown, chmod 700", "%s cannot be written: %v", dir, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return bad("see the message", "%v", err)
	}
	free, err := freeSpace(dir)
	if err == nil && free < leastSpace {
		return warn("make room", "%s has %d MB left", dir, free>>20)
	}
	return ok("%s is writable and nobody else's, %d GB free", dir, free>>30)
}

// store opens the store, which migrates an older schema, as every command does.
func (d *Doctor) store(ctx context.Context) []Finding {
	if _, err := os.Stat(d.config.Settings.Data); d.config.Settings.Store == "" && err != nil {
		return ok("will be made when it is first needed")
	}
	opened, err := app.OpenStore(ctx, d.config)
	off := ""
	if err == nil {
		if shared, is := opened.(*postgres.Store); is {
			off = app.ClockOffset(shared)
		}
		err = opened.Close()
	}
	if err != nil {
		return bad("run bellcord store check; with a backup: bellcord store restore FILE", "it does not open: %s", inOneLine(err))
	}
	if off != "" {
		return warn("set this machine's clock (NTP)", "opens, its schema is this version's; this machine's clock is %s of the database's", off)
	}
	return ok("opens, its schema is this version's")
}

// nats checks the NATS servers, if any are configured.
func (d *Doctor) nats(ctx context.Context) []Finding {
	if d.config.Settings.Cluster.NATS == "" {
		return nil
	}
	bus := app.BusConfig(d.config.Settings)
	if err := bus.CheckServers(ctx); err != nil {
		return bad("bellcord serve refuses it; see docs/scale.md", "%s", inOneLine(err))
	}
	switch err := bus.Probe(ctx); {
	case errors.Is(err, cluster.ErrExposed):
		return bad("bellcord serve refuses it; see docs/scale.md", "%s", inOneLine(err))
	case err != nil:
		return warn("start it, or correct [cluster] nats; until then nodes work through the store, half a second slower", "it cannot be reached: %s", inOneLine(err))
	}
	return ok("can be reached, and is open to nobody else")
}

func (d *Doctor) token(context.Context) []Finding {
	path := filepath.Join(d.config.Settings.Data, "token")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("none yet: bellcord serve makes the first")
	case err != nil:
		return bad("see the message", "%v", err)
	case app.OpenToOthers(info):
		return bad("chmod 600 "+path+", and bellcord token revoke what others may have read", "%s can be read by others (%v)", path, info.Mode().Perm())
	}
	return ok("%s is nobody else's", path)
}

// port tries to listen on the address of bellcord serve.
func (d *Doctor) port(ctx context.Context) []Finding {
	addr := d.config.Settings.Serve.Addr
	if err := d.config.Settings.Serve.Check(); err != nil {
		return bad("mend [serve]", "%s", inOneLine(err))
	}
	if backend.ServerRuns(ctx, d.config.Settings.Data) {
		return ok("a server of this data directory runs")
	}
	var try net.ListenConfig
	l, err := try.Listen(ctx, "tcp", addr)
	if err != nil {
		return warn("bellcord serve --addr 127.0.0.1:0, or end the other program", "%s cannot be listened on: %v", addr, err)
	}
	_ = l.Close()
	return ok("%s is free for bellcord serve", addr)
}
