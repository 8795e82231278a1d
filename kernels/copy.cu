/* copy.cu - each thread copies vectors, grid-wide strides apart. */
#include "kernels/copy.h"

#include "kernels/copy.cuh"

static __global__ void __launch_bounds__(VECTOR_THREADS) copy_kernel(const struct copy_arguments c)
{
	copy_work(c, vector_team_of_grid());
}

extern "C" int kernel_copy(
        void *dst, const void *src, size_t bytes, unsigned blocks, struct CUstream_st *stream)
{
	return vector_launch(copy_kernel, copy_arguments_of(dst, src, bytes), stream, blocks);
}
