//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// database is a PostgreSQL server that the suite starts and can crash.
type database struct {
	t    *testing.T
	bin  string
	dir  string
	port int
	as   *syscall.Credential // nil if the test does not run as root

	mu  sync.Mutex // held during a crash and restart
	cmd *exec.Cmd
}

// newDatabase creates a database cluster and starts it.
func newDatabase(t *testing.T, dir string) *database {
	t.Helper()
	d := &database{t: t, bin: findPostgres(t), dir: filepath.Join(dir, "pg"), port: freePort(t)}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.becomeSomebodyElse()
	init := d.command("initdb", "-D", d.dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v: %s", err, out)
	}
	if err := d.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = d.cmd.Process.Signal(syscall.SIGQUIT)
		_ = d.cmd.Wait()
	})
	return d
}

// findPostgres returns the directory of PostgreSQL's programs, or skips the
// test; CI has them.
func findPostgres(t *testing.T) string {
	t.Helper()
	var places []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		places = append(places, strings.TrimSpace(string(out)))
	}
	versions, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(versions)
	for _, dir := range append(places, versions...) {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("PostgreSQL's programs (initdb, postgres, pg_ctl) are not installed, and CI must not skip this")
	}
	t.Skip("PostgreSQL's programs (initdb, postgres, pg_ctl) are not installed: there is no chaos without a database to crash")
	return ""
}

// becomeSomebodyElse selects another user for PostgreSQL if the test runs as
// root, because PostgreSQL refuses to run as root.
func (d *database) becomeSomebodyElse() {
	d.t.Helper()
	if os.Getuid() != 0 {
		return
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(found.Uid) // always a number on Unix
		gid, _ := strconv.Atoi(found.Gid)
		d.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(d.dir, uid, gid); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	d.t.Fatal("root cannot run PostgreSQL, and there is no user postgres or nobody who could")
}

// command returns a PostgreSQL command that receives SIGQUIT when this process
// ends.
func (d *database) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(d.bin, name), args...)
	cmd.Dir = d.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: d.as, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
	return cmd
}

// start returns once the database answers. fsync is on, which is the default.
func (d *database) start() error {
	d.cmd = d.command("postgres", "-D", d.dir, "-c", "port="+strconv.Itoa(d.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "max_connections=200", "-c", "jit=off")
	if err := d.cmd.Start(); err != nil {
		return err
	}
	for began := time.Now(); ; {
		ctx, done := context.WithTimeout(context.Background(), time.Second)
		conn, err := pgx.Connect(ctx, d.url(d.port, "start"))
		if err == nil {
			_ = conn.Close(ctx)
		}
		done()
		switch {
		case err == nil:
			return nil
		case time.Since(began) > time.Minute:
			return fmt.Errorf("PostgreSQL does not start: %w", err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// crash loses everything that is not on disk and restarts after the given time.
func (d *database) crash(down time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if out, err := d.command("pg_ctl", "-D", d.dir, "-m", "immediate", "stop").CombinedOutput(); err != nil {
		d.t.Errorf("pg_ctl: %v: %s", err, out)
	}
	_ = d.cmd.Wait() // reports a crash
	<-time.After(down)
	if err := d.start(); err != nil {
		d.t.Error(err)
	}
}

// url returns the database's URL at a port, which may be a gate's. The name
// identifies the client to the witness.
func (d *database) url(port int, name string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable&application_name=%s", port, name)
}

// freePort returns a port without a listener.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
