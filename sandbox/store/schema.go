package store

// tables creates the missing tables.
//
// record has one row per key, also after a deletion: the tombstone keeps position and consent_time, so
// that a change feed can show it to clients that could read the record. version counts the changes
// of one stream of one connection from 1; floor is the version up to which tombstones were pruned.
const tables = `
CREATE TABLE IF NOT EXISTS record (
	id            INTEGER PRIMARY KEY,
	connection_id TEXT NOT NULL,
	stream        TEXT NOT NULL,
	key           TEXT NOT NULL,
	version       INTEGER NOT NULL,
	position      TEXT NOT NULL,
	consent_time  TEXT,
	data          TEXT,
	emitted_at    TEXT NOT NULL,
	deleted_at    TEXT,
	UNIQUE (connection_id, stream, key)
);
CREATE INDEX IF NOT EXISTS record_position ON record (connection_id, stream, position, key);
CREATE INDEX IF NOT EXISTS record_version ON record (connection_id, stream, version);

CREATE TABLE IF NOT EXISTS stream_version (
	connection_id TEXT NOT NULL,
	stream        TEXT NOT NULL,
	version       INTEGER NOT NULL,
	floor         INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (connection_id, stream)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS searchable (
	id        INTEGER PRIMARY KEY,
	record_id INTEGER NOT NULL,
	field     TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS searchable_record ON searchable (record_id);
CREATE VIRTUAL TABLE IF NOT EXISTS searchable_text USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE IF NOT EXISTS blob (
	id            TEXT NOT NULL,
	connection_id TEXT NOT NULL,
	content_type  TEXT NOT NULL,
	bytes         BLOB NOT NULL,
	PRIMARY KEY (id, connection_id)
);
`
