package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
)

// leastSpace is where a log would soon stop.
const leastSpace = 512 << 20

// dataDirectory looks at one that is there, and makes none.
func (p *patient) dataDirectory(context.Context) []finding {
	dir := p.config.Data
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("%s will be made when it is first needed", dir)
	case err != nil:
		return bad("see the message", "%v", err)
	case !info.IsDir():
		return bad("choose another: --data, BELLCORD_DATA", "%s is not a directory", dir)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
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

// store opens it, which brings an older schema up to date, as every command does.
func (p *patient) store(ctx context.Context) []finding {
	if _, err := os.Stat(p.config.Data); p.config.Store == "" && err != nil {
		return ok("will be made when it is first needed")
	}
	opened, err := openStore(ctx, p.config, logger())
	if err == nil {
		err = opened.Close()
	}
	if err != nil {
		return bad("see the message; a copy of the data directory is a backup", "it does not open: %s", inOneLine(err))
	}
	return ok("opens, its schema is this version's")
}

func (p *patient) token(context.Context) []finding {
	path := filepath.Join(p.config.Data, "token")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("none yet: bellcord serve makes the first")
	case err != nil:
		return bad("see the message", "%v", err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return bad("chmod 600 "+path+", and bellcord token revoke what others may have read", "%s can be read by others (%v)", path, info.Mode().Perm())
	}
	return ok("%s is nobody else's", path)
}

// port tries to listen where a server would.
func (p *patient) port(ctx context.Context) []finding {
	addr := p.config.Serve.Addr
	if err := p.config.Serve.Check(); err != nil {
		return bad("mend [serve]", "%s", inOneLine(err))
	}
	if serverRuns(ctx, p.config.Data) {
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
