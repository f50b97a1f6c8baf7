package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/bellcord/bellcord"
)

// explain marks errors by what they mean for the caller: the file's pages are not
// what was written, or the file cannot be opened for now, as when the process has
// too many files open.
func explain(err error) error {
	var of *driver.Error
	if !errors.As(err, &of) || errors.Is(err, bellcord.ErrDamaged) || errors.Is(err, bellcord.ErrStoreDown) {
		return err
	}
	switch of.Code() & 0xff { // without the extended part
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", bellcord.ErrDamaged, err)
	case codes.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: %w", bellcord.ErrStoreDown, err)
	}
	return err
}
