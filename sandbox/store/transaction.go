package store

import (
	"context"
	"database/sql"
	"fmt"
)

// transaction is one write. It prepares each statement once: loading the sample data runs a few statements thousands
// of times, and parsing them each time took most of a start.
type transaction struct {
	tx       *sql.Tx
	prepared map[string]*sql.Stmt // closed by the end of the transaction
	changes  []Change             // in their order
}

func (t *transaction) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if statement, ok := t.prepared[query]; ok {
		return statement, nil
	}
	statement, err := t.tx.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	t.prepared[query] = statement
	return statement, nil
}

// exec runs a statement without rows.
func (t *transaction) exec(ctx context.Context, query string, values ...any) (sql.Result, error) {
	statement, err := t.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return statement.ExecContext(ctx, values...)
}

// row runs a statement with one row and one column, and scans its value.
func (t *transaction) row(ctx context.Context, target any, query string, values ...any) error {
	statement, err := t.statement(ctx, query)
	if err != nil {
		return err
	}
	return statement.QueryRowContext(ctx, values...).Scan(target)
}

// each runs a query and calls take for every row, after the row was scanned into targets.
func (t *transaction) each(ctx context.Context, query string, take func(), targets ...any) error {
	rows, err := t.tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		take()
	}
	return rows.Err()
}
