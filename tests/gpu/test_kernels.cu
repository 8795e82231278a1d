/* The kernels against host memory's loops, which have tests of their own: first their work, carried out by
 * the host for all threads of a team in turn, then, where there is a device, the kernels themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include "bench/core/types.h"
#include "bench/memory/host.h"
#include "bench/memory/recipe.h"

#include <cmocka.h>
}
#include "kernels/copy.cuh"
#include "kernels/copy.h"
#include "kernels/fill.cuh"
#include "kernels/fill.h"
#include "kernels/reduce.cuh"
#include "kernels/spin.h"
#include "kernels/verify.cuh"

#include <cstdlib>
#include <cstring>
#include <ctime>

/* All that the tests ask of what runs the work: the host, or a device. */
struct place {
	const char *name;
	void (*fill)(const struct element_recipe *, uint64_t first, void *dst, size_t elems);
	void (*verify)(
	        const struct kernel_expected *, const void *got, size_t elems, struct kernel_verdict *);
	void (*reduce)(const struct kernel_operands *, enum redop);
	void (*scale)(const struct kernel_operands *, double);
	void (*divide)(const struct kernel_operands *, int);
	void (*copy)(void *dst, const void *src, size_t bytes);
};

enum { TEAM = 5, BYTES = 40000, ROOM = BYTES + 64 };

template <typename Arguments>
static void by_all(void (*work)(const Arguments &, struct vector_team), const Arguments &a)
{
	for (uint64_t thread = 0; thread < TEAM; thread++) {
		struct vector_team team = {thread, TEAM};
		work(a, team);
	}
}

template <enum words_role ROLE> static void fill_by_all(const struct fill_arguments &a)
{
	by_all(a.words.kind == WORDS_WIDE       ? fill_work<WORDS_WIDE, ROLE>
	        : a.words.kind == WORDS_SHIFTED ? fill_work<WORDS_SHIFTED, ROLE>
	                                        : fill_work<WORDS_ALIGNED, ROLE>,
	        a);
}

static void host_place_fill(const struct element_recipe *r, uint64_t first, void *dst, size_t elems)
{
	for (size_t done = 0, part; done < elems; done += part) {
		part = words_run(r, first + done, elems - done);
		char *at = (char *)dst + done * (size_t)r->elem_bytes;
		struct fill_arguments a = fill_arguments_of(r, first + done, at, part);
		if (element_everybody(r))
			fill_by_all<WORDS_SHARE_OF_ALL>(a);
		else
			fill_by_all<WORDS_SHARE>(a);
	}
}

static void host_place_verify(
        const struct kernel_expected *e, const void *got, size_t elems, struct kernel_verdict *out)
{
	*out = {0, ~0ull};
	for (size_t done = 0, part; done < elems; done += part) {
		part = words_run(e->recipe, e->first + done, elems - done);
		struct verify_arguments a = verify_arguments_of(e, done, got, part);
		for (uint64_t thread = 0; thread < TEAM; thread++) {
			struct vector_team team = {thread, TEAM};
			struct kernel_verdict found =
			        a.words.kind == WORDS_WIDE      ? verify_work<WORDS_WIDE>(a, team)
			        : a.words.kind == WORDS_SHIFTED ? verify_work<WORDS_SHIFTED>(a, team)
			                                        : verify_work<WORDS_ALIGNED>(a, team);
			out->wrong_elems += found.wrong_elems;
			if (found.first_index < out->first_index)
				out->first_index = found.first_index;
		}
	}
}

typedef void reduce_of_host(const struct reduce_arguments &, struct vector_team);
template <typename N>
static reduce_of_host *const reducers[] = {
        reduce_work<N, op_sum>, reduce_work<N, op_prod>, reduce_work<N, op_max>, reduce_work<N, op_min>};
template <typename N> static reduce_of_host *const scaler = reduce_map_work<N, op_scale>;
template <typename N> static reduce_of_host *const divider = reduce_map_work<N, op_divide>;

