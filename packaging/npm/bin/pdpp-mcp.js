#!/usr/bin/env node
// Starts the pdpp-mcp binary of this platform. It comes in an optional package, so that npm fetches no other
// platform's, and nothing has to be run or downloaded when it is installed.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

// Exit codes of pdpp-mcp that this launcher uses: a fault inside, and an installation that is not complete.
const EXIT_INTERNAL = 70;
const EXIT_CONFIGURATION = 78;

function fail(message, code) {
  process.stderr.write(`pdpp-mcp: ${message}\n`);
  process.exit(code);
}

function findBinary() {
  const platform = `${process.platform}-${process.arch}`;
  const { optionalDependencies = {} } = require("../package.json");
  const name = `@pdpp-mcp/${platform}`;
  if (!(name in optionalDependencies)) {
    fail(`there is no binary for ${platform}; build one with: go build ./cmd/pdpp-mcp`, EXIT_CONFIGURATION);
  }
  try {
    return require.resolve(`${name}/bin/pdpp-mcp${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    fail(`the package ${name} is missing; install again without --omit=optional`, EXIT_CONFIGURATION);
  }
}

const child = spawn(findBinary(), process.argv.slice(2), { stdio: "inherit" });

// At a terminal Ctrl-C reaches the binary by itself. A second one would end it before it has finished.
const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (!(signal === "SIGINT" && atTerminal)) child.kill(signal);
  });
}

child.on("error", (error) => fail(`the binary cannot be started: ${error.message}`, EXIT_INTERNAL));
// Shells have 128 and the signal's number for a program that a signal ended.
child.on("close", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
