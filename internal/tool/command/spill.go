package command

import (
	"fmt"
	"os"
	"strings"
)

// mostShown is the number of bytes each of head and tail that a spill keeps in
// memory.
const mostShown = 15 << 10

// MostSpilt is the number of bytes of an output that a spill keeps on disk.
const MostSpilt = 64 << 20

// Spill collects an output of any length. It keeps a short output in memory; of
// a long one it keeps the head and the tail in memory and writes the whole
// output to a file, up to MostSpilt bytes. It is not safe for concurrent use.
type Spill struct {
	dir        string
	head, tail []byte
	total      int64

	file *os.File
	path string
	kept int64 // bytes in the file
	err  error // why the file is incomplete
}

// NewSpill returns a spill. It creates dir and a file in it only for a long
// output. If dir is "", only head and tail are kept.
func NewSpill(dir string) *Spill { return &Spill{dir: dir} }

// Add adds a piece of the output. If the disk fails, only the file is
// incomplete; the note at the end of String contains the error.
func (s *Spill) Add(piece string) {
	if s.total+int64(len(piece)) > 2*mostShown {
		s.save(piece)
	}
	s.total += int64(len(piece))
	if room := min(mostShown-len(s.head), len(piece)); room > 0 {
		s.head = append(s.head, piece[:room]...)
		piece = piece[room:]
	}
	if over := len(piece) - mostShown; over > 0 {
		s.tail, piece = s.tail[:0], piece[over:]
	}
	s.tail = append(s.tail, piece...)
	if over := len(s.tail) - mostShown; over > mostShown { // rarely, so that the copy costs little
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
}

// save writes to the file. The first time it also writes all earlier output,
// which is still complete in memory.
func (s *Spill) save(piece string) {
	if s.dir == "" || s.err != nil {
		return
	}
	if s.file == nil {
		if s.err = os.MkdirAll(s.dir, 0o700); s.err != nil {
			return
		}
		if s.file, s.err = os.CreateTemp(s.dir, "output-*.txt"); s.err != nil { // CreateTemp uses mode 0600
			return
		}
		s.path = s.file.Name()
		piece = string(s.head) + string(s.tail) + piece
	}
	room := min(MostSpilt-s.kept, int64(len(piece)))
	n, err := s.file.WriteString(piece[:room])
	s.kept += int64(n)
	s.err = err
}

// Name returns the path of the file, or "" if there is no file. The caller must
// remove it.
func (s *Spill) Name() string { return s.path }

// Close closes the file, but does not remove it. Later output is not saved.
func (s *Spill) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	s.dir = "" // do not create a new file
	return err
}

// String returns the output, or its head and tail with a note about the file.
func (s *Spill) String() string {
	tail := s.tail[max(0, len(s.tail)-mostShown):]
	cut := s.total - int64(len(s.head)+len(tail))
	if cut == 0 {
		return strings.ToValidUTF8(string(s.head)+string(tail), "\uFFFD")
	}
	text := strings.ToValidUTF8(fmt.Sprintf("%s\n[… %d bytes omitted …]\n%s", s.head, cut, tail), "\uFFFD")
	return fmt.Sprintf("%s\n[%d bytes in total; %s]", text, s.total, s.where())
}

func (s *Spill) where() string {
	switch {
	case s.path == "" && s.err != nil:
		return fmt.Sprintf("the rest was not saved: %v", s.err)
	case s.path == "":
		return "the rest was not saved"
	case s.err != nil:
		return fmt.Sprintf("the first %d are in %s; saving the rest failed: %v", s.kept, s.path, s.err)
	case s.kept < s.total:
		return fmt.Sprintf("the first %d are in %s", s.kept, s.path)
	}
	return "the complete output is in " + s.path
}
