# The front door. Meson does the work; this file says which commands there are.
#
#   make report             the main job: set up, build, measure this machine and write report/report.html
#   make test               the quick tests;  make test TIER=full  runs what CI runs
#   make help               the rest

PREFIX  ?= /usr/local
DESTDIR ?=
TIER    ?= quick
BUILD   ?= build
BUDGET  ?= 60s
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

export BUILD JOBS

.PHONY: all help setup build report test bench install format lint clean

all: build

help:
	@echo 'make report              set up, build, measure this machine, write report/report.html (BUDGET=60s)'
	@echo 'make test                quick tests, under 3 minutes'
	@echo 'make test TIER=full      sanitizers, both MPIs, cluster, fuzz replay: what CI runs, under 15 minutes'
	@echo 'make test TIER=long      the slow rest: more processes and kills, long stress'
	@echo 'make bench               every benchmark beside its reference, one table; never fails the build'
	@echo 'make install             to PREFIX (/usr/local), below DESTDIR if that is set'
	@echo 'make format              clang-format on every C file'
	@echo 'make lint                format check and clang-tidy'
	@echo 'make setup               only install the distribution packages that are missing'
	@echo 'make clean               remove the build folders'
	@echo
	@echo 'variables: PREFIX DESTDIR TIER=quick|full|long BUILD=build JOBS=$(JOBS) BUDGET=60s'

setup:
	@tools/setup build mpi

build: setup
	@tools/build '$(BUILD)'

report: build
	@tools/setup report
	@mkdir -p report
	@'$(BUILD)/src/cli/superstep' report --budget '$(BUDGET)' --force --keep report/profile.json --out report/report.html

test:
	@tools/test '$(TIER)'

bench: setup
	@tools/setup bench
	@RECONFIGURE=1 tools/build '$(BUILD)'
	@tools/bench-all '$(BUILD)'

install: build
	@meson configure '$(BUILD)' -Dprefix='$(abspath $(PREFIX))'
	@tools/build '$(BUILD)'
	@DESTDIR='$(if $(DESTDIR),$(abspath $(DESTDIR)))' meson install -C '$(BUILD)' --no-rebuild
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig 2>/dev/null || :; fi

format:
	@tools/setup lint
	@tools/format

lint:
	@tools/setup build lint
	@tools/format --check
	@tools/tidy

clean:
	rm -rf build build-asan build-tsan
