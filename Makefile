# SPDX-License-Identifier: GPL-2.0-or-later
#
# 'make help' explains the targets.

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR

# The kernels every change is built for and tested on, the one that watches what the
# tests do to it, and those that 'make check-all' has, too.
SERIES := 6.1 6.12
DEBUG := 6.12-debug
MORE := 6.1-debug 6.12-kcsan 6.1-kcsan

TOOLS := $(patsubst %/Makefile,%,$(wildcard tools/*/Makefile))
EXAMPLES := $(patsubst %/Makefile,%,$(wildcard Documentation/examples/Makefile))
TESTDIRS := $(patsubst %/Makefile,%,$(wildcard selftests/*/Makefile selftests/*/*/Makefile))
BENCHES := $(patsubst %/Makefile,%,$(wildcard bench/*/Makefile))

MANPAGES = $(wildcard Documentation/man/*.[0-9])
MANDIR = $(DESTDIR)$(PREFIX)/share/man
UAPI = $(wildcard include/uapi/linux/*.h)
INCLUDEDIR = $(DESTDIR)$(PREFIX)/include/linux

# What the kernel in KDIR calls itself; empty when there are no headers.
RELEASE := $(shell awk 'NF == 3 && $$2 == "UTS_RELEASE" { gsub(/"/, ""); print $$3 }' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
# Set BUILD= to keep two builds for the same kernel apart.
BUILD ?= build
OUT := $(abspath $(BUILD)/$(RELEASE))
MODDIR = $(DESTDIR)/lib/modules/$(RELEASE)/updates

NO_HEADERS = no headers of kernel $(KVER) are in $(KDIR), so the module \
	is left out; install linux-headers-$(KVER), give KVER= or KDIR=, or \
	build for the test kernels with 'make modules-all'

all: module tools

help:
	@echo 'make              the module for the running kernel (or KVER=, KDIR=) and the tools'
	@echo 'make modules-all  the module for Debian kernels $(SERIES), in build/RELEASE/'
	@echo 'make module-6.12-debug  the module for a kernel that watches itself'
	@echo 'make module-kcov  the same, for the fuzzer'
	@echo 'make module-coverage  the same, with counters of lines'
	@echo 'make tools        the tools only'
	@echo 'make install      module, tools, headers and manual pages (PREFIX=, DESTDIR=)'
	@echo 'make uninstall    take them away again'
	@echo 'make deps         install the Debian packages and fetch the kernels that are missing'
	@echo 'make tests        the test programs'
	@echo 'make check        build and run the tests, in some minutes (TESTS= for some of them)'
	@echo 'make check-all    all of them on all kernels, in some hours; results in build/results.md'
	@echo 'make soak         bad networks and random faults (MINUTES=10, SEED=, SEEDS=, KERNEL=6.12)'
	@echo 'make checkstyle   checkpatch, sparse, W=1 and shellcheck'
	@echo 'make coverage     how much of the module the tests run, by file and function'
	@echo 'make demo         nine nodes find their network, and a file goes over it by four plans'
	@echo 'make bench        the cost of relaying, beside other ways to do it'
	@echo 'make bench-plan   how long planning takes, in sizes that double'
	@echo 'make bench-measure  how good measured networks are, and plans of them (SEED=, DATA=)'
	@echo 'make bench-bounds  when nodes have a file, beside the plan and the bound, in hours;'
	@echo '                  results in build/bounds.md (SIZES=, PLANS=, SEED=, DATA=)'
	@echo 'make bench-memory  a file of 4 GiB in a machine of 512 MiB, and slow children (SIZE=)'
	@echo 'make bench-hostile  what hostile neighbours cost; results in build/hostile.md'
	@echo 'make figures      the papers'"'"' experiments, run again (SIZE=, SEED=, DATA=, FIGURES=)'
	@echo 'make clean        remove what was built'

ifeq ($(RELEASE),)
module:
	@echo "hbcast: $(strip $(NO_HEADERS))" >&2

install-module uninstall-module: module
else
# The kernel's build writes beside its sources, so each kernel gets a
# directory of links to them and all can be built at once.
module:
	@mkdir -p $(OUT)
	@find $(OUT) -xtype l -delete
	@cp -rsf $(CURDIR)/Kbuild $(CURDIR)/kmod $(CURDIR)/include $(OUT)
	flock $(OUT)/.lock $(MAKE) -C $(KDIR) M=$(OUT) modules

install-module: module
	install -D -m 644 $(OUT)/hbcast.ko $(MODDIR)/hbcast.ko
	$(if $(DESTDIR),,depmod $(RELEASE))

uninstall-module:
	$(RM) $(MODDIR)/hbcast.ko
	$(if $(DESTDIR),,depmod $(RELEASE))
endif

modules-all: $(SERIES:%=module-%)

# '+' lets what it starts have a part in this make's jobs.
module-%:
	+@dir=$$(selftests/vm/kernel dir $*) && selftests/vm/module $$dir $(BUILD)

# The module that tells KCOV, and so the fuzzer, where it has been.
module-kcov:
	$(MAKE) module-$(DEBUG) BUILD=$(BUILD)/kcov KCOV_INSTRUMENT=y

# The one whose lines are counted. Notes of an older one would count for it, too.
module-coverage:
	$(RM) -r build/coverage
	$(MAKE) module-$(DEBUG) BUILD=build/coverage GCOV_PROFILE=y KCOV_INSTRUMENT=y

tools: $(TOOLS)

$(TOOLS) $(EXAMPLES) $(TESTDIRS) $(BENCHES):
	$(MAKE) -C $@

tools/hbcastctl: $(filter tools/libhbplan,$(TOOLS))

examples: $(EXAMPLES)

# What is built for tests may have been compiled before, in another clone. ccache
# looks for what the preprocessor makes of a source, and compiles just that, so that
# an object can be of nothing else; it does not tell where the clone is.
ifneq ($(and $(filter build tests,$(MAKECMDGOALS)),$(shell ccache --version 2>/dev/null)),)
ifeq ($(origin CC),default)
export CC := ccache cc -fdebug-prefix-map=$(CURDIR)=. -fno-working-directory
endif
export FUZZ_CC := ccache clang -fdebug-prefix-map=$(CURDIR)=.
export CCACHE_DIR := $(abspath \
	$(or $(HBCAST_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/hbcast)/ccache)
export CCACHE_NODIRECT := 1
export CCACHE_NOCPP2 := 1
export CCACHE_COMPILERCHECK := string:$(shell \
	for tool in cc clang as; do $$tool --version; done 2>&1 | sha256sum)
endif

# Where tests in C find kselftest_harness.h.
tests: export KSELFTEST = $(shell selftests/vm/kernel source)/tools/testing/selftests
tests: $(TESTDIRS) $(BENCHES)

$(TESTDIRS) $(BENCHES): $(TOOLS)

install: install-module install-tools

install-tools: tools
	for dir in $(TOOLS); do $(MAKE) -C $$dir install || exit; done
	install -d $(INCLUDEDIR)
	install -m 644 $(UAPI) $(INCLUDEDIR)
	for page in $(MANPAGES); do \
		install -D -m 644 $$page $(MANDIR)/man$${page##*.}/$${page##*/} || exit; \
	done

# What an installation into an empty directory puts there is what goes.
uninstall: uninstall-module
	stage=$$(mktemp -d) && \
	$(MAKE) -s install-tools DESTDIR=$$stage && \
	(cd $$stage && find . -type f -print0) | \
		(cd $(or $(DESTDIR),/) && xargs -0 $(RM) --) && \
	$(RM) -r $$stage

# All processors, unless the caller has said how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

deps:
	@selftests/deps

# What 'make check' tests.
build: modules-all module-$(DEBUG) module-kcov tools tests examples

# Each of these installs what is missing before it builds.
check: deps
	$(MAKE) $(PARALLEL) build
	selftests/run $(TESTS)

check-all: deps
	$(MAKE) $(PARALLEL) build module-coverage $(MORE:%=module-%)
	HBCAST_THOROUGH=1 selftests/run --all --coverage --page build/results.md $(TESTS)

# For as long as one likes; KERNEL may be several, which take turns. SEEDS are from SEED on,
# and all run, whatever fails. What a machine finds has a part in what happens, so all is
# built as for 'make check': a seed that fails there fails here.
soak: MINUTES ?= 10
soak: KERNEL ?= 6.12
soak: SEED ?= 1
soak: SEEDS ?= 1
soak: deps
	$(MAKE) $(PARALLEL) build $(KERNEL:%=module-%)
	status=0; for kernel in $(KERNEL); do \
		env $(if $(MINUTES:0=),HBCAST_SECONDS=$$(($(MINUTES) * 60)),-u HBCAST_SECONDS) \
			selftests/run -a -v -k $$kernel -s $(SEED) -n $(SEEDS) soak/test-soak || \
			status=1; \
	done; exit $$status

checkstyle: deps
	selftests/checkstyle

# How much of the module the tests run, on the kernel that watches most.
coverage: deps
	$(MAKE) $(PARALLEL) module-coverage tools tests
	selftests/run --coverage -k $(DEBUG) $(TESTS)

demo: deps
	$(MAKE) $(PARALLEL) module-6.12 tools
	demo/run

# On one processor, as a planner is one thread.
bench-plan: deps
	$(MAKE) $(PARALLEL) tools bench/plan
	taskset -c 0 bench/plan/bench-plan

bench-measure: export SEED ?= 1
bench-measure: deps
	$(MAKE) $(PARALLEL) module-6.12 tools
	bench/measure/run $(if $(DATA),$(DATA)/*.json)

bench-bounds: export SEED ?= 1
bench-bounds: export SIZES ?= 16MiB 64MiB
bench-bounds: export PLANS ?= stable mtp auto
bench-bounds: deps
	$(MAKE) $(PARALLEL) module-6.12 tools
	bench/bounds/run $(if $(DATA),$(DATA)/*.json)

bench-memory: deps
	$(MAKE) $(PARALLEL) module-6.12 tools examples
	bench/memory/run

# Tables and pictures of the papers' experiments, all or FIGURES, in build/figures.
figures: export OUTPUT ?= $(BUILD)/figures
figures: export SIZE ?= usual
figures: export SEED ?= 1
figures: export DATA ?=
figures: deps
	@selftests/deps gnuplot-nox
	$(MAKE) $(PARALLEL) module-6.12 tools bench/figures
	bench/figures/run $(FIGURES)

bench-hostile: deps
	$(MAKE) $(PARALLEL) module-6.12 tools
	bench/hostile/run

bench: deps
	$(MAKE) $(PARALLEL) modules-all tools bench/relay
	bench/relay/run

clean:
	$(RM) -r build .checkpatch-camelcase.*
	for dir in $(TOOLS) $(EXAMPLES) $(TESTDIRS) $(BENCHES); do $(MAKE) -C $$dir clean || exit; done

.PHONY: all help module install-module uninstall-module modules-all module-kcov \
	module-coverage tools $(TOOLS) $(EXAMPLES) $(TESTDIRS) $(BENCHES) examples tests install \
	install-tools uninstall deps build check check-all soak checkstyle coverage demo bench \
	bench-plan bench-measure bench-bounds bench-memory bench-hostile figures clean
