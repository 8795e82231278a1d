# Makefile - the only one. Everything that is built lands in BUILD; the tree itself stays as it is.
#
#   make              the eleven benchmark programs and busbar
#   make quickstart   installs what is missing, builds, measures this machine and judges it: two minutes
#   make fabric-demo  two networks of eight hosts compared, and a misroute found (as root)
#   make check        installs what is missing and passes the tests
#   make config       what was found on this machine, and how to get the rest
#   make install      PREFIX=/usr/local, DESTDIR=
#   make deps lint check-unit check-cli check-mpi check-fault check-fabric check-asan perf-memory clean

BUILD ?= build
CC ?= gcc
OPT ?= -O3
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
CPPFLAGS += -I. -D_GNU_SOURCE
CFLAGS += -std=c11 $(OPT) -g -pthread $(WARN)
LDLIBS += -ljansson -lm -pthread

COLLECTIVES = all_reduce all_gather reduce_scatter alltoall alltoallv broadcast reduce gather scatter sendrecv hypercube

# Optional libraries: auto (probed), yes (must be there) or no.
WITH_MPI ?= auto
WITH_HWLOC ?= auto
WITH_PAPI ?= auto
probe = $(shell printf '\043include <$(1)>\nint main(void){return 0;}\n' | $(CC) $(4) -x c - -o /dev/null $(2) 2>/dev/null && echo 1)
MPI_CFLAGS ?= $(shell pkg-config --cflags mpich 2>/dev/null)
MPI_LIBS ?= $(shell pkg-config --libs mpich 2>/dev/null)
ifneq ($(WITH_MPI),no)
HAVE_MPI := $(call probe,mpi.h,$(MPI_LIBS),,$(MPI_CFLAGS))
endif
ifneq ($(WITH_HWLOC),no)
HAVE_HWLOC := $(call probe,hwloc.h,-lhwloc)
endif
ifneq ($(WITH_PAPI),no)
HAVE_PAPI := $(call probe,papi.h,-lpapi)
endif

SRC_ALL := $(wildcard bench/*.c bench/*/*.c)
SRC_OFF :=
ifeq ($(HAVE_MPI),1)
CPPFLAGS += -DHAVE_MPI=1
CFLAGS += $(patsubst -I%,-isystem %,$(MPI_CFLAGS))
LDLIBS += $(MPI_LIBS)
else
SRC_OFF += $(wildcard bench/bootstrap/mpi*.c bench/backend/mpi*.c)
endif
ifeq ($(HAVE_HWLOC),1)
CPPFLAGS += -DHAVE_HWLOC=1
LDLIBS += -lhwloc
else
SRC_OFF += bench/core/topology_hwloc.c
endif
ifeq ($(HAVE_PAPI),1)
CPPFLAGS += -DHAVE_PAPI=1
LDLIBS += -lpapi
else
SRC_OFF += bench/counter/papi.c
endif

