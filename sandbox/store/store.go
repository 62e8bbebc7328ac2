// Package store keeps the records of the sandbox in SQLite: their raw JSON, the order in which a stream is
// read, the versions that its change feed counts, and a full-text index of the fields that are searched.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// fileName is the database inside the directory given to Open.
const fileName = "sandbox.db"

// memoryCount makes the name of each in-memory database unique in the process.
var memoryCount atomic.Int64

// Store is the database of one sandbox. It is safe for concurrent use: reads run in parallel, writes one at a time.
type Store struct {
	db     *sql.DB
	source string // names the database for the driver
	// inDirectory reports whether the database is a file.
	inDirectory bool
	// anchor keeps a database in memory alive while the pool has no other connection.
	anchor *sql.Conn

	writing  sync.Mutex
	onChange func(Change) // guarded by writing; may be nil

	declarations sync.RWMutex
	connections  map[string]catalog.Connection
	streams      map[streamName]catalog.Stream
}

// streamName is one stream of one connection.
type streamName struct{ connectionID, stream string }

// Open opens the database in dir, which it creates with mode 0700, or one in memory when dir is empty.
// A database in memory is gone after Close.
func Open(ctx context.Context, dir string) (*Store, error) {
	if err := registerFunctions(); err != nil {
		return nil, fmt.Errorf("register SQL functions: %w", err)
	}
	source, err := dataSource(dir)
	if err != nil {
		return nil, err
	}
	s, err := open(source)
	if err != nil {
		return nil, err
	}
	s.inDirectory = dir != ""
	if err := s.prepare(ctx); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("prepare sandbox database: %w", err)
	}
	return s, nil
}

func open(source string) (*Store, error) {
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, fmt.Errorf("open sandbox database: %w", err)
	}
	return &Store{
		db:          db,
		source:      source,
		connections: map[string]catalog.Connection{},
		streams:     map[streamName]catalog.Stream{},
	}, nil
}

func (s *Store) prepare(ctx context.Context) error {
	if err := s.hold(ctx); err != nil {
		return err
	}
	_, err := s.anchor.ExecContext(ctx, tables)
	return err
}

// hold opens the anchor.
func (s *Store) hold(ctx context.Context) error {
	anchor, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	s.anchor = anchor
	return nil
}

// memorySource names a new database in memory. SQLite's memdb file system lets several connections share
// one with ordinary locks, which a shared cache does not.
func memorySource() string {
	options := sourceOptions()
	options.Set("vfs", "memdb")
	return fmt.Sprintf("file:/sandbox-%d?%s", memoryCount.Add(1), options.Encode())
}

func sourceOptions() url.Values {
	return url.Values{"_pragma": {"busy_timeout(10000)"}, "_txlock": {"immediate"}}
}

// dataSource returns the driver's name of the database in dir, or of a new one in memory if dir is empty.
func dataSource(dir string) (string, error) {
	if dir == "" {
		return memorySource(), nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("create data directory: %w", err)
	}
	path, err := filepath.Abs(filepath.Join(dir, fileName))
	if err != nil {
		return "", fmt.Errorf("resolve data directory: %w", err)
	}
	// SQLite would create the file with the process's umask; it holds personal data.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("create sandbox database: %w", err)
	}
	if err := file.Close(); err != nil {
		return "", fmt.Errorf("create sandbox database: %w", err)
	}
	options := sourceOptions()
	options.Add("_pragma", "journal_mode(WAL)")
	return (&url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}).String(), nil
}

// DB returns the database, so that tests can compare answers with SQL.
func (s *Store) DB() *sql.DB { return s.db }

// Close releases the database. A store in memory loses its content.
func (s *Store) Close() error {
	if s.anchor != nil {
		if err := s.anchor.Close(); err != nil {
			_ = s.db.Close()
			return fmt.Errorf("close sandbox database: %w", err)
		}
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close sandbox database: %w", err)
	}
	return nil
}

// write runs change in one transaction. Writers wait for a mutex, because in SQLite they would fail after the busy
// timeout.
func (s *Store) write(ctx context.Context, change func(*transaction) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	writes := &transaction{tx: tx, prepared: map[string]*sql.Stmt{}}
	if err := change(writes); err != nil {
		_ = tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if s.onChange != nil {
		for _, made := range writes.changes {
			s.onChange(made)
		}
	}
	return nil
}
