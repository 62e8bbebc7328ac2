package question

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"strings"
)

// Asked is a question for one person, with its truth there.
type Asked struct {
	Question // its text is filled

	Truth  Truth
	values map[string]string // of Given
}

// MalformedError reports that a question does not have exactly one answer for a person.
type MalformedError struct{ ID, Problem string }

func (e *MalformedError) Error() string { return "question " + e.ID + ": " + e.Problem }

// Ask fills the question for the person in the sandbox's database.
func (q Question) Ask(ctx context.Context, db *sql.DB) (Asked, error) {
	asked := Asked{Question: q, values: map[string]string{}}
	if q.Given != "" {
		columns, rows, err := Rows(ctx, db, q.Given, nil)
		if err != nil {
			return Asked{}, fmt.Errorf("question %s: given: %w", q.ID, err)
		}
		if len(rows) != 1 {
			return Asked{}, &MalformedError{q.ID, fmt.Sprintf("given has %d rows, want 1", len(rows))}
		}
		for i, column := range columns {
			asked.values[column] = rows[0][i]
		}
	}
	if err := asked.fillTexts(); err != nil {
		return Asked{}, fmt.Errorf("question %s: %w", q.ID, err)
	}
	var err error
	asked.Truth, err = q.truth(ctx, db, asked.values)
	return asked, err
}

// fillTexts fills the text of the question and the patterns of its injection.
func (a *Asked) fillTexts() error {
	texts := []*string{&a.Text}
	if a.Injection != nil {
		injection := *a.Injection
		a.Injection = &injection
		texts = append(texts, &injection.Arguments, &injection.Answer)
	}
	for _, text := range texts {
		filled, err := fill(*text, a.values)
		if err != nil {
			return err
		}
		*text = strings.TrimSpace(filled)
	}
	return nil
}

// tables are views of the sandbox's table of records, for the SQL of truths.
//
//go:embed tables.sql
var tables string

// Rows returns the rows of a query over the views of tables.sql. Values are its parameters, such as :name.
func Rows(ctx context.Context, db *sql.DB, query string,
	values map[string]string,
) (columns []string, rows [][]string, err error) {
	var parameters []any
	for name, value := range values {
		parameters = append(parameters, sql.Named(name, value))
	}
	found, err := db.QueryContext(ctx, tables+query, parameters...)
	if err != nil {
		return nil, nil, fmt.Errorf("ask the database: %w", err)
	}
	defer found.Close()
	if columns, err = found.Columns(); err != nil {
		return nil, nil, fmt.Errorf("read columns: %w", err)
	}
	for found.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := found.Scan(values...); err != nil {
			return nil, nil, fmt.Errorf("read a row: %w", err)
		}
		row := make([]string, len(columns))
		for i, value := range values {
			row[i] = fmt.Sprint(*value.(*any))
		}
		rows = append(rows, row)
	}
	return columns, rows, found.Err()
}