static void host_place_reduce(const struct kernel_operands *o, enum redop op)
{
	static reduce_of_host *const *const by_type[DTYPES] = {EACH_NUMBER(reducers)};
	by_all(by_type[o->dtype][op], reduce_arguments_of(o, (int)dtype_bytes(o->dtype)));
}

static void host_place_scale(const struct kernel_operands *o, double scalar)
{
	static reduce_of_host *const by_type[DTYPES] = {EACH_NUMBER(scaler)};
	struct reduce_arguments r = reduce_arguments_of(o, (int)dtype_bytes(o->dtype));
	r.scalar = scalar;
	by_all(by_type[o->dtype], r);
}

static void host_place_divide(const struct kernel_operands *o, int ranks)
{
	static reduce_of_host *const by_type[DTYPES] = {EACH_NUMBER(divider)};
	struct reduce_arguments r = reduce_arguments_of(o, (int)dtype_bytes(o->dtype));
	r.ranks = ranks;
	by_all(by_type[o->dtype], r);
}

static void host_place_copy(void *dst, const void *src, size_t bytes)
{
	by_all(copy_work, copy_arguments_of(dst, src, bytes));
}

static struct place host_place = {"host", host_place_fill, host_place_verify, host_place_reduce,
        host_place_scale, host_place_divide, host_place_copy};

/* On a device the buffers of the tests are managed memory, which both sides reach. */
static void waited(int error)
{
	cudaError_t e = error == cudaSuccess ? cudaDeviceSynchronize() : (cudaError_t)error;
	if (e != cudaSuccess)
		fail_msg("%s", cudaGetErrorString(e));
}

static void device_fill(const struct element_recipe *r, uint64_t first, void *dst, size_t elems)
{
	waited(kernel_fill(r, first, dst, elems, 0));
}

static void device_verify(
        const struct kernel_expected *e, const void *got, size_t elems, struct kernel_verdict *out)
{
	static struct kernel_verdict *shared;
	if (!shared)
		waited(cudaMallocManaged(&shared, sizeof *shared));
	waited(kernel_verify(e, got, elems, shared, 0));
	*out = *shared;
}

static void device_reduce(const struct kernel_operands *o, enum redop op)
{
	waited(kernel_reduce(o, op, 0));
}

static void device_scale(const struct kernel_operands *o, double scalar)
{
	waited(kernel_scale(o, scalar, 0));
}

static void device_divide(const struct kernel_operands *o, int ranks)
{
	waited(kernel_divide(o, ranks, 0));
}

static void device_copy(void *dst, const void *src, size_t bytes)
{
	waited(kernel_copy(dst, src, bytes, 0, 0));
}

static struct place device_place = {
        "device", device_fill, device_verify, device_reduce, device_scale, device_divide, device_copy};

/* Three buffers of ROOM bytes that the place can reach, in *state's place. */
static char *buffer[3];

static int on_host(void **state)
{
	*state = &host_place;
	for (int i = 0; i < 3; i++)
		buffer[i] = (char *)aligned_alloc(64, ROOM);
	return 0;
}

