package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/bellcord/bellcord"
)

// explain adds ErrDamaged if the database file is corrupt, and ErrStoreDown if it
// cannot be opened at the moment, for example because the process has too many
// open files.
func explain(err error) error {
	var of *driver.Error
	if !errors.As(err, &of) || errors.Is(err, bellcord.ErrDamaged) || errors.Is(err, bellcord.ErrStoreDown) {
		return err
	}
	switch of.Code() & 0xff { // without the extended code
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", bellcord.ErrDamaged, err)
	case codes.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: %w", bellcord.ErrStoreDown, err)
	}
	return err
}
