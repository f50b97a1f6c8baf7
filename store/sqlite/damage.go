package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/bellcord/bellcord"
)

// explain adds ErrDamaged if the database file is corrupt, and ErrStoreDown if it
// cannot be used at the moment, for example because the disk is full, another
// process has the lock, or the process has too many open files.
func explain(err error) error {
	var of *driver.Error
	if !errors.As(err, &of) || errors.Is(err, bellcord.ErrDamaged) || errors.Is(err, bellcord.ErrStoreDown) {
		return err
	}
	switch of.Code() & 0xff { // without the extended code
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", bellcord.ErrDamaged, err)
	case codes.SQLITE_CANTOPEN, codes.SQLITE_FULL, codes.SQLITE_IOERR, codes.SQLITE_BUSY, codes.SQLITE_LOCKED,
		codes.SQLITE_NOMEM, codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_PROTOCOL, codes.SQLITE_INTERRUPT:
		return fmt.Errorf("%w: %w", bellcord.ErrStoreDown, err)
	}
	return err
}
