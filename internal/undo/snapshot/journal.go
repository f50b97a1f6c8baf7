package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// The base file begins with magic and an epoch. The log of the same epoch
// continues it. A rewrite replaces the base file by one of the next epoch, whose
// log does not exist yet, in one step; the old log then no longer counts.
const (
	baseName    = "index"
	magic       = "bellcord-undo-1\n"
	baseHeader  = len(magic) + 8
	logPattern  = "log-%016x"
	packPattern = "pack-%016x"
)

// journal is the base file and the log on disk. Its methods need the lock of
// the workspace.
type journal struct {
	dir    string
	epoch  uint64
	loaded bool
	offset int64 // end of the last record that was applied
	base   int64 // size of the base file
}

func (j *journal) logPath() string { return filepath.Join(j.dir, fmt.Sprintf(logPattern, j.epoch)) }

// readEpoch returns the epoch of the base file, 0 if there is no base file.
func (j *journal) readEpoch() (uint64, error) {
	f, err := os.Open(filepath.Join(j.dir, baseName))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	header := make([]byte, baseHeader)
	if _, err := io.ReadFull(f, header); err != nil || !bytes.HasPrefix(header, []byte(magic)) {
		return 0, fmt.Errorf("%s is not an index of this version; remove the directory %s to start again: its undo history is lost", f.Name(), j.dir)
	}
	return binary.LittleEndian.Uint64(header[len(magic):]), nil
}

// refresh returns the index with the records that other processes have
// appended. A torn record at the end of the log is removed.
func (j *journal) refresh(x *index) (*index, error) {
	epoch, err := j.readEpoch()
	if err != nil {
		return x, err
	}
	if !j.loaded || epoch != j.epoch {
		j.loaded, j.epoch, j.offset, j.base = false, epoch, 0, 0
		x = newIndex()
		if err := j.loadBase(x); err != nil {
			return x, err
		}
	}
	if err := j.readLog(x); err != nil {
		j.loaded = false
		return x, err
	}
	j.loaded = true
	return x, nil
}

func (j *journal) loadBase(x *index) error {
	if j.epoch == 0 {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(j.dir, baseName))
	if err != nil {
		return err
	}
	j.base = int64(len(data))
	rest, err := replayAll(x, data[baseHeader:])
	if err == nil && len(rest) > 0 {
		err = errMalformed
	}
	if err != nil {
		return fmt.Errorf("%s is damaged: %w; remove the directory %s to start again: its undo history is lost", baseName, err, j.dir)
	}
	return nil
}

// replayAll applies records up to the first that is torn, and returns the rest.
func replayAll(x *index, data []byte) ([]byte, error) {
	for {
		payload, size, ok := nextFrame(data)
		if !ok {
			return data, nil
		}
		if _, err := x.replay(payload); err != nil {
			return data, err
		}
		data = data[size:]
	}
}

func (j *journal) readLog(x *index) error {
	f, err := os.OpenFile(j.logPath(), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() == j.offset {
		return err
	}
	if _, err := f.Seek(j.offset, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	rest, err := replayAll(x, data)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	j.offset += int64(len(data) - len(rest))
	if len(rest) > 0 {
		return errors.Join(f.Truncate(j.offset), f.Sync())
	}
	return nil
}

// append writes records to the log, makes them durable and applies them. It
// returns the changes that happened while no call was open. After an error, the
// next refresh loads the index from disk.
func (j *journal) append(x *index, payloads ...[]byte) ([]tree.Change, error) {
	var data []byte
	for _, p := range payloads {
		data = frame(data, p)
	}
	if err := j.write(data); err != nil {
		j.loaded = false
		return nil, fmt.Errorf("write the undo log: %w", err)
	}
	var between []tree.Change
	for _, p := range payloads {
		more, err := x.replay(p)
		if err != nil {
			j.loaded = false
			return nil, err
		}
		between = append(between, more...)
	}
	return between, nil
}

func (j *journal) write(data []byte) error {
	f, err := os.OpenFile(j.logPath(), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	created := j.offset == 0
	half := len(data) / 2
	_, err = f.WriteAt(data[:half], j.offset)
	at("log half written")
	if err == nil {
		_, err = f.WriteAt(data[half:], j.offset+int64(half))
	}
	at("log written")
	if err == nil {
		err = syncFile(f)
	}
	if err != nil {
		_ = f.Truncate(j.offset)
	}
	err = errors.Join(err, f.Close())
	if err == nil && created {
		err = syncDir(j.dir)
	}
	if err == nil {
		j.offset += int64(len(data))
	}
	at("log synced")
	return err
}

// rewrite replaces base file and log by a base file of the next epoch.
func (j *journal) rewrite(data []byte) error {
	old := j.logPath()
	header := binary.LittleEndian.AppendUint64([]byte(magic), j.epoch+1)
	at("base before")
	if err := durable.Replace(filepath.Join(j.dir, baseName), append(header, data...)); err != nil {
		j.loaded = false
		return fmt.Errorf("rewrite the undo index: %w", err)
	}
	at("base replaced")
	j.epoch, j.offset, j.base = j.epoch+1, 0, int64(len(header)+len(data))
	if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // the next Open removes it
	}
	return nil
}

// syncFile makes a file durable, and syncDir the names in a directory. Tests
// replace them to see the order of calls.
var (
	syncFile = (*os.File).Sync
	syncDir  = durable.SyncDir
)

// hook is called at named points. Tests set it to end the process there.
var hook func(point string)

func at(point string) {
	if hook != nil {
		hook(point)
	}
}
