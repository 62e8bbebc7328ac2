package store

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"modernc.org/sqlite"
)

// Copy returns a new store in memory with the content and the declarations of this one; later changes are
// independent. It takes a few milliseconds, where loading the same records takes hundreds. The error is
// ErrInDirectory if this store is in a directory.
func (s *Store) Copy(ctx context.Context) (*Store, error) {
	if s.inDirectory {
		return nil, ErrInDirectory
	}
	c, err := open(memorySource())
	if err != nil {
		return nil, err
	}
	s.declarations.RLock()
	maps.Copy(c.connections, s.connections)
	maps.Copy(c.streams, s.streams)
	s.declarations.RUnlock()
	if err := c.take(ctx, s); err != nil {
		return nil, errors.Join(fmt.Errorf("copy sandbox database: %w", err), c.Close())
	}
	return c, nil
}

// restorer is the part of the driver's connection that copies a database page by page.
type restorer interface {
	NewRestore(source string) (*sqlite.Backup, error)
}

func (s *Store) take(ctx context.Context, from *Store) error {
	if err := s.hold(ctx); err != nil {
		return err
	}
	from.writing.Lock() // a change during the backup would restart it
	defer from.writing.Unlock()
	return s.anchor.Raw(func(connection any) error {
		backup, err := connection.(restorer).NewRestore(from.source)
		if err != nil {
			return err
		}
		const allPages = -1
		_, err = backup.Step(allPages)
		return errors.Join(err, backup.Finish())
	})
}
