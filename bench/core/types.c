/* types.c - the tables behind datatype and reduction names. */
#include "bench/core/types.h"

#include <string.h>

static const struct {
	const char *name;
	size_t bytes;
} dtypes[DTYPES] = {
	[DT_INT8] = {"int8", 1},
	[DT_UINT8] = {"uint8", 1},
	[DT_INT32] = {"int32", 4},
	[DT_UINT32] = {"uint32", 4},
	[DT_INT64] = {"int64", 8},
	[DT_UINT64] = {"uint64", 8},
	[DT_HALF] = {"half", 2},
	[DT_FLOAT] = {"float", 4},
	[DT_DOUBLE] = {"double", 8},
	[DT_BFLOAT16] = {"bfloat16", 2},
	[DT_F8E4M3] = {"f8e4m3", 1},
	[DT_F8E5M2] = {"f8e5m2", 1},
};

static const char *const redops[REDOPS + 1] = {
	[OP_SUM] = "sum",
	[OP_PROD] = "prod",
	[OP_MAX] = "max",
	[OP_MIN] = "min",
	[OP_AVG] = "avg",
	[OP_MULSUM] = "mulsum",
	[OP_NONE] = "none",
};

const char *dtype_name(enum dtype t)
{
	return dtypes[t].name;
}

size_t dtype_bytes(enum dtype t)
{
	return dtypes[t].bytes;
}

int dtype_find(const char *name)
{
	for (int t = 0; t < DTYPES; t++)
		if (!strcmp(dtypes[t].name, name))
			return t;
	return -1;
}

const char *redop_name(enum redop op)
{
	return redops[op];
}

int redop_find(const char *name)
{
	for (int op = 0; op < REDOPS; op++)
		if (!strcmp(redops[op], name))
			return op;
	return -1;
}
