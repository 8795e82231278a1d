/* spin.h - holds a stream until the host opens a gate, so that what is enqueued behind it starts without
 * waiting for the host: the cost of launches stays out of a measurement. One thread; moves nothing. */
#ifndef KERNELS_SPIN_H
#define KERNELS_SPIN_H

#include <stdint.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues; a CUDA error code. *gate is memory of the host that the device can read; the stream goes on when
 * it is not 0, or after limit_ns, so that a host that died does not leave a device spinning. */
int kernel_spin(const volatile uint32_t *gate, uint64_t limit_ns, struct CUstream_st *);

#ifdef __cplusplus
}
#endif

#endif
