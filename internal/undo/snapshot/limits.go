package snapshot

import (
	"cmp"
	"fmt"
	"runtime"
	"time"
)

// Limits bounds the time, the disk space and the files of a snapshot. A field
// that is zero has its default.
type Limits struct {
	Time      time.Duration // of a scan, with waiting for another process; 10 s
	Bytes     int64         // on disk, for everything that is stored for the workspace; 2 GiB
	File      int64         // size of the largest file whose bytes are kept; 8 MiB
	Segment   int64         // size of a file of the pack; 64 MiB
	BulkFiles int           // number of files above which an ignored directory is bulk; 5,000
	BulkBytes int64         // size above which an ignored directory is bulk; 256 MiB
	Age       time.Duration // turns that are younger are kept; 7 days
	Turns     int           // number of the newest turns that are kept whatever their age; 50
	Workers   int           // goroutines of a scan; the number of processors, at least 2
}

func (l Limits) withDefaults() (Limits, error) {
	l.Time = cmp.Or(l.Time, 10*time.Second)
	l.Bytes = cmp.Or(l.Bytes, 2<<30)
	l.File = cmp.Or(l.File, 8<<20)
	l.Segment = cmp.Or(l.Segment, 64<<20)
	l.BulkFiles = cmp.Or(l.BulkFiles, 5000)
	l.BulkBytes = cmp.Or(l.BulkBytes, 256<<20)
	l.Age = cmp.Or(l.Age, 7*24*time.Hour)
	l.Turns = cmp.Or(l.Turns, 50)
	l.Workers = cmp.Or(l.Workers, max(2, runtime.GOMAXPROCS(0)))
	if l.File > l.Segment {
		return l, fmt.Errorf("a file of %d bytes does not fit into a segment of %d bytes; raise Segment", l.File, l.Segment)
	}
	if l.Bytes < 4*l.Segment {
		return l, fmt.Errorf("a budget of %d bytes has no space for four segments of %d bytes; raise Bytes or lower Segment", l.Bytes, l.Segment)
	}
	return l, nil
}

// racyWindow is the time in which two writes can leave the same ctime. A file
// that was changed less than this before it was read is read again by the next
// scan.
const racyWindow = 20 * time.Millisecond

// Reason is the reason why the bytes of a file are not kept.
type Reason uint8

// The reasons why bytes are not kept. The values are part of the format on disk.
const (
	Kept       Reason = iota // the bytes are kept
	TooLarge                 // the file is larger than Limits.File
	Bulk                     // the file is in a directory of generated files
	TimeBudget               // the scan took longer than Limits.Time
	ByteBudget               // the store has reached Limits.Bytes
	DiskFull                 // the disk has too little free space, or a write failed
	Unreadable               // the file or directory cannot be read
	Special                  // a device, a socket or a named pipe
	NotScanned               // the path was not scanned before the call, so its bytes at that time are unknown
	Outside                  // the directory is not part of the workspace
	Repository               // a .git directory, which is never kept
	Moved                    // a .git directory that was created or changed, and is a repository
	Replaced                 // another directory, or none, is at the path of the workspace
)

// String returns the reason as a phrase for people.
func (r Reason) String() string {
	switch r {
	case Kept:
		return ""
	case TooLarge:
		return "file too large"
	case Bulk:
		return "directory of generated files"
	case TimeBudget:
		return "scan exceeded its time limit"
	case ByteBudget:
		return "undo storage is full"
	case DiskFull:
		return "disk is almost full"
	case Unreadable:
		return "cannot be read"
	case Special:
		return "not a file, directory or symbolic link"
	case NotScanned:
		return "not scanned before the call"
	case Outside:
		return "outside of the session's directory"
	case Repository:
		return "git repositories are not kept; restore it from a clone or a backup"
	case Replaced:
		return "the session's directory was moved or replaced"
	case Moved:
		return "the git repository changed, and an undo does not touch it"
	}
	return fmt.Sprintf("reason %d", uint8(r))
}
