// Package gen is the tools that the server offers, generated from the specs in toolspec/. Only this file
// is written by hand: `make generate` writes the others.
package gen

//go:generate go run ../cmd/pdpp-mcp-gen -root ..
