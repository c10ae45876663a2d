# Two commands on a fresh machine:
#   make run    builds Meterbridge and shows what the agents on this machine used
#   make test   sets up what the tests need and runs every test
SHELL   := /bin/bash
GO      ?= go
TOOL     = $(GO) tool -modfile=tools.mod
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -X main.version=$(VERSION)

.PHONY: run build pages screenshots test-pages test test-offline test-external test-race test-cross test-clients test-agents soak-prompts lint fuzz fuzz-screen bench bench-live bench-pages setup clean help

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: build ## build, then read the logs of this machine and show usage
	@./meterbridge usage $(ARGS) || { [ $$? = 3 ] && echo && echo "The bundled example instead:" && ./meterbridge usage --demo; }

build: setup ## build ./meterbridge and ./meterbridge-lite
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o meterbridge ./cmd/meterbridge
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o meterbridge-lite ./cmd/meterbridge-lite

setup: ## check for Go and a C compiler (installs the latter where apt can)
	@bash internal/setup.sh

test: setup lint test-offline test-external test-race test-cross test-clients test-pages test-agents ## every test (the fuzz targets with their seeds; `make fuzz` goes on from there)

test-offline: setup ## fixtures and cases: no network, no server, no program beyond Go and a C compiler
	$(GO) vet ./...
	$(GO) test -shuffle=on -timeout 20m ./...

test-external: setup ## with programs of others, installed out of their packages: Prometheus, zsh, fish
	$(GO) test -tags external -timeout 15m -run 'Prometheus' ./internal/daemon
	$(GO) test -tags external -timeout 15m -run 'Zsh|Fish|RandomSequences' ./agents/terminal

test-race: setup ## the packages that start goroutines, under the race detector
	$(GO) test -race -shuffle=on -short -timeout 20m ./scanner/... ./agents/... ./analytics/... ./bridge/... ./dashboard/... \
	  $$($(GO) list ./internal/... | grep -v -e /conformance -e /peers -e /bench) ./cmd/...

test-cross: ## the parts without cgo compile for the other systems
	for os in linux darwin windows; do for arch in amd64 arm64; do \
	  GOOS=$$os GOARCH=$$arch CGO_ENABLED=0 $(GO) build . ./pricing/... ./harnesses/... ./agents/... ./scanner/... ./bridge/... ./internal/config/... || exit 1; done; done

test-clients: setup ## with Node: the MCP Inspector (npm installs it once into the user's cache), the SDK and its examples
	@command -v node >/dev/null || bash internal/setup.sh node
	$(GO) test -tags clients -timeout 20m -run Inspector ./cmd/meterbridge
	$(GO) test -tags clients -timeout 20m -run Example ./bridge/host
	$(GO) test -tags clients -timeout 20m ./internal/mcpconformance
	node --test sdk/js/test/

test-pages: setup ## the pages in Chromium against a real daemon (apt and npm install what that needs)
	GO="$(GO)" bash dashboard/web/browser/run.sh pages.test.mjs

pages: ## bundle dashboard/web/dist anew out of its sources
	$(GO) run ./internal/webbundle

screenshots: setup ## take docs/screenshots anew
	GO="$(GO)" bash dashboard/web/browser/run.sh screenshots.mjs

test-agents: setup ## with Node: real coding agents out of npm, started as agents, against a model on loopback; one that cannot be installed is named
	@command -v node >/dev/null || bash internal/setup.sh node
	$(GO) test -tags agents -timeout 15m -run Agents_RealHarnesses -v ./cmd/meterbridge

soak-prompts: setup ## a hundred prompts of every kind to each real coding agent
	@command -v node >/dev/null || bash internal/setup.sh node
	$(GO) test -tags agents -timeout 60m -run 'TestSoak_' -v ./cmd/meterbridge

lint: ## formatting and static checks
	$(TOOL) gofumpt -l . | (! grep .)
	$(TOOL) golangci-lint run ./...

FUZZTIME ?= 20000x
fuzz: ## search on with every fuzz target for FUZZTIME
	GO="$(GO)" FUZZTIME=$(FUZZTIME) bash internal/fuzz.sh

fuzz-screen: ## ten million executions of the terminal screen with hostile bytes
	$(GO) test ./agents/terminal/screen -run '^$$' -fuzz '^FuzzScreen$$' -fuzztime 10000000x -fuzzminimizetime 20x

BENCH_SIZE ?= 1GB
bench: build ## cold and warm scans against DuckDB's read_json and, where npm can install it, ccusage
	$(GO) run ./internal/bench -binary ./meterbridge -size $(BENCH_SIZE)

BENCH_REQUESTS ?= 1000000
bench-live: setup ## append to visible, rescans and an idle daemon; BENCH_REQUESTS=10000000 asks the API over a ledger of that size
	$(GO) test -run xxx -bench 'Live_AppendToVisible' -benchtime 1x ./internal/daemon
	$(GO) test -run xxx -bench 'Live_' -benchtime 20x ./scanner
	METERBRIDGE_HTTP_BENCH=$(BENCH_REQUESTS) $(GO) test -run xxx -bench 'HTTP' -benchtime 40x -timeout 2h ./internal/daemon

bench-pages: setup ## how long each page takes over a ledger of BENCH_REQUESTS
	METERBRIDGE_HTTP_BENCH=$(BENCH_REQUESTS) $(GO) test -run xxx -bench 'Pages' -benchtime 10x -timeout 2h ./internal/daemon

clean: ## remove what was built
	rm -f meterbridge meterbridge-lite
