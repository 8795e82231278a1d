/* fill.cu - one thread writes vectors of test data, grid-wide strides apart. */
#include "kernels/fill.h"

#include "kernels/fill.cuh"

template <enum words_kind KIND, enum words_role ROLE>
static __global__ void __launch_bounds__(VECTOR_THREADS) fill_kernel(const struct fill_arguments a)
{
	fill_work<KIND, ROLE>(a, vector_team_of_grid());
}

extern "C" int kernel_fill(const struct element_recipe *recipe, uint64_t first, void *dst, size_t elems,
        struct CUstream_st *stream)
{
	static void (*const kernels[][3])(const struct fill_arguments) = {
	        {fill_kernel<WORDS_ALIGNED, WORDS_SHARE>, fill_kernel<WORDS_SHIFTED, WORDS_SHARE>,
	                fill_kernel<WORDS_WIDE, WORDS_SHARE>},
	        {fill_kernel<WORDS_ALIGNED, WORDS_SHARE_OF_ALL>,
	                fill_kernel<WORDS_SHIFTED, WORDS_SHARE_OF_ALL>,
	                fill_kernel<WORDS_WIDE, WORDS_SHARE_OF_ALL>}};
	int error = cudaSuccess;
	for (size_t done = 0, part; done < elems && error == cudaSuccess; done += part) {
		part = words_run(recipe, first + done, elems - done);
		char *at = (char *)dst + done * (size_t)recipe->elem_bytes;
		struct fill_arguments a = fill_arguments_of(recipe, first + done, at, part);
		error = vector_launch(kernels[element_everybody(recipe)][a.words.kind], a, stream);
	}
	return error;
}
