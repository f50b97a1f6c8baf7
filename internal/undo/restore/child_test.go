//go:build linux

package restore_test

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// childVariable has the base directory of an undo that this process carries out
// instead of tests.
const childVariable = "BELLCORD_TEST_UNDO"

func TestMain(m *testing.M) {
	if base := os.Getenv(childVariable); base != "" {
		if err := child(base); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if base := os.Getenv(sessionVariable); base != "" {
		if err := sessionProcess(base, os.Getenv(sessionVariable+"_NAME")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child resumes or begins the undo in base, prints each point that it reaches, and
// ends itself with SIGKILL at the point with the given number.
func child(base string) error {
	last, err := strconv.Atoi(os.Getenv(childVariable + "_KILL"))
	if err != nil {
		return err
	}
	reached := 0
	restore.SetReach(func(point string) {
		fmt.Println(point)
		if reached++; reached == last {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	})
	ctx := context.Background()
	options := restore.Options{Dir: filepath.Join(base, "undo"), Source: pack(filepath.Join(base, "pack"))}
	_, err = restore.Resume(ctx, options)
	if !errors.Is(err, restore.ErrNoPlan) {
		return err
	}
	f, err := os.Open(filepath.Join(base, "changes"))
	if err != nil {
		return err
	}
	var turn []tree.Change
	if err := gob.NewDecoder(f).Decode(&turn); err != nil {
		return err
	}
	u, err := restore.Plan(filepath.Join(base, "workspace"), [][]tree.Change{turn}, options)
	if err != nil {
		return err
	}
	_, err = u.Apply(ctx)
	return err
}

// prepare stores the changes and the bytes of an undo for a child.
func (p place) prepare(t testing.TB, source memory, turn []tree.Change) {
	t.Helper()
	base := filepath.Dir(p.root)
	if err := os.Mkdir(filepath.Join(base, "pack"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := source.save(filepath.Join(base, "pack")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(base, "changes"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(gob.NewEncoder(f).Encode(turn), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// run starts a child that ends at the point with the given number, 0 for none. It
// calls reached for every point, and returns the points and whether the child was
// killed.
func (p place) run(t testing.TB, kill int, reached func(point string)) (points []string, killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+filepath.Dir(p.root), fmt.Sprintf("%s_KILL=%d", childVariable, kill))
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if p.started != nil {
		p.started(cmd.Process)
	}
	for lines := bufio.NewScanner(output); lines.Scan(); {
		points = append(points, lines.Text())
		reached(lines.Text())
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return points, true
	}
	if err != nil {
		t.Fatalf("the undo failed: %v", err)
	}
	return points, false
}
