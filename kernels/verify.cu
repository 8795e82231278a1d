/* verify.cu - each thread looks at vectors, grid-wide strides apart, and reports what it found once. */
#include "kernels/verify.cuh"

template <enum words_kind KIND>
static __global__ void __launch_bounds__(VECTOR_THREADS) verify_kernel(const struct verify_arguments a)
{
	struct kernel_verdict found = verify_work<KIND>(a, vector_team_of_grid());
	if (!found.wrong_elems)
		return;
	atomicAdd(&a.verdict->wrong_elems, found.wrong_elems);
	atomicMin(&a.verdict->first_index, found.first_index);
}

extern "C" int kernel_verify(const struct kernel_expected *expected, const void *got, size_t elems,
        struct kernel_verdict *verdict, struct CUstream_st *stream)
{
	static void (*const kernels[])(const struct verify_arguments) = {
	        verify_kernel<WORDS_ALIGNED>, verify_kernel<WORDS_SHIFTED>, verify_kernel<WORDS_WIDE>};
	int error = cudaMemsetAsync(&verdict->wrong_elems, 0, sizeof verdict->wrong_elems, stream);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(&verdict->first_index, 0xff, sizeof verdict->first_index, stream);
	for (size_t done = 0, part; done < elems && error == cudaSuccess; done += part) {
		part = words_run(expected->recipe, expected->first + done, elems - done);
		struct verify_arguments a = verify_arguments_of(expected, done, got, part);
		a.verdict = verdict;
		error = vector_launch(kernels[a.words.kind], a, stream);
	}
	return error;
}
