package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// clusterStage is what the nodes of a figure share: a schema, a NATS server, a model.
type clusterStage struct {
	dir, binary string
	schema      string
	store       string // the schema's URL
	db          *pgx.Conn
	nats        string
	roles       []*exec.Cmd
	model       *fakemodel.Server
	serving     io.Closer
	modelURL    string
	nodes       []*clusterNode
	token       string
}

func openClusterStage(ctx context.Context, binary string) (*clusterStage, error) {
	s := &clusterStage{binary: binary, schema: "bench_" + strings.ToLower(rand.Text()), model: fakemodel.New()}
	err := s.open(ctx)
	if err != nil {
		err = errors.Join(err, s.closeStage())
	}
	return s, err
}

func (s *clusterStage) open(ctx context.Context) (err error) {
	if s.dir, err = os.MkdirTemp("", "bellcord-bench"); err != nil {
		return err
	}
	if s.serving, s.modelURL, err = s.model.Listen(""); err != nil {
		return err
	}
	if err := s.openSchema(ctx); err != nil {
		return fmt.Errorf("PostgreSQL (set BELLCORD_POSTGRES to the URL of a database in which the user can create schemas): %w", err)
	}
	s.nats, err = s.play("nats")
	return err
}

func (s *clusterStage) openSchema(ctx context.Context) (err error) {
	database := os.Getenv("BELLCORD_POSTGRES")
	if database == "" {
		database = "postgres://postgres@127.0.0.1:5432/test"
	}
	u, err := url.Parse(database)
	if err != nil {
		return err
	}
	q := u.Query()
	q.Set("search_path", s.schema)
	u.RawQuery = q.Encode()
	s.store = u.String()
	if s.db, err = pgx.Connect(ctx, s.store); err != nil {
		return err
	}
	_, err = s.db.Exec(ctx, `CREATE SCHEMA `+s.schema)
	return err
}

func (s *clusterStage) closeStage() error {
	var errs error
	for _, n := range s.nodes {
		errs = errors.Join(errs, n.endNow())
	}
	if s.db != nil {
		ctx, done := context.WithTimeout(context.Background(), time.Minute)
		defer done()
		_, err := s.db.Exec(ctx, `DROP SCHEMA IF EXISTS `+s.schema+` CASCADE`)
		errs = errors.Join(errs, err, s.db.Close(ctx))
	}
	for _, cmd := range s.roles {
		errs = errors.Join(errs, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	if s.serving != nil {
		errs = errors.Join(errs, s.serving.Close())
	}
	return errors.Join(errs, os.RemoveAll(s.dir))
}

// clusterRole is the variable that selects another role of this program. Roles run in separate
// processes, as in a real cluster, so that nothing is faster for being local.
const clusterRole = "BELLCORD_BENCH_ROLE"

// play starts this program in another role, and returns its first line of output.
func (s *clusterStage) play(role string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, "cluster")
	cmd.Env = append(os.Environ(), clusterRole+"="+role)
	cmd.Stderr = os.Stderr
	_, err = cmd.StdinPipe() // closed when this process exits, which ends the role
	if err != nil {
		return "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	s.roles = append(s.roles, cmd)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	return strings.TrimSpace(line), err
}

func playRole(role string) error {
	what, at, _ := strings.Cut(role, " ")
	if what == "nats" {
		srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
		if err != nil {
			return err
		}
		srv.Start()
		defer srv.Shutdown()
		fmt.Println(srv.ClientURL())
	} else {
		conn, err := nats.Connect(at)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := conn.Subscribe(bareSubject, func(m *nats.Msg) { _ = m.Respond(m.Data) }); err != nil {
			return err
		}
		if err := conn.Flush(); err != nil {
			return err
		}
		fmt.Println("answering")
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
