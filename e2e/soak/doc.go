// Package soak runs the hosted adapter over the sandbox for minutes, with everything that happens to a server in a week:
// many callers at once, packages, calls that are given up, slow clients, tokens that end, a resource server that restarts.
// Every answer is compared with SQL. It holds tests only: make soak.
package soak
