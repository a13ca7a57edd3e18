# Each verb is a script of a screen or two; what it does, stands there.

.DEFAULT_GOAL := help
.PHONY: help setup build release package check-packages test test-postgresql test-failover check-api check-observability check-pages check-dashboard lint format fuzz fuzz-parsers check test-of-tests bench bench-peers docs examples run clean

help: ## list the verbs
	@echo "Okaeri: make VERB"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1 \2/p' $(MAKEFILE_LIST) | while read -r verb what; do printf '  %-12s %s\n' "$$verb" "$$what"; done

setup: ## install the system packages that are missing (as root), or print the line that does
	@scripts/setup

build: ## build both packages for development
	@scripts/build

release: ## build the program for use, and say where it is
	@scripts/release

package: ## build a .deb, a .tar.gz and a container image into .build/packages (the image as root)
	@scripts/package

check-packages: ## install, start, upgrade and purge the packages in clean Debian systems (as root)
	@scripts/check-packages

test: ## build and run all tests of both packages
	@scripts/test

test-postgresql: ## run the tests of the API on PostgreSQL too
	@scripts/test-postgresql

check-api: ## ask a running server by openapi.yaml, with thousands of right and wrong requests
	@scripts/check-api

.PHONY: check-webhooks
check-webhooks: ## verify what a running server sends by another implementation of Standard Webhooks (from PyPI)
	@scripts/check-webhooks

.PHONY: check-cbor
check-cbor: ## compare what is read of authenticators with another implementation of CBOR (from PyPI)
	@scripts/check-cbor

.PHONY: check-import-pocketbase
check-import-pocketbase: ## move users from a real PocketBase (from PyPI) by the commands of its guide
	@scripts/check-import-pocketbase

check-observability: ## check the board for Grafana and the alerts for Prometheus with promtool
	@scripts/check-observability

check-dashboard: ## play an owner at the dashboard in headless Chromium
	@scripts/check-dashboard

check-pages: ## play a person at the hosted pages in headless Chromium
	@scripts/check-pages

test-failover: ## strike the primary of a PostgreSQL with a standby under load (Patroni; as root also partitions), and see that nothing is lost; FAILOVERS=… PROGRAM=…
	@scripts/test-failover $(if $(FAILOVERS),--failovers $(FAILOVERS)) $(PROGRAM)

lint: ## check form, the rules of the project, and that the paths in the documents exist
	@scripts/lint

format: ## lay out all Swift sources as .swift-format says
	@scripts/format

fuzz: ## send hostile requests to a server of its own for a minute; scripts/fuzz --help
	@scripts/fuzz

fuzz-parsers: ## give made-up bytes to every parser of foreign bytes, with sanitizers; scripts/fuzz-parsers --help
	@scripts/fuzz-parsers

check: ## what must pass before anything lands: lint, tests, reference pages, a walk through make run
	@scripts/check

.PHONY: simulate
simulate: ## run rules and SQLite engine on a simulated disk, clock and network; SEED=… OPERATIONS=… NODES=… CONFIGURATION=release
	@scripts/simulate $(if $(SEED),--seed $(SEED)) $(if $(OPERATIONS),--operations $(OPERATIONS)) $(if $(NODES),--nodes $(NODES))

.PHONY: torture
torture: ## kill a server again and again under mixed load and compare it with what it answered; KILLS=… SEED=… DISK=full|sync|power CONFIGURATION=release
	@scripts/torture $(if $(KILLS),--kills $(KILLS)) $(if $(SEED),--seed $(SEED)) $(if $(DISK),--disk $(DISK))

.PHONY: soak
soak: ## two hours of mixed load on a release server: memory, files and latency have to stay flat; SECONDS=…
	@scripts/soak

test-of-tests: ## plant small faults into the domain and count those that the tests catch; scripts/test-of-tests --help
	@scripts/test-of-tests

bench: ## measure the server against its own ceilings, as ratios
	@scripts/bench

bench-peers: ## measure PocketBase beside it, in the same run
	@scripts/bench-peers

docs: ## write the map of targets in docs/ARCHITECTURE.md; build the SDK's reference pages and DocC tutorials into .build/documentation
	@scripts/docs

.PHONY: site check-site pictures
site: ## build one static site of all documents into .build/site; it can be opened as a file
	@scripts/site

check-site: ## build the site, and look at every page of it in headless Chromium
	@scripts/check-site

pictures: ## take the documents' pictures anew from a running server
	@scripts/pictures

examples: ## build the example apps; those for Apple's systems are type-checked elsewhere
	@scripts/examples

run: ## build the server, start it, and play the demo app against it twice
	@scripts/run

clean: ## remove what was built; the data in okaeri-data stays
	@scripts/clean
