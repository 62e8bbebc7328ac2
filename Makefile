# `make help` lists the targets. They need Go, git and make, and fetch the rest.

GO         ?= go
# Without paths in it, what one checkout compiled serves the next one, whatever its folder.
export GOFLAGS ?= -trimpath
ACTIONLINT  = $(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes=
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     = $(GO) run mvdan.cc/gofumpt@v0.12.0
VALE        = $(GO) run github.com/vale-cli/vale/v3/cmd/vale@v3.20.0
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The sandbox's SQLite and its C library are C translated to Go. They are not checked for races, since that would take most
# of the time. go test does not vet, since lint vets all packages. Many tests wait for processes: twice as many packages as cores are
# tested at once. Tests of sequential code with many cases run without the detector.
RACE        = -race -p $$((2 * $$(getconf _NPROCESSORS_ONLN))) -timeout 20m -vet=off $(addprefix -gcflags=modernc.org/,$(addsuffix =-race=false,sqlite/lib libc memory))
# By default a process with goroutines left waits a second for races at its exit, and the tests start many hundred processes.
GORACE      = atexit_sleep_ms=20
LDFLAGS     = -s -w -X main.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help demo test prerequisites toolchain bench pictures exam golden goldens generate check lint prose race trace chart eval eval-check models soak build release packages test-clients fuzz supply sbom

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## build, start the sandbox, show one answer, print the lines to paste into a host
	@bin/pdpp-sandbox --cache-root .pdpp --grants each --demo bin/pdpp-mcp $(DEMO_FLAGS)

# The tests leave the cores idle for a third of their time, so two checks run at once. Where make can, it prints their lines whole.
test: prerequisites check ## everything a reviewer would run, but the real clients
	@$(MAKE) -j2 $(if $(filter output-sync,$(.FEATURES)),-Oline) race lint prose exam trace chart supply
	@echo "all checks passed"

# This runs first and reports everything that is missing at once.
prerequisites: toolchain
	@missing=0; for each in compiler browser node tmux; do GO='$(GO)' .ci/$$each || missing=1; done; exit $$missing

toolchain:
	@GO='$(GO)' .ci/toolchain

bench: ## measure speed and size against their bars, and write docs/performance/figures.md
	$(GO) run ./cmd/pdpp-bench -write docs $(BENCH_FLAGS)

pictures: ## draw the pictures of the terminal in docs/pictures
	.ci/pictures

exam: ## twenty questions about the sample year: which are answered, in how many calls and tokens
	@cd e2e/exam && $(GO) test -count=1 -run '^TestExam$$' -show
	@$(GO) test -count=1 ./e2e/finding ./e2e/eval/question

golden: ## show the advertised surface against its budgets, and hold it to the goldens
	$(GO) run ./cmd/pdpp-mcp footprint
	$(GO) test -count=1 ./golden

# Tests that import golden take -update. Folders that are separate modules are left out.
goldens: generate ## rewrite every golden from the present results: read their diff
	$(GO) test -count=1 $$(git grep -lF '"github.com/pdppmcp/pdpp-mcp/golden"' -- '*_test.go' ':!packaging/check/chart' ':!e2e/eval/model' | xargs -n1 dirname | sort -u | sed 's,^,./,') -update

generate: ## write everything that depends on toolspec/: gen/, golden/, docs/tools/, and parts of pages
	$(GO) generate ./gen
	$(GO) test ./golden -run '^TestSizesOfTheComparison$$' -update

check: ## fail when a generated file is out of step with its spec
	$(GO) run ./cmd/pdpp-mcp-gen -check
	@before=$$(git status --porcelain); $(GO) generate ./gen; \
	  test "$$before" = "$$(git status --porcelain)" || { git status --porcelain; echo "generated files changed: commit them"; exit 1; }

lint: ## gofumpt, go vet, staticcheck, actionlint
	@unformatted=$$($(GOFUMPT) -l .) || exit 1; \
	  test -z "$$unformatted" || { echo "gofumpt would change:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(STATICCHECK) ./...
	$(ACTIONLINT) .github/workflows/*.yaml

prose: ## Vale: how comments, documents and specs are written (docs/writing.md)
	@git ls-files -co --exclude-standard '*.go' '*.md' '*.yaml' Makefile | grep -vE '_gen\.go$$|^sandbox/sample/|CHANGELOG|testdata/|^golden/' | xargs $(VALE) --output=line

race: ## all tests with the race detector: units, goldens, end-to-end scripts, a browser, the TypeScript SDK
	@GO='$(GO)' .ci/compiler
	@.ci/browser
	@.ci/node
	@.ci/tmux
	GO='$(GO)' .ci/sequential -p $$((2 * $$(getconf _NPROCESSORS_ONLN))) -vet=off
	GORACE='$(GORACE)' $(GO) test $(RACE) ./...

test-clients: ## real MCP clients and the conformance suite, from npm at exact versions; the gate runs them too
	@.ci/clients
	$(GO) vet -tags clients ./e2e/clients/...
	$(GO) test -tags clients -count=1 -timeout 20m ./e2e/clients

trace: ## print the requirement ids that no test names; fail when one is due
	@.ci/trace

chart: ## the Helm chart, by helm and the types of the Kubernetes API (its first build takes some minutes)
	cd packaging/check/chart && $(GO) vet ./... && $(GO) test -count=1 ./...

fuzz: ## every fuzz target for FUZZTIME (60s); their seeds run with the tests
	@FUZZTIME='$(or $(FUZZTIME),60s)' GO='$(GO)' .ci/fuzz

supply: ## verify the modules, look for known vulnerabilities, compare two builds (PLATFORMS=all: for each platform, ANEW=all: each from nothing)
	@GO='$(GO)' PLATFORMS='$(PLATFORMS)' ANEW='$(ANEW)' .ci/supply

sbom: build ## what bin/pdpp-mcp is made of, as CycloneDX JSON next to it
	@GO='$(GO)' .ci/sbom bin/pdpp-mcp > bin/pdpp-mcp.cdx.json

eval: toolchain ## ask a candidate about sandbox persons, and write a report to bin/eval (EVAL_FLAGS: see docs/evaluation.md)
	@mkdir -p bin; CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/pdpp-mcp && CGO_ENABLED=0 $(GO) build -trimpath -o bin/pdpp-eval ./e2e/eval
	@PATH="$$PWD/bin:$$PATH" bin/pdpp-eval $(EVAL_FLAGS)

eval-check: toolchain ## check the questions of eval against 50 persons, and their scripts against three
	@$(GO) test ./e2e/eval/question -count=1 -persons 50 -scripts 201,202,203

models: ## the models of make eval behind the SDKs of Anthropic and OpenAI, against a replayed one (the first build takes some minutes)
	cd e2e/eval/model && $(GO) test -count=1 .

SOAK ?= 10m
soak: ## the hosted adapter under load and trouble, every answer checked against SQL (SOAK=2m for a shorter run)
	$(GO) test -count=1 -v -timeout 0 ./e2e/soak -for $(SOAK)

build: toolchain ## static binaries in bin/, man pages and shell completions in bin/share/
	@mkdir -p bin; first=; [ -e bin/pdpp-sandbox ] || first=' (the first time takes some minutes)'; \
	  echo "1 of 3: fetching modules and compiling bin/pdpp-mcp$$first"
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/pdpp-mcp ./cmd/pdpp-mcp
	@echo "2 of 3: compiling bin/pdpp-sandbox, with a SQLite in Go that takes longest"
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/pdpp-sandbox ./cmd/pdpp-sandbox
	@echo "3 of 3: writing man pages and shell completions to bin/share"
	@rm -rf bin/share
	@env -u GOOS -u GOARCH CGO_ENABLED=0 $(GO) run -trimpath ./cmd/pdpp-mcp-share bin/share

release: toolchain ## everything that is published, for every platform, in bin/release/
	$(GO) run ./packaging/release -version '$(VERSION)' -targets '$(TARGETS)'

packages: toolchain ## make the release, and try it: npm, MCP bundle, registry entry, images, systemd and nginx
	@packaging/check/prerequisites
	@$(MAKE) --no-print-directory release
	$(GO) test -count=1 -tags packages -run SharedByReplicas ./packaging
	$(GO) test -count=1 -tags packages ./packaging/check
