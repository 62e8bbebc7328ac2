# Every target stands in `make help`. Needs Go, git and make; what else a target needs, it fetches.

GO         ?= go
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     = $(GO) run mvdan.cc/gofumpt@v0.12.0
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The SQLite of the sandbox is C translated to Go: instrumented, it takes most of the time, and it is not ours.
RACE        = -race -gcflags='modernc.org/sqlite/lib=-race=false'
LDFLAGS     = -s -w -X main.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help demo test golden generate check lint race trace soak build

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## build, start the sandbox, show one answer, print the lines to paste into a host
	@bin/pdpp-sandbox --cache-root .pdpp --demo bin/pdpp-mcp $(DEMO_FLAGS)

test: check lint race trace ## everything a reviewer would run
	@echo "all checks passed"

golden: ## show the advertised surface against its budgets, and hold it to the goldens
	$(GO) run ./cmd/pdpp-mcp footprint
	$(GO) test -count=1 ./golden

generate: ## write gen/, golden/, docs/tools/ and the README table from toolspec/
	$(GO) generate ./gen

check: ## fail when a generated file is out of step with its spec
	$(GO) run ./cmd/pdpp-mcp-gen -check
	@before=$$(git status --porcelain); $(GO) generate ./gen; \
	  test "$$before" = "$$(git status --porcelain)" || { git status --porcelain; echo "generated files changed: commit them"; exit 1; }

lint: ## gofumpt, go vet, staticcheck
	@unformatted=$$($(GOFUMPT) -l .) || exit 1; \
	  test -z "$$unformatted" || { echo "gofumpt would change:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(STATICCHECK) ./...

race: ## all tests with the race detector: units, goldens, end-to-end scripts, a browser
	@.ci/browser
	$(GO) test $(RACE) ./...

trace: ## print the requirement ids that no test names; fail when one is due
	@.ci/trace

SOAK ?= 10m
soak: ## the hosted adapter under load and trouble, every answer checked against SQL (SOAK=2m for a shorter run)
	$(GO) test -count=1 -v -timeout 0 ./soak -for $(SOAK)

build: ## static binaries in bin/
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/pdpp-mcp ./cmd/pdpp-mcp
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/pdpp-sandbox ./cmd/pdpp-sandbox