static bool has_device(void)
{
	int devices = 0;
	return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

static int on_device(void **state)
{
	*state = &device_place;
	for (int i = 0; i < 3 && has_device(); i++)
		if (cudaMallocManaged(&buffer[i], ROOM) != cudaSuccess)
			return -1;
	return 0;
}

static const struct place *place_of(void **state)
{
	if (*state == &device_place && !has_device())
		skip();
	return (const struct place *)*state;
}

static const uint64_t starts[] = {
        0, 1, 3, ((uint64_t)1 << 32) - 7, ((uint64_t)1 << 34) - 1001, ((uint64_t)1 << 40) + 2};
static const size_t counts[] = {0, 1, 5, 16, 63, 64, 1000, 4999};

static void fills_as_host_memory_does(void **state)
{
	const struct place *place = place_of(state);
	for (int k = 0; k < DTYPES * (REDOPS + 1); k++)
		for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
			for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
				struct pattern p = {
				        (enum dtype)(k / (REDOPS + 1)), (enum redop)(k % (REDOPS + 1)), 3, 6};
				size_t bytes = dtype_bytes(p.dtype), at = (s + c) % 16 / bytes * bytes;
				struct element_recipe r;
				recipe_of_input(&p, 2, &r);
				memset(buffer[0], 0x55, ROOM);
				memset(buffer[1], 0x55, ROOM);
				place->fill(&r, starts[s], buffer[0] + at, counts[c]);
				host_fill(&p, 2, starts[s], buffer[1] + at, counts[c]);
				assert_memory_equal(buffer[0], buffer[1], ROOM);
			}
}

static void verifies_as_host_memory_does(void **state)
{
	const struct place *place = place_of(state);
	for (int k = 0; k < DTYPES * (REDOPS + 1); k++)
		for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
			for (size_t c = 1; c < sizeof counts / sizeof *counts; c++) {
				struct pattern p = {
				        (enum dtype)(k / (REDOPS + 1)), (enum redop)(k % (REDOPS + 1)), 3, 1};
				size_t bytes = dtype_bytes(p.dtype), at = (s + c) % 16 / bytes * bytes,
				       elems = counts[c];
				struct element_recipe r;
				struct kernel_verdict v;
				struct mismatch m;
				recipe_of_result(&p, 0, &r);
				struct kernel_expected e = {&r, starts[s], recipe_tolerance(&p)};
				char *got = buffer[0] + at;
				host_fill(&p, 0, starts[s], got, elems);
				place->verify(&e, got, elems, &v);
				assert_int_equal(v.wrong_elems, 0);
				assert_true(v.first_index == ~0ull);
				for (size_t damage = 0; damage < 3; damage++)
					got[(s * 131 + damage * 977) % (elems * bytes)] ^=
					        (char)(1 << (s + damage) % 8);
				host_verify(&p, 0, starts[s], got, elems, &m);
				place->verify(&e, got, elems, &v);
				assert_int_equal(v.wrong_elems, m.wrong_elems);
				if (m.wrong_elems)
					assert_int_equal(v.first_index, m.first_index);
			}
}

/* Finite numbers of all magnitudes, no zeros: of those max and min may give either. */
static void numbers(enum dtype t, uint64_t seed, char *out, size_t elems)
{
	struct pattern p = {t, OP_NONE, seed, 1};
	host_fill(&p, 0, seed, out, elems);
	for (size_t i = 0; i < elems * dtype_bytes(t); i += dtype_bytes(t))
		out[i] = (char)(out[i] | 1);
}

static void reduces_as_host_memory_does(void **state)
{
	const struct place *place = place_of(state);
	for (int t = 0; t < DTYPES; t++)
		for (int op = 0; op <= OP_MIN; op++)
			for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
				for (int alias = 0; alias < 4; alias++) {
					enum dtype type = (enum dtype)t;
					size_t bytes = dtype_bytes(type), at = c * bytes % 16,
					       elems = counts[c];
					static char want[ROOM];
					char *a = buffer[0] + at, *b = buffer[1] + (alias == 3 ? 0 : at);
					char *dst = alias == 1 ? a : alias == 2 ? b : buffer[2] + at;
					numbers(type, 5 + c, a, elems);
					numbers(type, 77 + c, b, elems);
					host_reduce(want, a, b, elems, type, (enum redop)op);
					struct kernel_operands o = {dst, a, b, elems, type};
					place->reduce(&o, (enum redop)op);
					assert_memory_equal(dst, want, elems * bytes);
				}
}