LIB_OBJ = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out bench/main.c $(SRC_OFF),$(SRC_ALL)))
BUSBAR_OBJ = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard analysis/*.c))
PROGRAMS = $(COLLECTIVES:%=$(BUILD)/%_perf$(NAME_SUFFIX))
UNIT_TESTS = $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))

all: programs busbar
programs: $(if $(wildcard bench/main.c),$(PROGRAMS))
busbar: $(if $(wildcard analysis/busbar.c),$(BUILD)/busbar)
lib: $(BUILD)/libbench.a

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libbench.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/obj/main_%.o: bench/main.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DPROGRAM_COLLECTIVE='"$*"' -MMD -MP -c -o $@ $<

$(BUILD)/%_perf$(NAME_SUFFIX): $(BUILD)/obj/main_%.o $(BUILD)/libbench.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/busbar: $(BUSBAR_OBJ) $(BUILD)/libbench.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcsv -lgsl -lgslcblas $(LDLIBS)

$(BUILD)/tests/unit/%: tests/unit/%.c $(filter-out $(BUILD)/obj/analysis/busbar.o,$(BUSBAR_OBJ)) $(BUILD)/libbench.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) -lcmocka -lcsv -lgsl -lgslcblas $(LDLIBS)

# Test doubles: one rank of it fails in one phase; one bit of one rank's result is wrong.
define double
$(BUILD)/tests/fault/$(1)_%_perf: tests/fault/$(1).c $(BUILD)/obj/main_%.o $(BUILD)/libbench.a
	@mkdir -p $$(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -Wl,--wrap=registry_choose -o $$@ $$(filter %.c %.o %.a,$$^) $(LDLIBS)
endef
$(foreach name,faulty corrupting,$(eval $(call double,$(name))))

# What things cost on this machine: tables, no verdicts.
$(BUILD)/tests/perf/%: tests/perf/%.c $(BUILD)/libbench.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LDLIBS)

perf-memory: $(BUILD)/tests/perf/memory
	$<

# --- tests: tests/run.sh counts them --------------------------------------------------------------------------------------

FAULTY = $(patsubst %,$(BUILD)/tests/fault/%_all_reduce_perf,faulty corrupting)
ROOT := $(filter 0,$(shell id -u))
CLI_TESTS = $(wildcard tests/cli/*.bats)
MPI_TESTS = $(wildcard tests/mpi/*.bats)
FAULT_TESTS = $(wildcard tests/fault/*.bats)
FABRIC_TESTS = $(wildcard tests/fabric/*.bats)
RUN = BUILD=$(BUILD) tests/run.sh

tests: all $(UNIT_TESTS) $(FAULTY)

check: deps
	$(MAKE) tests
	$(RUN) $(UNIT_TESTS) $(CLI_TESTS) $(MPI_TESTS) $(FAULT_TESTS) $(FABRIC_TESTS)

check-unit: $(UNIT_TESTS)
	$(RUN) $(UNIT_TESTS)
check-cli: all
	$(RUN) $(CLI_TESTS)
check-mpi: tests
	$(RUN) $(MPI_TESTS)
check-fault: $(FAULTY)
	$(RUN) $(FAULT_TESTS)
check-fabric: all
	$(RUN) $(FABRIC_TESTS)

# The same unit tests with every access and every undefined operation checked. What MPICH leaks is its own.
check-asan:
	$(MAKE) BUILD=build-asan OPT='-O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-format-truncation' tests
	LSAN_OPTIONS=suppressions=tests/lsan.supp BUILD=build-asan tests/run.sh $(UNIT_TESTS:$(BUILD)/%=build-asan/%)

LINT_C = $(filter-out bench/main.c $(SRC_OFF),$(SRC_ALL)) $(wildcard analysis/*.c)
lint:
	shellcheck $(wildcard launch/*.sh tests/*.sh tests/*/*.sh)
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability \
		--suppress=missingIncludeSystem --suppress=memleak --suppress=autoVariables -D_GNU_SOURCE -I. $(LINT_C)
	printf '%s\n' $(LINT_C) | xargs -P 2 -n 8 sh -c 'clang-tidy --quiet "$$@" -- $(CPPFLAGS) $(filter-out $(WARN),$(CFLAGS))' clang-tidy
	@for h in $(wildcard bench/*/*.h bench/*.h analysis/*.h kernels/*.h); do \
		$(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only -include $$h -x c /dev/null || exit 1; done

# --- for people -----------------------------------------------------------------------------------------------------------

deps:
	@launch/deps.sh

quickstart: deps
	$(MAKE) all
	BUILD=$(BUILD) launch/run.sh -n 4 launch/plans/quick.plan

# Eight hosts of its own making, two networks, one misroute: three minutes, as root.
fabric-demo: deps
	$(MAKE) all
	BUILD=$(BUILD) tests/fabric/demo.sh

found = @printf '%-8s %-4s %s\n' '$(1)' '$(if $(filter 1,$(2)),yes,no)' '$(if $(filter 1,$(2)),$(3),$(4))'
config:
	$(call found,MPI,$(HAVE_MPI),$(MPI_LIBS),not found or WITH_MPI=no: make deps; else MPI_CFLAGS= and MPI_LIBS=)
	$(call found,hwloc,$(HAVE_HWLOC),binds ranks and describes the machine,not found or WITH_HWLOC=no: make deps)
	$(call found,PAPI,$(HAVE_PAPI),cycles and instructions,not found or WITH_PAPI=no: make deps)

PREFIX ?= /usr/local
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/busbar/plans
	install $(PROGRAMS) $(BUILD)/busbar $(DESTDIR)$(PREFIX)/bin
	install -m 644 launch/plans/*.plan $(DESTDIR)$(PREFIX)/share/busbar/plans

# The description of the files in results/, from the lists that write them.
schema: $(BUILD)/busbar
	$(BUILD)/busbar schema > results/README.md

clean:
	rm -rf $(BUILD) build-asan

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all programs busbar lib tests check check-unit check-cli check-mpi check-fault check-fabric check-asan lint deps \
	quickstart fabric-demo config install schema perf-memory clean
.DELETE_ON_ERROR:
.SECONDARY:
