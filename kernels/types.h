/* types.h - the datatypes and reductions of the suite, in nccl-tests' order, for host and device code. */
#ifndef KERNELS_TYPES_H
#define KERNELS_TYPES_H

enum dtype {
	DT_INT8,
	DT_UINT8,
	DT_INT32,
	DT_UINT32,
	DT_INT64,
	DT_UINT64,
	DT_HALF,
	DT_FLOAT,
	DT_DOUBLE,
	DT_BFLOAT16,
	DT_F8E4M3,
	DT_F8E5M2,
	DTYPES,
};

enum redop {
	OP_SUM,
	OP_PROD,
	OP_MAX,
	OP_MIN,
	OP_AVG,
	OP_MULSUM, /* sum of inputs, each multiplied by its rank's scalar: 1 on even ranks, 2 on odd ones */
	REDOPS,
	OP_NONE = REDOPS, /* the collective only moves data */
};

#endif
