//go:build linux

package chaos_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// withNATS gives the nodes NATS. Without it they have only the store, and
// everything must hold, too.
const withNATS = true

// Environment variables that make the test binary run as a NATS server.
const (
	natsPort   = "CHAOS_NATS_PORT"
	natsRoute  = "CHAOS_NATS_ROUTE"  // port for the other servers
	natsRoutes = "CHAOS_NATS_ROUTES" // addresses of the other servers
)

// serveNATS runs a NATS server until it is killed. It does not advertise the
// other servers to clients, which must connect through their gates.
func serveNATS() {
	port, err := strconv.Atoi(os.Getenv(natsPort))
	if err != nil {
		panic(err)
	}
	route, err := strconv.Atoi(os.Getenv(natsRoute))
	if err != nil {
		panic(err)
	}
	var others []*url.URL
	for other := range strings.SplitSeq(os.Getenv(natsRoutes), ",") {
		others = append(others, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + other})
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "n" + os.Getenv(natsPort), Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true, Routes: others,
		Cluster: server.ClusterOpts{Name: "chaos", Host: "127.0.0.1", Port: route, NoAdvertise: true},
	})
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
}

// bus is a cluster of three NATS servers.
type bus struct {
	t       *testing.T
	ports   []int
	routes  []string
	servers []*exec.Cmd

	mu sync.Mutex // held while a server is killed or started
}

func newBus(t *testing.T) *bus {
	t.Helper()
	b := &bus{t: t, servers: make([]*exec.Cmd, 3)}
	for range b.servers {
		b.ports = append(b.ports, freePort(t))
		b.routes = append(b.routes, strconv.Itoa(freePort(t)))
	}
	for i := range b.servers {
		b.start(i)
	}
	t.Cleanup(func() {
		for i := range b.servers {
			b.kill(i)
		}
	})
	return b
}

func (b *bus) start(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.servers[i] != nil {
		return
	}
	var others []string
	for j, route := range b.routes {
		if j != i {
			others = append(others, route)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", natsPort, b.ports[i]), natsRoute+"="+b.routes[i], natsRoutes+"="+strings.Join(others, ","))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.servers[i] = cmd
}

// kill sends SIGKILL.
func (b *bus) kill(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cmd := b.servers[i]; cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		b.servers[i] = nil
	}
}

// outage kills the given servers and restarts them.
func (b *bus) outage(d time.Duration, which ...int) {
	for _, i := range which {
		b.kill(i)
	}
	<-time.After(d)
	for _, i := range which {
		b.start(i)
	}
}
