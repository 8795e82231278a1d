# Makefile - the only one. make, make check, make quickstart, make config, make install.
# Everything lands in BUILD; nothing is written elsewhere in the tree.

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

# A test double: one rank of it fails in one phase.
$(BUILD)/tests/fault/faulty_%_perf: tests/fault/faulty.c $(BUILD)/obj/main_%.o $(BUILD)/libbench.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -Wl,--wrap=registry_choose -o $@ $(filter %.c %.o %.a,$^) $(LDLIBS)

check-fault: $(BUILD)/tests/fault/faulty_all_reduce_perf
	BUILD=$(BUILD) bats tests/fault

check-unit: $(UNIT_TESTS)
	@for t in $(UNIT_TESTS); do $$t || exit 1; done

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all programs busbar lib check-unit check-fault clean
.DELETE_ON_ERROR:
.SECONDARY:
