// Package soak runs the hosted adapter with the sandbox for minutes: many concurrent callers, packages, cancelled
// calls, slow clients, tokens that end, a resource server that restarts. Every answer is compared with SQL. It has only
// tests; run them with make soak.
package soak
