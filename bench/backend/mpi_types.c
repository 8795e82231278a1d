/* mpi_types.c - datatypes and reductions. MPI knows integers, float and double; half, bfloat16 and the 8-bit
 * floats are bytes to it, combined by operations of ours that call the host's reduce. */
#include "bench/backend/mpi_internal.h"

#include "bench/core/types.h"
#include "bench/registry.h"

enum { OWN_OPS = OP_MIN + 1 }; /* sum prod max min */

static MPI_Datatype types[DTYPES];
static MPI_Op own_ops[OWN_OPS];
static const struct memory_kind *host;

/* The library hands back the type it was given; that tells which elements these are. */
static void combine(const void *in, void *inout, int count, MPI_Datatype type, enum redop how)
{
	for (int t = 0; t < DTYPES; t++)
		if (types[t] == type)
			host->reduce(inout, in, inout, (size_t)count, (enum dtype)t, how);
}

static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
	combine(in, inout, *count, *type, OP_SUM);
}

static void prod(void *in, void *inout, int *count, MPI_Datatype *type)
{
	combine(in, inout, *count, *type, OP_PROD);
}

static void max(void *in, void *inout, int *count, MPI_Datatype *type)
{
	combine(in, inout, *count, *type, OP_MAX);
}

static void min(void *in, void *inout, int *count, MPI_Datatype *type)
{
	combine(in, inout, *count, *type, OP_MIN);
}

static MPI_Datatype library_type(enum dtype t)
{
	switch (t) {
	case DT_INT8:
		return MPI_INT8_T;
	case DT_UINT8:
		return MPI_UINT8_T;
	case DT_INT32:
		return MPI_INT32_T;
	case DT_UINT32:
		return MPI_UINT32_T;
	case DT_INT64:
		return MPI_INT64_T;
	case DT_UINT64:
		return MPI_UINT64_T;
	case DT_FLOAT:
		return MPI_FLOAT;
	case DT_DOUBLE:
		return MPI_DOUBLE;
	default:
		return MPI_DATATYPE_NULL;
	}
}

enum status mpi_types_open(void)
{
	static MPI_User_function *const functions[OWN_OPS] = {
	        [OP_SUM] = sum, [OP_PROD] = prod, [OP_MAX] = max, [OP_MIN] = min};
	host = memory_kind_find("host");
	if (!host)
		return fail(ST_UNSUPPORTED, "'mpi' needs the host memory kind, which this build lacks");
	int error = MPI_SUCCESS;
	for (int t = 0; t < DTYPES && error == MPI_SUCCESS; t++) {
		types[t] = library_type((enum dtype)t);
		if (types[t] != MPI_DATATYPE_NULL)
			continue;
		error = MPI_Type_contiguous((int)dtype_bytes((enum dtype)t), MPI_BYTE, &types[t]);
		if (error == MPI_SUCCESS)
			error = MPI_Type_commit(&types[t]);
	}
	for (int i = 0; i < OWN_OPS && error == MPI_SUCCESS; i++)
		error = MPI_Op_create(functions[i], 1, &own_ops[i]);
	return error == MPI_SUCCESS ? ST_OK : mpi_failed("making MPI's datatypes and operations", error);
}

void mpi_types_close(void)
{
	for (int t = 0; t < DTYPES; t++)
		if (library_type((enum dtype)t) == MPI_DATATYPE_NULL)
			MPI_Type_free(&types[t]);
	for (int i = 0; i < OWN_OPS; i++)
		MPI_Op_free(&own_ops[i]);
}

MPI_Datatype mpi_type(enum dtype t)
{
	return types[t];
}

MPI_Op mpi_reduction(enum dtype t, enum redop op)
{
	const MPI_Op library[OWN_OPS] = {
	        [OP_SUM] = MPI_SUM, [OP_PROD] = MPI_PROD, [OP_MAX] = MPI_MAX, [OP_MIN] = MPI_MIN};
	if (op == OP_AVG || op == OP_MULSUM)
		op = OP_SUM;
	/* MPICH 4.0 compares unsigned integers as signed ones. */
	bool is_unsigned = t == DT_UINT8 || t == DT_UINT32 || t == DT_UINT64;
	bool wrong = is_unsigned && (op == OP_MAX || op == OP_MIN);
	return wrong || library_type(t) == MPI_DATATYPE_NULL ? own_ops[op] : library[op];
}
