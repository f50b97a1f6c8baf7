package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

const (
	coldStarts     = 50
	coldStartBound = 10 * time.Second // of each
)

// starter is a program with a measured start.
type starter struct {
	name    string
	args    []string
	env     []string
	answers bool   // whether it responds to initialize; otherwise its end counts
	missing string // why it is not measured

	took []time.Duration
}

// coldstart measures the time from exec to the response to initialize, or to the exit, with a new
// process each time. It compares goose, the fastest of the other agents, and a program that does
// nothing. BELLCORD_BEFORE names another build of Bellcord to compare with. The programs alternate,
// so that other load affects them equally. The data directory is the same each time, and one start
// of each is not counted.
func coldstart(out io.Writer, bellcord string) error {
	folder, err := os.MkdirTemp("", "coldstart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	starters := append([]*starter{bareStart()}, bellcordStarts("bellcord", bellcord, folder)...)
	if before := os.Getenv("BELLCORD_BEFORE"); before != "" {
		starters = append(starters, bellcordStarts("before", before, folder)...)
	}
	starters = append(starters, gooseStart(folder))
	for round := range coldStarts + 1 {
		for _, s := range starters {
			if s.missing != "" {
				continue
			}
			took, err := s.startOnce()
			if err != nil {
				return fmt.Errorf("cold start of %s: %w", s.name, err)
			}
			if round > 0 {
				s.took = append(s.took, took)
			}
		}
	}
	return printStarts(out, starters)
}

func bareStart() *starter {
	s := &starter{name: "/bin/true, start to exit (baseline)", args: []string{"/bin/true"}}
	if _, err := os.Stat(s.args[0]); err != nil {
		s.missing = "not available on this machine"
	}
	return s
}

// bellcordStarts returns the commands of a build whose starts are measured.
func bellcordStarts(name, path, folder string) []*starter {
	data := []string{"--data-dir", filepath.Join(folder, "data-"+name)}
	env := isolated(folder, name, "OPENAI_API_KEY=fake", "OPENAI_BASE_URL=http://127.0.0.1:9/v1")
	return []*starter{
		{name: name + " acp", answers: true, args: append([]string{path, "acp", "--model", "openai/fake"}, data...), env: env},
		{name: name + " --version, start to exit", args: []string{path, "--version"}, env: env},
		{name: name + " run with the fake model, start to exit", args: append([]string{path, "run", "--model", "fake/fake", "[say ok]"}, data...), env: env},
	}
}

// gooseStart finds the goose that peers/install installed.
func gooseStart(folder string) *starter {
	s := &starter{
		name: "goose 1.52.0 acp", answers: true,
		env: isolated(folder, "goose", "GOOSE_PROVIDER=openai", "GOOSE_MODEL=fake", "OPENAI_API_KEY=fake", "OPENAI_HOST=http://127.0.0.1:9",
			"GOOSE_DISABLE_KEYRING=1", "GOOSE_TELEMETRY_ENABLED=false", "GOOSE_MODE=approve"),
	}
	peers := os.Getenv("BELLCORD_PEERS")
	if cache := os.Getenv("BELLCORD_CACHE"); peers == "" && cache != "" {
		peers = filepath.Join(cache, "peers")
	} else if peers == "" {
		peers = "peers"
	}
	path := filepath.Join(peers, "node_modules/@aaif/goose-binary-linux-x64/bin/goose")
	if _, err := os.Stat(path); err != nil {
		s.missing = "not installed (peers/install)"
	}
	s.args = []string{path, "acp"}
	return s
}

// isolated returns an environment with a separate home directory.
func isolated(folder, name string, more ...string) []string {
	home := filepath.Join(folder, "home-"+name)
	_ = os.MkdirAll(home, 0o700) // a failure shows when the directory is used
	return append(more, "HOME="+home, "PATH="+os.Getenv("PATH"), "XDG_CONFIG_HOME="+home+"/config", "XDG_DATA_HOME="+home+"/data",
		"XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache")
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},` +
	`"clientInfo":{"name":"coldstart","version":"1"}}}` + "\n"

// startOnce starts the program once and returns how long the start took. It waits for the process
// to end, so that starts do not overlap.
func (s *starter) startOnce() (time.Duration, error) {
	ctx, done := context.WithTimeout(context.Background(), coldStartBound)
	defer done()
	cmd := exec.CommandContext(ctx, s.args[0], s.args[1:]...)
	cmd.Env = s.env
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if !s.answers {
		begun := time.Now()
		err := cmd.Run()
		return time.Since(begun), err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	took, err := firstAnswer(in, bufio.NewReader(pipe), begun)
	_ = in.Close()
	_ = cmd.Wait() // its exit is not measured
	if err != nil {
		return 0, fmt.Errorf("%w; output: %q", err, complaints.String())
	}
	return took, nil
}

func firstAnswer(in io.Writer, out *bufio.Reader, begun time.Time) (time.Duration, error) {
	if _, err := io.WriteString(in, hello); err != nil {
		return 0, err
	}
	line, err := out.ReadBytes('\n')
	took := time.Since(begun)
	if err != nil {
		return 0, err
	}
	var answer struct {
		Result struct {
			ProtocolVersion int `json:"protocolVersion"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Result.ProtocolVersion == 0 {
		return 0, errors.Join(err, fmt.Errorf("unexpected answer to initialize: %.200q", line))
	}
	return took, nil
}

func printStarts(out io.Writer, starters []*starter) error {
	fmt.Fprintf(out, "exec to the answer to initialize, or to the exit, %d cold starts each, interleaved\n", coldStarts)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tp50\tp99\tmax\t")
	for _, s := range starters {
		if s.missing != "" {
			fmt.Fprintf(table, "%s\t%s\t\t\t\n", s.name, s.missing)
			continue
		}
		slices.Sort(s.took)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t\n", s.name, millis(s.took, 50), millis(s.took, 99), millis(s.took, 100))
	}
	return table.Flush()
}

// millis formats a percentile of sorted times, by nearest rank.
func millis(sorted []time.Duration, percent int) string {
	at := (len(sorted)*percent + 99) / 100
	return fmt.Sprintf("%.1f ms", float64(sorted[max(at, 1)-1].Microseconds())/1000)
}
