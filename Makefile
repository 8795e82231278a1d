# Makefile - the only one. Everything that is built lands in BUILD; the tree itself stays as it is.
#
#   make              the eleven benchmark programs and busbar
#   make quickstart   installs what is missing, builds, measures this machine and judges it: two minutes
#   make fabric-demo  two networks of eight hosts compared, and a misroute found (as root)
#   make check        installs what is missing and passes the tests
#   make config       what was found on this machine, and how to get the rest
#   make install      PREFIX=/usr/local, DESTDIR=
#   make deps lint check-unit check-cli check-mpi check-fault check-fabric check-asan perf-memory kernels check-kernels clean

MAKEFLAGS += --no-builtin-rules
BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
OPT ?= -O3
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
SAN = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-format-truncation)
COLLECTIVES = all_reduce all_gather reduce_scatter alltoall alltoallv broadcast reduce gather scatter sendrecv hypercube

# Optional libraries, each with the sources that need it: WITH_X=auto (used when it is found), yes (must be there) or no.
# The probes run once, into config.mk, and again when these words or what is installed change.
FEATURES = MPI HWLOC PAPI VERBS CUDA NCCL
SRC_MPI = $(wildcard bench/bootstrap/mpi*.c bench/backend/mpi*.c)
SRC_HWLOC = $(wildcard bench/core/topology_hwloc.c)
SRC_PAPI = $(wildcard bench/counter/papi.c)
SRC_VERBS = $(wildcard bench/transport/verbs*.c)
SRC_CUDA = $(wildcard bench/memory/cuda*.c)
SRC_NCCL = $(wildcard bench/backend/nccl*.c)
PROBE = CC='$(CC)' MPI_HOME='$(MPI_HOME)' CUDA_HOME='$(CUDA_HOME)' NCCL_HOME='$(NCCL_HOME)' \
	$(foreach f,$(FEATURES),WITH_$f='$(or $(WITH_$f),auto)')

