# Velella's front door: each target installs the Debian packages it lacks, builds with CMake and Ninja, and runs something.
# From a bare machine on, `make demo` and `make test` are all that is needed.
SHELL := bash
# idle threads sleep soon instead of spinning: see app/patience.c
export GOMP_SPINCOUNT ?= 2000
export KMP_BLOCKTIME ?= 1
.DEFAULT_GOAL := help
.PHONY: help demo test bench validate lint format asan tsan build install docs clean
PREFIX ?= /usr/local

help: ## this list
	@echo "Velella: liquids and bodies that push each other."
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: ## the library, the command, the renderer and the tests: build/release (gcc)
	@scripts/install build render
	@scripts/build release

install: build/release/CMakeCache.txt ## library, headers and commands into PREFIX (/usr/local), below DESTDIR where given
	@scripts/build release installed
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

build/release/CMakeCache.txt:
	@scripts/install build render

demo: ## a dam breaks against an elastic beam: video, pictures and report in demo/
	@scripts/install build render report
	@scripts/build release velella_command velella_render_command
	@build/release/velella run beam --out demo --overwrite --set grid.cells=48 --set output.fields=false --until 2
	@build/release/velella render demo --quality low --video
	@build/release/velella report demo
	@scripts/tell-run demo

test: ## every test with gcc, then the fast ones with clang, ASan and UBSan
	@scripts/install build render sanitize
	@scripts/test release asan:fast

asan: ## the fast tests under AddressSanitizer (leaks too) and UBSan
	@scripts/install build sanitize
	@scripts/test asan:fast

tsan: ## the fast tests under ThreadSanitizer
	@scripts/install build sanitize
	@scripts/test tsan:fast

validate: ## compare with theory and experiment: validate/
	@scripts/install build
	@scripts/build release validate_programs
	@scripts/run-all validate

bench: ## measure speed, and solvers beside others': bench/, docs/benchmarks.md
	@scripts/install build render bench
	@scripts/build release bench_programs velella_command
	@scripts/run-all bench
	@build/release/velella bench table1
	@build/release/velella bench table2
	@build/release/velella bench stability
	@build/release/velella bench immersed

lint: ## format, static checks, layers, shell syntax
	@scripts/install lint
	@scripts/lint

format: ## let clang-format rewrite the sources
	@scripts/install lint
	@find include src app render view examples tests validate bench scripts -name '*.[ch]' 2>/dev/null | xargs clang-format -i

docs: ## write docs/scene.md from the table of keys
	@scripts/install build
	@scripts/build release scene_docs
	@build/release/scene_docs >docs/scene.md.part && mv docs/scene.md.part docs/scene.md
	@echo "docs/scene.md is up to date"

clean: ## remove build/ and demo/
	rm -rf build demo
