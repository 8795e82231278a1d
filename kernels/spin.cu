/* spin.cu - one thread that looks at the gate, and at the clock. */
#include "kernels/spin.h"

#include <cuda_runtime.h>

static __device__ __forceinline__ uint64_t clock_of_device_ns(void)
{
	uint64_t ns;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

static __global__ void spin_kernel(const volatile uint32_t *gate, uint64_t limit_ns)
{
	uint64_t start = clock_of_device_ns();
	while (!*gate && clock_of_device_ns() - start < limit_ns)
		__nanosleep(200);
}

extern "C" int kernel_spin(const volatile uint32_t *gate, uint64_t limit_ns, struct CUstream_st *stream)
{
	spin_kernel<<<1, 1, 0, stream>>>(gate, limit_ns);
	return cudaGetLastError();
}
