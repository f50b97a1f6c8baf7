# make is for each commit, and repeats only what a change can break; make all and
# .ci/run check everything.
SHELL := /bin/bash
# A failure is one also in front of a pipe.
.SHELLFLAGS := -o pipefail -c
LINT_VERSION := v2.14.0
FUMPT_VERSION := v0.12.0
GOBIN := $(shell go env GOPATH)/bin
EXAMPLES := $(patsubst %/go.mod,%,$(wildcard examples/*/go.mod))

.PHONY: check
check: fmt-check vet lint test-short ## what must hold before a commit: format, vet, lint, the short tests

.PHONY: all
all: fmt-check tidy-check vet vet-windows vet-darwin lint prose test ## everything: also tidy, vet for other systems, the English, all tests with the race detector

.PHONY: fmt-check
fmt-check: $(GOBIN)/gofumpt ## formatting, changes nothing
	@out=$$($(GOBIN)/gofumpt -l .); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

.PHONY: fmt
fmt: $(GOBIN)/gofumpt ## formats
	$(GOBIN)/gofumpt -w .

.PHONY: vet
vet: ## go vet; vet-windows and vet-darwin for the other systems we build for
	go vet ./...

.PHONY: vet-windows
vet-windows:
	GOOS=windows GOARCH=amd64 go vet ./...

.PHONY: vet-darwin
vet-darwin:
	GOOS=darwin GOARCH=arm64 go vet ./...

.PHONY: lint
lint: $(GOBIN)/golangci-lint ## golangci-lint, see .golangci.yml
	$(GOBIN)/golangci-lint run ./...

LEVEL ?= error
VALE := bin/vale --config tools/vale/.vale.ini --output line --minAlertLevel $(LEVEL)
.PHONY: prose
prose: bin/vale ## Vale: the English of documents, help texts, messages and comments, see tools/vale
	@rm -rf dist/prose
	@go run ./cmd/bellcord dev man dist/prose/help
	@go run ./tools/prose messages dist/prose/messages
	@start=$$(date +%s); failed=0; \
	$(VALE) $$(git ls-files '*.md') || failed=1; \
	$(VALE) dist/prose/help dist/prose/messages || failed=1; \
	$(VALE) $$(git ls-files '*.go') || failed=1; \
	echo "prose: checked in $$(($$(date +%s) - start)) s"; exit $$failed

# A module apart, so that Vale's dependencies are not Bellcord's. Needs a C compiler,
# as the race detector does.
bin/vale: tools/vale/go.mod tools/vale/go.sum
	go -C tools/vale build -o $(CURDIR)/bin/vale github.com/vale-cli/vale/v3/cmd/vale

# The packages in which goroutines share memory; the others only call them.
CONCURRENT := ./hub/... ./client ./proc ./internal/agent/... ./internal/cluster ./internal/front/acp/... ./internal/front/acpnet ./internal/front/chat/... ./internal/front/chats/... ./internal/front/telegram/... ./internal/front/web ./internal/jsonrpc ./internal/push ./internal/tool/... ./internal/undo/...

.PHONY: test-short
test-short: ## the tests that take no minute, and the race detector where goroutines share memory; results are kept until a change
	go test -short -p 4 -timeout 10m $$(go list ./... | grep -vxFf <(go list $(CONCURRENT)))
	go test -short -race -p 4 -timeout 10m $(CONCURRENT)

# Some laws stop turns while others write, so they are run with the race detector too.
RACED := $(CONCURRENT) ./laws
.PHONY: test-ci
test-ci: ## all tests, shuffled, with the race detector where goroutines share memory
	go test -race -shuffle=on -timeout 20m $(RACED)
	go test -shuffle=on -timeout 20m $$(go list ./... | grep -vxFf <(go list $(RACED)))

.PHONY: test
test: ## all tests, with the race detector, shuffled
	go test -race -shuffle=on -timeout 20m ./...

# The bounds of tests that fail on a busy machine, although nothing is wrong.
TIMED := TestForcedStop_|TestRun_SecondCtrlC|TestRun_CtrlCTwice|TestLaw32_StopFromOther|TestHeld_FewDescriptors|TestServe_DiskFull|TestLaw02_ChatOnBlocked|TestLawU13_StopOfACommand|TestCall_Stopped|TestStop_HostileServer|TestStop_ServerDoesNotRead|TestTools_StopWhile|TestStop_WhileAnotherOwner|TestServer_QuestionAndStop|TestGrep_StopInLongSearch
TIMED_IN := ./internal/agent/child/acp ./internal/agent/child/pi ./cmd/bellcord ./laws/undo ./internal/tool ./internal/tool/mcp ./internal/front/web ./internal/app/server
.PHONY: timing
timing: ## durations that are promises: how soon stops and refusals are answered, one test at a time; for a machine that does nothing else
	go test -count=1 -p 1 -parallel 1 -timeout 10m -run '$(TIMED)' $(TIMED_IN) -timing

.PHONY: tidy-check
tidy-check: ## go.mod says what is used, here and in the modules of tools and examples
	go mod tidy -diff
	cd tools/vale && go mod tidy -diff
	for dir in $(EXAMPLES); do (cd $$dir && go mod tidy -diff) || exit 1; done

.PHONY: laws
laws: ## the laws of a stop, by number
	go test -race -v -run 'TestLaw' ./... | grep -E '^(=== RUN|---|\s+---|ok|FAIL|PASS)' | grep -E 'Law|FAIL|ok'

# Tests of what attacks on the server, the tools and the bot came to: all were
# refused, and have to be.
HELD := TestHeld_|TestIncident|TestFlood|TestProblem_|TestBody_|TestBodies_|TestLogin_|TestDoor_|TestServe_TokenRevoked|TestSocket_|TestFetch_AddressNotPublic|TestRefuse_AddressNotPublic|TestFileTools_|TestServe_NonLoopbackAddress|TestServeCheck_InvalidOrUnsafe|TestList_NotNamed|TestPair_TenWrongCodes|TestHandler_WrongOrMissingSecret|TestLoad_InvalidFile|TestDecide_|TestGrant_
HELD_IN := ./internal/sandbox ./internal/front/web ./internal/auth ./internal/tool ./internal/publicnet ./internal/permit ./internal/config ./internal/front/chats/... ./internal/front/telegram/... ./cmd/bellcord

.PHONY: held
held: build peers/page/node_modules ## attacks that were refused: scopes on every route, foreign owners, hosts and origins, paths, bodies, logins, fetch, file tools, link swaps, shell syntax, terminals, rights, the page
	go test -count=1 -timeout 10m -v -run '$(HELD)' $(HELD_IN) | grep -vE '^=== |no tests to run'
	BELLCORD_BIN=$(CURDIR)/bin/bellcord go test -count=1 -timeout 5m -v -run '/(hostile|ports)' ./peers/page -browser | grep -E 'hostile answers|✔|✖|^(ok|FAIL|---)'

.PHONY: rules
rules: ## every check of lifecycle removed in turn, which both stores and the machine notice; 100,000 random ops that both stores answer alike; ten minutes
	go test -count=1 -timeout 30m -run 'WithoutOneCheck' -v ./lifecycle -checks all | grep -E 'notice|RUN.*/|^(ok|FAIL|---)'
	go test -count=1 -timeout 30m -run 'RandomFacts' -v ./lifecycle -ops 100000 | grep -E 'ops on|^(ok|FAIL|---)'
	go test -count=1 -timeout 10m -run 'TenMillion' -v ./laws/machine -steps 10000000 | grep -E 'violations|^(ok|FAIL|---)'

BATCHES ?= 10000
.PHONY: hostile-batches
hostile-batches: ## BATCHES (10000) batches with long and invalid values in every string of every op, on both stores; no honest op is refused
	go test -count=1 -timeout 60m -run 'Suite_Passes/hostile/a_value' -v ./store/postgres -batches $(BATCHES) | grep -E 'batches,|^ *(ok|FAIL|---)'
	go test -count=1 -timeout 60m -run 'Suite_Passes/hostile/a_value' -v ./store/sqlite -batches $(BATCHES) | grep -E 'batches,|^ *(ok|FAIL|---)'

.PHONY: undo-mutants
undo-mutants: ## every safety measure of undo removed in turn, which the named tests notice; fifteen minutes
	go test -count=1 -timeout 60m -run 'WithoutOneSafetyMeasure' -v ./internal/undo/snapshot -mutants all | grep -E 'notice|mutants,|RUN.*/|^(ok|FAIL|---)'
	go test -count=1 -timeout 60m -run 'WithoutOneSafetyMeasure' -v ./internal/undo/restore | grep -E 'notice|RUN.*/|^(ok|FAIL|---)'

.PHONY: undo-kills
undo-kills: ## 2,200 kills of a process that takes snapshots, 2,000 undos that are killed once or twice, 300 with programs that write meanwhile, 200 crashes with a short command afterwards; fifteen minutes
	go test -count=1 -timeout 60m -run 'ShortCommandAfterACrash' -v ./cmd/bellcord -crashes 25 | grep -E 'crashes|lost|^(ok|FAIL|---)'
	go test -count=1 -timeout 60m -run 'ProcessKilledAnywhere' -v ./internal/undo/snapshot -kills 110 | grep -E 'killed|^(ok|FAIL|---)'
	go test -count=1 -timeout 60m -run 'KilledAtAnyPoint|DuringKilledUndos' -v ./internal/undo/restore -crashes 2000 -edits 300 | grep -E 'killed|lost|^(ok|FAIL|---)'

.PHONY: undo-long
undo-long: ## 10,000 random scripts through snapshot and undo, 10,000 random change sets, 100 undos with a real vim for each way to save; fifteen minutes
	go test -count=1 -timeout 60m -run 'RandomScripts|RandomChanges' -v ./internal/undo/restore -scripts 10000 -cases 10000 | grep -E 'scripts:|cases:|^(ok|FAIL|---)'
	go test -count=1 -timeout 60m -run 'RealVim' -v ./internal/undo/restore -vims 100 | grep -E 'lost|^ *(ok|FAIL|---)'

.PHONY: undo-bench
undo-bench: ## scans of 60,000 files of 1.5 GB next to git status, as ratios; first snapshot and disk; needs 4 GB of disk
	go test -count=1 -timeout 60m -run 'CallWithoutChanges' -bench 'Scan' -benchtime 11x -v ./internal/undo/snapshot | grep -E 'snapshot|first|scan/git|^(ok|FAIL|---)'

.PHONY: shape
shape: ## lines, files, packages, what the program links, exported identifiers, types with many methods, long lines
	go run ./tools/shape

.PHONY: laws-bytes
laws-bytes: ## law 21 after every single byte of the recorded streams, in every wire format
	go test -count=1 -timeout 30m -run 'TestLaw21_StopAfterAnyByte|TestLaw21_StreamCut' -v ./laws -stride 1 | grep -E 'rejected|^(ok|FAIL|---)'

.PHONY: laws-long
laws-long: ## the laws that chance decides, in the large numbers of their promises, and every law from every node; half an hour
	go test -count=1 -timeout 10m -run 'TestLaw23_StreamedText' -v ./laws -chance 10000 | grep -E 'lost|^(ok|FAIL|---)'
	go test -count=1 -timeout 10m -run 'TestLaw3[236]' -v ./cmd/bellcord -kills 100 | grep -E 'kills|settled|^(ok|FAIL|---)'
	go test -count=1 -timeout 10m -run 'TestLaw15' -v ./cmd/bellcord -kills 50 | grep -E 'kills|^(ok|FAIL|---)'
	go test -count=1 -timeout 60m -run 'TestLaw37_Kill' -v ./cmd/bellcord -kills 250 | grep -E 'kills|^ *(ok|FAIL|---)'
	go test -count=1 -timeout 10m -run 'TestLaw15_StopOfMixed' -v ./proc -stops 125 | grep -E '^ *(ok|FAIL|---)'
	go test -race -count=1 -timeout 15m -run 'TestLaw30_AnswerRacesStop' -v ./laws -races 10000 | grep -E 'races|^(ok|FAIL|---)'
	go test -count=1 -timeout 15m -run 'TestLaw18_Many' -v ./laws -leaks 10000 | grep -E 'stops:|^(ok|FAIL|---)'
	go test -count=1 -timeout 15m -run 'TestLaw02_PromptRaces' -v ./laws -idraces 10000 | grep -E 'races|^(ok|FAIL|---)'
	go test -count=1 -timeout 15m -run 'TestLaw02_RealPi' -v ./internal/agent/child/pi -args -n 200 | grep -E 'lost|^ *(ok|FAIL|---)'
	go test -count=1 -timeout 15m -parallel 3 -run 'TestLaw23_ClearOrStop' -v ./cmd/bellcord -args -n 200 | grep -E 'seed|violations|^ *(ok|FAIL|---)'
	go test -count=1 -timeout 60m ./laws -stores postgres -nodes

COMMANDS ?= 2000
.PHONY: fuzz-rules
fuzz-rules: ## COMMANDS (2000) generated commands; those that rules allow are run under strace, and may do nothing that no rule allows
	go test -count=1 -timeout 120m -run 'TestFuzzVerdict' -v ./internal/permit -commands $(COMMANDS) | grep -E 'generated|ran|opened|missing|^(ok|FAIL|---)'

.PHONY: hostile-workspaces
hostile-workspaces: ## COMMANDS (2000) commands in hostile workspaces at every level of the sandbox, as root and as nobody; an observer outside finds no harm, and finds it if the sandbox is weakened
	go test -count=1 -timeout 240m -v ./laws/hostile -commands $(COMMANDS) | grep -E 'harm:|seed|plan|found after|^ *(ok|FAIL|---)'

.PHONY: machine
machine: ## the rules of turns, leases, fences and stops as a state machine, ten million steps
	go test -count=1 -timeout 10m -run 'TenMillion|Mutation' -v ./laws/machine -steps 10000000 | grep -E 'violations|caught|^(ok|FAIL|---)'

CHAOS ?= 3m
CLOCKS ?=
.PHONY: chaos
chaos: ## three nodes, PostgreSQL and NATS, killed, paused and cut off for CHAOS (3m); with CLOCKS=-clocks, their clocks differ by 10 or 20 s
	go test -count=1 -timeout 60m -run 'TestChaos' -v ./laws/chaos -chaos $(CHAOS) $(CLOCKS) | grep -vE '^=== '

.PHONY: chaos-mutants
chaos-mutants: ## the three nodes broken on purpose, which the audit must notice
	go test -count=1 -timeout 30m -run 'TestMutations_' -v ./laws/chaos -mutations all $(CLOCKS) | grep -vE '^=== '

NIGHTLY := test vet-darwin prose snapshot hostile-batches hostile-workspaces undo-mutants undo-kills undo-long laws-long chaos chaos-mutants bench
.PHONY: nightly
nightly: ## what is too long for .ci/run: larger numbers, mutations, the release, the English, the figures; one table at the end
	@mkdir -p dist/nightly; failed=0; \
	for target in $(NIGHTLY); do \
		start=$$SECONDS; result=ok; \
		$(MAKE) $$target CHAOS=10m CLOCKS=-clocks > dist/nightly/$$target.log 2>&1 || { result="failed: dist/nightly/$$target.log"; failed=1; }; \
		printf '%-16s %5d s  %s\n' $$target $$((SECONDS - start)) "$$result"; \
	done; exit $$failed

.PHONY:
STOPS ?= 200
EARLY ?= 300
KILLS ?= 20
.PHONY: wine
wine: ## the Windows build under Wine: core, SQLite store, processes, commands; STOPS (200), EARLY (300) cancels, KILLS (20); installs Wine with apt
	STOPS=$(STOPS) EARLY=$(EARLY) KILLS=$(KILLS) timeout 3600 tools/wine/check

.PHONY: bench
bench: build ## every published figure, each beside its bare baseline
	go run ./bench
	go run ./bench cluster

.PHONY: eval
eval: ## scripted models with 61 typical mistakes in 30 tasks against the native agent, and a real model if a key is set; writes docs/dev/agent-eval.md
	go run ./eval -v -out docs/dev/agent-eval.md

BASE ?= HEAD
FIGURES ?= -n 2000 -only stop,events cluster
.PHONY: compare
compare: ## figures of BASE (HEAD) and of the working tree in turn, three runs each: make compare BASE=REV FIGURES='-only events cluster'
	go run ./tools/compare -base $(BASE) -- $(FIGURES)

.PHONY: examples
examples: build ## the programs in examples/, each a module of its own: vetted, tested and run with the fake model
	@for dir in $(EXAMPLES); do \
		echo "$$dir"; \
		(cd $$dir && go vet ./... && BELLCORD_BIN=$(CURDIR)/bin/bellcord go test -count=1 ./...) || exit 1; \
	done

.PHONY: install-check
install-check: ## go install of the program from a module proxy with this commit, in an empty home; a program that embeds the hub
	tools/modproxy/check

.PHONY: peers
peers: build peers-clients peers-viewers peers-matrix peers-features peers-stops ## real clients, viewers and agents

.PHONY: page
page: web/node_modules ## builds the page from web/ into the folder that the program embeds
	cd web && npm run --silent build

.PHONY: page-check
page-check: page ## the page that is kept is the one that the sources build
	@git diff --exit-code --stat -- internal/front/web/page/dist && test -z "$$(git status --porcelain -- internal/front/web/page/dist)" || { echo "the page is not what web/ builds: make page, then commit it"; exit 1; }
	@! grep -nE '"resolved"|https?://[^"]*registry' web/package-lock.json peers/page/package-lock.json peers/openapi/package-lock.json

.PHONY: typed-client
typed-client: build ## a TypeScript client generated from the OpenAPI document handles every kind of event
	BELLCORD_BIN=$(CURDIR)/bin/bellcord peers/openapi/check

.PHONY: page-test
page-test: build peers/page/node_modules ## the page in a real browser
	BELLCORD_BIN=$(CURDIR)/bin/bellcord go test -count=1 -timeout 20m -v ./peers/page -browser

.PHONY: surfaces
surfaces: build peers/page/node_modules ## one session in Telegram, a terminal, a browser and over HTTP, stopped in every way
	BELLCORD_BIN=$(CURDIR)/bin/bellcord go test -count=1 -timeout 5m -v ./peers/surfaces -browser

.PHONY: pictures
pictures: build peers/page/node_modules ## takes the pictures of docs/page.md
	mkdir -p docs/pictures
	cd peers/page && BELLCORD_BIN=$(CURDIR)/bin/bellcord node pictures.mjs $(CURDIR)/docs/pictures

.PHONY: icons
icons: peers/page/node_modules ## draws the icons of the installed page from web/public/icon.svg
	cd peers/page && node icons.mjs

.PHONY: pictures-chat
pictures-chat: build ## takes the pictures of the terminal: docs/pictures/chat.svg, which moves, and stills
	tools/recording/record bin/bellcord docs/pictures

.PHONY: site
site: ## the documents as pages for a browser, in dist/site; fails on a link that leads nowhere
	go run ./tools/site -out dist/site

# Not npm ci: it refuses a lock file without the bundler's parts for other systems.
# npm installs the locked versions, and adds the parts for other systems to the lock
# file whenever a registry offers them. --no-save keeps the lock file as it is.
web/node_modules: web/package-lock.json
	cd web && npm install --no-save --no-audit --no-fund && touch node_modules

peers/page/node_modules: peers/page/package-lock.json
	cd peers/page && npm ci --no-audit --no-fund && touch node_modules

.PHONY: peers-viewers
peers-viewers: ## a real browser and curl watch live turns while their connections are killed, 1,000 times
	go run ./peers/viewers -kills 1000

CUTS ?= 500
.PHONY: acp-cuts
acp-cuts: ## CUTS (500) connections of ACP clients cut during live turns, over WebSocket, HTTP and a bridge: nothing is missing or repeated after a resume, and a load equals the log
	go test -race -count=1 -timeout 60m -run 'TestCuts_|TestBridge_ConnectionsCut' -v ./internal/front/acpnet -cuts $(CUTS) | grep -E 'cuts in|^ *(ok|FAIL|---)'

.PHONY: peers-clients
peers-clients: build ## the built binary driven by real ACP clients
	./peers/run

.PHONY: peers-matrix
peers-matrix: build ## real agents' stops, bare and behind Bellcord; writes docs/dev/peers.md
	BELLCORD_AGENTS=$$(peers/agents/install) go run ./peers/matrix -out docs/dev/peers.md

.PHONY: peers-features
peers-features: build ## features of real agents, bare and behind Bellcord; writes docs/dev/peers.md, fails if one is lost
	BELLCORD_AGENTS=$$(peers/agents/install) go run ./peers/features -out docs/dev/peers.md

STOPS ?= 100
STOPPED ?= goose,opencode,claude,codex,pi
.PHONY: peers-stops
peers-stops: build ## STOPS (100) stops at random moments for each of the agents STOPPED (five) behind Bellcord, on stdio and over WebSocket
	BELLCORD_AGENTS=$$(peers/agents/install) go run ./peers/features -stops $(STOPS) -names $(STOPPED)

UNDOS ?= 20
UNDONE ?= goose,opencode,claude,codex,gemini,qwen,kimi,pi
.PHONY: peers-undos
peers-undos: build ## UNDOS (20) turns of each of the agents UNDONE (eight) that change files, are stopped and undone; the tree is compared
	BELLCORD_AGENTS=$$(peers/agents/install) go run ./peers/features -undos $(UNDOS) -names $(UNDONE)

.PHONY: pictures-telegram
pictures-telegram: build ## takes the pictures of docs/telegram.md anew; needs chromium, curl, jq and optipng
	docs/pictures/telegram.sh

.PHONY: reference
reference: ## the reference pages in docs and docs/dev from the code, and the tests of each law in LAWS.md; tests say when they are old
	go test -count=1 -run 'TestReference_' ./cmd/bellcord -update
	go test -count=1 -run TestReference_ ./internal/llm/fakemodel ./internal/telemetry -update
	go test -count=1 -run 'TestLaws_|TestEventsPage_|TestPackagesPage_' . -update

.PHONY: snapshot
snapshot: ## a release for this system, built and tried, published nowhere; tools/release-try --all for every system
	tools/release-try

.PHONY: first-answer
first-answer: ## from the archive of make snapshot to the first answer, in an empty home, each command timed
	tools/first-answer dist/bellcord_*_$$(go env GOOS)_$$(go env GOARCH).tar.gz

.PHONY: build
build: ## bin/bellcord
	go build -ldflags '-s -w' -o bin/bellcord ./cmd/bellcord # without -trimpath: the tests use the same packages

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(GOBIN)/golangci-lint:
	go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

$(GOBIN)/gofumpt:
	go install mvdan.cc/gofumpt@$(FUMPT_VERSION)
