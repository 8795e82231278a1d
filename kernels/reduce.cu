/* reduce.cu - a kernel for each datatype and operation. */
#include "kernels/reduce.cuh"

typedef void reduce_function(const struct reduce_arguments);

template <typename N, typename OP>
static __global__ void __launch_bounds__(VECTOR_THREADS) reduce_kernel(const struct reduce_arguments r)
{
	reduce_work<N, OP>(r, vector_team_of_grid());
}

template <typename N, typename OP>
static __global__ void __launch_bounds__(VECTOR_THREADS) map_kernel(const struct reduce_arguments r)
{
	reduce_map_work<N, OP>(r, vector_team_of_grid());
}

template <typename N>
static reduce_function *const reducers[] = {reduce_kernel<N, op_sum>, reduce_kernel<N, op_prod>,
        reduce_kernel<N, op_max>, reduce_kernel<N, op_min>};
template <typename N> static reduce_function *const scaler = map_kernel<N, op_scale>;
template <typename N> static reduce_function *const divider = map_kernel<N, op_divide>;

static const int elem_bytes[DTYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

extern "C" int kernel_reduce(const struct kernel_operands *o, enum redop op, struct CUstream_st *stream)
{
	static reduce_function *const *const by_type[DTYPES] = {EACH_NUMBER(reducers)};
	return vector_launch(by_type[o->dtype][op > OP_MIN ? OP_SUM : op],
	        reduce_arguments_of(o, elem_bytes[o->dtype]), stream);
}

extern "C" int kernel_scale(const struct kernel_operands *o, double scalar, struct CUstream_st *stream)
{
	static reduce_function *const by_type[DTYPES] = {EACH_NUMBER(scaler)};
	struct reduce_arguments r = reduce_arguments_of(o, elem_bytes[o->dtype]);
	r.scalar = scalar;
	return vector_launch(by_type[o->dtype], r, stream);
}

extern "C" int kernel_divide(const struct kernel_operands *o, int ranks, struct CUstream_st *stream)
{
	static reduce_function *const by_type[DTYPES] = {EACH_NUMBER(divider)};
	struct reduce_arguments r = reduce_arguments_of(o, elem_bytes[o->dtype]);
	r.ranks = ranks;
	return vector_launch(by_type[o->dtype], r, stream);
}