static void scales_and_divides_as_host_memory_does(void **state)
{
	const struct place *place = place_of(state);
	static const int divisors[] = {1, 2, 3, 7, 8, 100, 1000, 65536};
	static char want[ROOM];
	for (int t = 0; t < DTYPES; t++)
		for (size_t k = 0; k < sizeof divisors / sizeof *divisors; k++) {
			enum dtype type = (enum dtype)t;
			size_t bytes = dtype_bytes(type), elems = 999 + k;
			numbers(type, k, buffer[0], elems);
			struct kernel_operands o = {
			        k % 2 ? buffer[0] : buffer[1], buffer[0], NULL, elems, type};
			host_divide(want, buffer[0], elems, type, divisors[k]);
			place->divide(&o, divisors[k]);
			assert_memory_equal(o.dst, want, elems * bytes);
			numbers(type, k, buffer[0], elems);
			host_scale(want, buffer[0], elems, type, 1 + (int)(k % 2));
			place->scale(&o, 1 + (int)(k % 2));
			assert_memory_equal(o.dst, want, elems * bytes);
		}
}

static void copies_any_alignment(void **state)
{
	const struct place *place = place_of(state);
	for (size_t i = 0; i < ROOM; i++)
		buffer[0][i] = (char)element_mix(i);
	for (size_t to = 0; to < 17; to += 4)
		for (size_t from = 0; from < 17; from += 2)
			for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
				memset(buffer[1], 0x55, ROOM);
				place->copy(buffer[1] + to, buffer[0] + from, counts[c]);
				assert_memory_equal(buffer[1] + to, buffer[0] + from, counts[c]);
				assert_int_equal(buffer[1][to + counts[c]], 0x55);
				assert_true(to == 0 || buffer[1][to - 1] == 0x55);
			}
}

/* What is behind the gate waits until it opens, and no longer than the limit. */
static void gate_holds_a_stream(void **state)
{
	place_of(state);
	volatile uint32_t *gate;
	uint32_t *seen;
	cudaStream_t stream;
	waited(cudaHostAlloc((void **)&gate, sizeof *gate, cudaHostAllocMapped));
	waited(cudaMallocManaged(&seen, sizeof *seen));
	waited(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	*gate = 0;
	assert_int_equal(kernel_spin(gate, 10ull * 1000 * 1000 * 1000, stream), cudaSuccess);
	assert_int_equal(cudaMemsetAsync(seen, 1, 1, stream), cudaSuccess);
	struct timespec pause = {0, 20 * 1000 * 1000};
	nanosleep(&pause, NULL);
	assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
	*gate = 1;
	assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
	*gate = 0;
	assert_int_equal(kernel_spin(gate, 1000 * 1000, stream), cudaSuccess);
	assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
	cudaStreamDestroy(stream);
	cudaFree(seen);
	cudaFreeHost((void *)gate);
}

int main(void)
{
	const struct CMUnitTest work[] = {
	        cmocka_unit_test_setup(fills_as_host_memory_does, on_host),
	        cmocka_unit_test_setup(verifies_as_host_memory_does, on_host),
	        cmocka_unit_test_setup(reduces_as_host_memory_does, on_host),
	        cmocka_unit_test_setup(scales_and_divides_as_host_memory_does, on_host),
	        cmocka_unit_test_setup(copies_any_alignment, on_host),
	};
	const struct CMUnitTest kernels[] = {
	        cmocka_unit_test_setup(fills_as_host_memory_does, on_device),
	        cmocka_unit_test_setup(verifies_as_host_memory_does, on_device),
	        cmocka_unit_test_setup(reduces_as_host_memory_does, on_device),
	        cmocka_unit_test_setup(scales_and_divides_as_host_memory_does, on_device),
	        cmocka_unit_test_setup(copies_any_alignment, on_device),
	        cmocka_unit_test_setup(gate_holds_a_stream, on_device),
	};
	int failed = cmocka_run_group_tests_name("work of the kernels, on the host", work, NULL, NULL);
	return failed + cmocka_run_group_tests_name("kernels, on a device", kernels, NULL, NULL);
}
