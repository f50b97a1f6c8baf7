// Command modproxy makes a directory that is a module proxy with one version of this
// module: the files of the commit HEAD, without the modules in subdirectories. It prints
// the version. "make install-check" installs the program from it.
//
//	go run ./tools/modproxy DIR
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const module = "github.com/bellcord/bellcord"

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: modproxy DIR")
	}
	version, err := write(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(version)
}

func write(ctx context.Context, dir string) (version string, err error) {
	head, err := exec.CommandContext(ctx, "git", "show", "-s", "--format=%H %ct", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git show: %w", err)
	}
	var commit string
	var seconds int64
	if _, err := fmt.Sscan(string(head), &commit, &seconds); err != nil {
		return "", err
	}
	at := time.Unix(seconds, 0).UTC()
	version = "v0.0.0-" + at.Format("20060102150405") + "-" + commit[:12]
	files, err := archived(ctx)
	if err != nil {
		return "", err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, at})
	if err != nil {
		return "", err
	}
	packed, err := pack(files, module+"@"+version)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, module, "@v")
	return version, errors.Join(
		os.MkdirAll(to, 0o700),
		os.WriteFile(filepath.Join(to, "list"), []byte(version+"\n"), 0o600),
		os.WriteFile(filepath.Join(to, version+".info"), info, 0o600),
		os.WriteFile(filepath.Join(to, version+".mod"), files["go.mod"], 0o600),
		os.WriteFile(filepath.Join(to, version+".zip"), packed, 0o600),
	)
}

// archived returns the regular files of HEAD that belong to the module.
func archived(ctx context.Context) (map[string][]byte, error) {
	out, err := exec.CommandContext(ctx, "git", "archive", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("git archive: %w", err)
	}
	files := map[string][]byte{}
	for from := tar.NewReader(bytes.NewReader(out)); ; {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if files[header.Name], err = io.ReadAll(from); err != nil {
			return nil, err
		}
	}
	for name := range files {
		if dir := path.Dir(name); path.Base(name) == "go.mod" && dir != "." {
			for other := range files {
				if strings.HasPrefix(other, dir+"/") {
					delete(files, other)
				}
			}
		}
	}
	return files, nil
}

func pack(files map[string][]byte, prefix string) ([]byte, error) {
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for name, data := range files {
		w, err := to.Create(prefix + "/" + name)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	err := to.Close()
	return out.Bytes(), err
}
