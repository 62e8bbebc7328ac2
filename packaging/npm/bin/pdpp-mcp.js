#!/usr/bin/env node
// Starts the pdpp-mcp binary of this platform. The binary is in an optional package, so that npm fetches only this
// platform's, without an installation script.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

// Exit codes of pdpp-mcp that this launcher uses: an internal error, and an incomplete installation.
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

// The terminal sends Ctrl-C to the binary too. Forwarding it would be a second signal, which ends the binary at once.
const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (!(signal === "SIGINT" && atTerminal)) child.kill(signal);
  });
}

child.on("error", (error) => fail(`the binary cannot be started: ${error.message}`, EXIT_INTERNAL));
// As in shells: 128 plus the number of the signal that ended the program.
child.on("close", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