# Goals that need no probe: they set up first and then start make again, or compile nothing.
BARE = check deps quickstart fabric-demo test clean
ifneq ($(filter-out $(BARE),$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/config.mk
endif
ON := $(strip $(foreach f,$(FEATURES),$(if $(HAVE_$f),$(if $(SRC_$f),$f))))
SRC_OFF := $(foreach f,$(filter-out $(ON),$(FEATURES)),$(SRC_$f))

override CPPFLAGS += -I. -D_GNU_SOURCE $(ON:%=-DHAVE_%=1) $(foreach f,$(ON),$(CPPFLAGS_$f))
override CFLAGS += -std=c11 $(OPT) -g -pthread $(WARN) $(SAN)
override LDLIBS += $(LIBS_JANSSON) $(foreach f,$(ON),$(LIBS_$f)) -lm -pthread
BUSBAR_LIBS = $(LIBS_CSV) $(LIBS_GSL)

SRC_ALL := $(wildcard bench/*.c bench/*/*.c)
LIB_OBJ = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out bench/main.c $(SRC_OFF),$(SRC_ALL)))
BUSBAR_OBJ = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard analysis/*.c))
PROGRAMS = $(COLLECTIVES:%=$(BUILD)/%_perf$(NAME_SUFFIX))
UNIT_TESTS = $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))

all: programs busbar
programs: $(if $(wildcard bench/main.c),$(PROGRAMS))
busbar: $(if $(wildcard analysis/busbar.c),$(BUILD)/busbar)
lib: $(BUILD)/libbench.a

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libbench.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(COLLECTIVES:%=$(BUILD)/obj/main_%.o): $(BUILD)/obj/main_%.o: bench/main.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DPROGRAM_COLLECTIVE='"$*"' -MMD -MP -c -o $@ $<

$(BUILD)/%_perf$(NAME_SUFFIX): $(BUILD)/obj/main_%.o $(BUILD)/libbench.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/busbar: $(BUSBAR_OBJ) $(BUILD)/libbench.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(BUSBAR_LIBS) $(LDLIBS)

$(BUILD)/tests/unit/%: tests/unit/%.c $(filter-out $(BUILD)/obj/analysis/busbar.o,$(BUSBAR_OBJ)) $(BUILD)/libbench.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) -lcmocka $(BUSBAR_LIBS) $(LDLIBS)

# These change only when what they hold does: what is compiled depends on the flags, the probes on their words.
$(BUILD)/flags: WORDS = $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LDLIBS)
$(BUILD)/probe: WORDS = $(PROBE) $(shell command -v mpicc)
$(BUILD)/flags $(BUILD)/probe: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$(WORDS)" | cmp -s - $@ || printf '%s\n' "$(WORDS)" >$@

$(BUILD)/config.mk: bench/config.sh $(BUILD)/probe $(wildcard /etc/ld.so.cache /var/lib/dpkg/status)
	@$(PROBE) sh bench/config.sh >$@.new && mv $@.new $@

# Test doubles: one rank of it fails in one phase; one bit of one rank's result is wrong.
define double
$(BUILD)/tests/fault/$(1)_%_perf: tests/fault/$(1).c $(BUILD)/obj/main_%.o $(BUILD)/libbench.a
	@mkdir -p $$(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -Wl,--wrap=registry_choose -o $$@ $$(filter %.c %.o %.a,$$^) $(LDLIBS)
endef
$(foreach name,faulty corrupting,$(eval $(call double,$(name))))

# --- CUDA kernels: compiled where nvcc is, not yet linked into the programs ------------------------------------------------

CUDA_HOME ?= /usr/local/cuda
ifneq ($(WITH_CUDA),no)
NVCC ?= $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc) $(shell command -v nvcc))
endif
# Of the architectures below those that this nvcc knows (CUDA 13 dropped 70), and PTX of the last for what comes after.
NVCC_WANTED = 70 75 80 89 90 100
NVCC_KNOWN := $(if $(NVCC),$(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch)))
NVCC_ARCHS := $(filter $(NVCC_KNOWN),$(NVCC_WANTED))
NVCC_GENCODE ?= $(foreach a,$(NVCC_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
	-gencode arch=compute_$(lastword $(NVCC_ARCHS)),code=compute_$(lastword $(NVCC_ARCHS))
NVCC_FLAGS = -O3 -std=c++17 -I. -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wno-unknown-pragmas,-pthread
KERNEL_OBJ = $(patsubst %.cu,$(BUILD)/obj/%.o,$(wildcard kernels/*.cu))
GPU_TESTS = $(patsubst tests/gpu/%.cu,$(BUILD)/tests/gpu/%,$(wildcard tests/gpu/*.cu))

$(BUILD)/obj/kernels/%.o: kernels/%.cu
	@mkdir -p $(@D)
	$(NVCC) $(NVCC_GENCODE) $(NVCC_FLAGS) -MMD -MP -c -o $@ $<

# The tests have no kernels of their own.
$(BUILD)/tests/gpu/%: tests/gpu/%.cu $(KERNEL_OBJ) $(BUILD)/libbench.a
	@mkdir -p $(@D)
	$(NVCC) $(NVCC_FLAGS) -o $@ $(filter %.cu %.o %.a,$^) -lcmocka -lm

kernels: $(if $(NVCC),$(KERNEL_OBJ))
	@$(if $(NVCC),:,echo "kernels: no nvcc in '$(CUDA_HOME)/bin' or PATH (or WITH_CUDA=no), nothing was built; CUDA_HOME= says where it is" >&2; exit 1)

# What the kernels do is tested on the host wherever nvcc is; the kernels themselves where there is a device.
check-kernels: kernels $(GPU_TESTS)
	$(BUILD)/tests/gpu/test_kernels

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

# Set-up comes before the probes, so the rest is for a second make of this same file.
AGAIN = +@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

test: check
check:
	@launch/deps.sh run test
	$(AGAIN) -s tests
	@$(RUN) $(UNIT_TESTS) $(CLI_TESTS) $(MPI_TESTS) $(FAULT_TESTS) $(FABRIC_TESTS)

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
	+$(MAKE) BUILD=$(BUILD)-asan OPT=-O1 SANITIZE=address,undefined tests
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp BUILD=$(BUILD)-asan tests/run.sh $(UNIT_TESTS:$(BUILD)/%=$(BUILD)-asan/%)

LINT_C = $(filter-out bench/main.c $(SRC_OFF),$(SRC_ALL)) $(wildcard analysis/*.c)
lint:
	shellcheck $(wildcard bench/*.sh launch/*.sh tests/*.sh tests/*/*.sh)
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability \
		--suppress=missingIncludeSystem --suppress=memleak --suppress=autoVariables -D_GNU_SOURCE -I. $(LINT_C)
	printf '%s\n' $(LINT_C) | xargs -P 2 -n 8 sh -c 'clang-tidy --quiet "$$@" -- $(CPPFLAGS) $(filter-out $(WARN),$(CFLAGS))' clang-tidy
	@for h in $(wildcard bench/*/*.h bench/*.h analysis/*.h kernels/*.h); do \
		$(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only -include $$h -x c /dev/null || exit 1; done

# --- for people -----------------------------------------------------------------------------------------------------------

deps:
	@launch/deps.sh run test lint

quickstart:
	@launch/deps.sh run
	$(AGAIN) -s all
	@BUILD=$(BUILD) launch/run.sh -n 4 launch/plans/quick.plan

# Eight hosts of its own making, two networks, one misroute: three minutes, as root.
fabric-demo:
	@launch/deps.sh run test
	$(AGAIN) -s all
	BUILD=$(BUILD) tests/fabric/demo.sh

config: $(BUILD)/config.mk
	@sed -n 's/^# //p' $<
	@echo 'compiled in: $(or $(ON),none of the optional ones)'

PREFIX ?= /usr/local
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/busbar/plans
	install $(PROGRAMS) $(BUILD)/busbar $(DESTDIR)$(PREFIX)/bin
	install -m 644 launch/plans/*.plan $(DESTDIR)$(PREFIX)/share/busbar/plans
	install -m 644 analysis/*.gp $(DESTDIR)$(PREFIX)/share/busbar

# The description of the files in results/, from the lists that write them.
schema: $(BUILD)/busbar
	$(BUILD)/busbar schema > results/README.md

clean:
	rm -rf $(BUILD) $(BUILD)-asan

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all programs busbar lib tests test check check-unit check-cli check-mpi check-fault check-fabric check-asan lint deps \
	quickstart fabric-demo config install schema perf-memory kernels check-kernels clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:
