//go:build unix

package main

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord/api"
)

// reaches reports whether a node reaches exactly the given number of other nodes over the bus.
func (s *daemon) reaches(others int) bool {
	s.t.Helper()
	var all api.Nodes
	if status := s.request("GET", "/v1/nodes", nil, &all); status != 200 {
		s.t.Fatalf("the nodes: %d", status)
	}
	reached := 0
	for _, n := range all.Nodes {
		if !n.Self && n.NATSRoundTrip > 0 {
			reached++
		}
	}
	return reached == others
}

// The test starts two nodes of the compose file and a pod, each with a separate user, on the three
// NATS servers of deploy/nats.conf.
func TestDeploy_NodesOfFiles_FormCluster(t *testing.T) {
	s := newSite(t)
	one, two := s.node("node1"), s.node("node2")
	pod := s.pod("node3")
	for _, d := range []*daemon{one, two, pod} {
		eventually(t, "a node reaches both others: "+d.stderrText(), func() bool { return d.reaches(2) })
	}
	s.proves(one)
	pod.probed(200, 200)

	// The pod shuts down while its turn runs. The turn is stopped through another node.
	_, turn := pod.prompts("[hang]")
	pod.signals()
	pod.probed(503, 200)
	var answer api.Stopped
	if status := two.request("POST", "/v1/turns/"+string(turn)+"/stop", nil, &answer); status != 200 || answer.State != "settled" {
		t.Errorf("a stop at another node: %d %+v", status, answer)
	}
	if code := pod.ends(); code != 0 {
		t.Errorf("it ended with %d: %s", code, pod.stderrText())
	}
	eventually(t, "the others forget it", func() bool { return one.reaches(1) })
}

// proves runs the health checks of compose, through the node's socket, and of its load balancer,
// with the site's host name. The node must reject another host name.
func (s *site) proves(d *daemon) {
	s.t.Helper()
	data := filepath.Dir(strings.TrimPrefix(socketOf(d), "unix:"))
	check := wordsAt(s.t, s.compose, "services", "node1", "healthcheck", "test")
	for i := range check {
		check[i] = strings.ReplaceAll(check[i], "/data/", data+"/")
	}
	w := newWorld(s.t)
	if out, errs, code := w.does(check[2:]...); code != 0 || strings.Count(out, "\n") != 4 {
		s.t.Errorf("the health check: %d %s%s", code, out, errs)
	}
	check[len(check)-1] += "x"
	if _, _, code := w.does(check[2:]...); code == 0 {
		s.t.Error("the health check of a node that is not there")
	}
	caddy := s.filled(wordAt(s.t, s.compose, "configs", "balancer", "content"))
	s.stopsPass(d, caddy)
	for _, uri := range []string{"/readyz", "/healthz"} {
		if !strings.Contains(caddy, "health_uri "+uri+"\n") || strings.Count(caddy, " Host bellcord.example\n") != 2 || d.hails(uri, "bellcord.example") != 200 {
			s.t.Errorf("the balancer does not ask for %s, or is refused:\n%s", uri, caddy)
		}
	}
	if got := d.hails("/readyz", "node1:4500"); got != 421 {
		s.t.Errorf("ready, under another name: %d", got)
	}
}

// stopsPass compares the paths that the load balancer routes as stops with those in the server's
// OpenAPI document.
func (s *site) stopsPass(d *daemon, caddy string) {
	s.t.Helper()
	var doc struct{ Paths map[string]any }
	if status := d.request("GET", "/v1/openapi.json", nil, &doc); status != 200 {
		s.t.Fatalf("the document: %d", status)
	}
	var real []string
	for path := range doc.Paths {
		if strings.HasSuffix(path, "/stop") {
			real = append(real, regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "*"))
		}
	}
	_, line, _ := strings.Cut(caddy, "@stop path ")
	line, _, _ = strings.Cut(line, "\n")
	passed := strings.Fields(line)
	slices.Sort(real)
	slices.Sort(passed)
	if len(real) == 0 || !slices.Equal(real, passed) {
		s.t.Errorf("stops are %v, the balancer lets pass %v", real, passed)
	}
}

func socketOf(d *daemon) string {
	for _, pair := range slices.Backward(d.Env) {
		if data, is := strings.CutPrefix(pair, "BELLCORD_DATA="); is {
			return "unix:" + data + "/bellcord.sock"
		}
	}
	return ""
}

// The test tries subjects that deploy/nats.conf does not allow, and a node with the subject prefix
// of another cluster.
func TestDeploy_NATSConfig_RejectsForeignSubjects(t *testing.T) {
	s := newSite(t)
	good := s.natsURL("tls://node1:" + s.vars["NODE1_PASSWORD"] + "@nats1:4222")
	ca := nats.RootCAs(filepath.Join(s.dir, "certs", "ca.pem"))
	for subject, may := range map[string]bool{
		"bellcord.all": true, "bellcord.node.x.ctl": true, "_INBOX.x": true,
		"elsewhere.all": false, "bellcord": false, "$SYS.ACCOUNT.x": false, "$JS.API.INFO": false,
	} {
		for what, try := range map[string]func(*nats.Conn) error{
			"publishing": func(c *nats.Conn) error { return c.Publish(subject, nil) },
			"hearing":    func(c *nats.Conn) error { _, err := c.SubscribeSync(subject); return err },
		} {
			conn, err := nats.Connect(good, ca, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(try(conn), conn.FlushTimeout(10*time.Second)); err != nil {
				t.Errorf("%s %s: %v", what, subject, err)
			}
			if refused := errors.Is(conn.LastError(), nats.ErrPermissionViolation); refused == may {
				t.Errorf("%s %s: refused is %v", what, subject, refused)
			}
			conn.Close()
		}
	}
	for what, url := range map[string]string{
		"another's password": strings.Replace(good, "node1", "node2", 1),
		"nobody":             s.natsURL("tls://nats1:4222"),
	} {
		if conn, err := nats.Connect(url, ca); err == nil {
			conn.Close()
			t.Errorf("%s is let in", what)
		}
	}
	if conn, err := nats.Connect(good); err == nil {
		conn.Close()
		t.Error("a certificate that nobody knows is taken")
	}

	one, stranger := s.node("node1"), s.node("node2", `nats_subject_prefix = "elsewhere"`)
	eventually(t, "a stranger is refused", func() bool { return strings.Contains(strings.ToLower(stranger.stderrText()), "permissions violation") })
	if !one.reaches(0) || !stranger.reaches(0) {
		t.Error("nodes of different clusters hear each other")
	}
}
