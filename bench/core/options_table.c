/* options_table.c - the rows. Parsing, range checks, --help, defaults and --dry-run all come from here. */
#include "bench/core/options_table.h"

#include "bench/core/types.h"
#include "bench/registry.h"

#include <limits.h>

static const char *dtype_at(int i)
{
	return i < DTYPES ? dtype_name((enum dtype)i) : NULL;
}

static const char *redop_at(int i)
{
	return i < REDOPS ? redop_name((enum redop)i) : NULL;
}

static const char *backend_at(int i)
{
	return backends[i] ? backends[i]->name : NULL;
}

static const char *transport_at(int i)
{
	return transports[i] ? transports[i]->name : NULL;
}

static const char *memory_at(int i)
{
	return memory_kinds[i] ? memory_kinds[i]->name : NULL;
}

#define FIELD(field) .offset = offsetof(struct plan, field), .bytes = sizeof((struct plan *)0)->field

/* clang-format off */
const struct option_row option_rows[] = {
	/* nccl-tests' own */
	{"nthreads", 't', OPTION_INT, "N", "1", "threads of a process, each with -g ranks", FIELD(threads), 1, 1024},
	{"ngpus", 'g', OPTION_INT, "N", "1", "ranks (GPUs, or host buffers) of a thread", FIELD(gpus), 1, 1024},
	{"minbytes", 'b', OPTION_BYTES, "SIZE", "32M", "the smallest size; K, M and G are binary", FIELD(min_bytes)},
	{"maxbytes", 'e', OPTION_BYTES, "SIZE", "32M", "the largest size", FIELD(max_bytes)},
	{"stepbytes", 'i', OPTION_BYTES, "SIZE", "1M", "from one size to the next: plus this", FIELD(step_bytes)},
	{"stepfactor", 'f', OPTION_REAL, "X", "1", "from one size to the next: times this, when above 1", FIELD(step_factor), 0, 1e6},
	{"iters", 'n', OPTION_INT, "N", "20", "timed iterations", FIELD(iters), 1, INT_MAX},
	{"agg_iters", 'm', OPTION_INT, "N", "1", "operations started together in one iteration", FIELD(agg_iters), 1, 1 << 20},
	{"warmup_iters", 'w', OPTION_INT, "N", "1", "iterations before timing", FIELD(warmup_iters), 0, INT_MAX},
	{"run_cycles", 'N', OPTION_INT, "N", "1", "runs over all sizes; 0: until stopped", FIELD(run_cycles), 0, INT_MAX},
	{"parallel_init", 'p', OPTION_FLAG, "0|1", "0", "threads set themselves up at the same time", FIELD(parallel_init)},
	{"check", 'c', OPTION_INT, "N", "1", "checks of the results of each row; 0: none", FIELD(check), 0, INT_MAX},
	{"op", 'o', OPTION_INDEX, "OP", "sum", "reduction", FIELD(redop), .names = redop_at},
	{"datatype", 'd', OPTION_INDEX, "TYPE", "float", "type of the elements", FIELD(dtype), .names = dtype_at},
	{"root", 'r', OPTION_INT, "RANK", "0", "root of rooted collectives; -1: each rank in turn", FIELD(root), -1, INT_MAX},
	{"blocking", 'z', OPTION_INT, "0..3", "0", "wait for each operation: 1 then barrier, 2 no barrier, 3 after -m of them, untimed barrier", FIELD(blocking), 0, 3},
	{"stream_null", 'y', OPTION_FLAG, "0|1", "0", "use the default stream", FIELD(stream_null), .cuda = true},
	{"timeout", 'T', OPTION_REAL, "SECONDS", "60", "end the run after this long without progress; 0: never", FIELD(timeout_s), 0, 1e9},
	{"cudagraph", 'G', OPTION_INT, "N", "0", "capture the iterations, launch the graph N times", FIELD(graph), 0, INT_MAX, .cuda = true},
	{"report_cputime", 'C', OPTION_FLAG, "0|1", "0", "print the time that starting the operations took", FIELD(report_cputime)},
	{"average", 'a', OPTION_INT, "0..3", "1", "time of a row: 0 rank 0's, 1 average, 2 minimum, 3 maximum over ranks", FIELD(average), 0, 3},
	{"report_timestamps", 'S', OPTION_FLAG, "0|1", "0", "end rows with the time of day", FIELD(timestamps)},
	{"output_file", 'J', OPTION_TEXT, "FILE.json", NULL, "also write JSON; an existing file is kept, .0, .1 ... is added to the name", FIELD(json_path)},
	{"local_register", 'R', OPTION_INT, "0..2", "0", "register buffers: 1 local, 2 symmetric", FIELD(local_register), 0, 2, .cuda = true},
	{"cta_policy", 'x', OPTION_INT, "0..2", "-1", "NCCL's CTA policy; -1: left alone", FIELD(cta_policy), -1, 2, .cuda = true},
	{"device_implementation", 'D', OPTION_INT, "N", "0", "kernel of ours instead of NCCL's; needs -R 2", FIELD(device_impl), 0, INT_MAX, .cuda = true},
	{"device_cta_count", 'V', OPTION_INT, "N", "16", "CTAs for -D, 1 to 128", FIELD(device_cta_count), INT_MIN, INT_MAX, .cuda = true},
	{"memory", 'M', OPTION_FLAG, "0|1", "0", "report memory use", FIELD(memory_report)},
	{"unalign", 'u', OPTION_INT, "N", "0", "shift buffers by this many elements", FIELD(unalign_elems), 0, 1 << 20},
	{"per_iter_timing", 'I', OPTION_INT, "0|1", "0", "print minimum, maximum, 99th percentile and spread of iterations", FIELD(per_iter), INT_MIN, INT_MAX},
	{"per_iter_skip", 'K', OPTION_INT, "N", "0", "leave the first N iterations out of -I", FIELD(per_iter_skip), INT_MIN, INT_MAX},
	{"help", 'h', OPTION_OTHER, NULL, NULL, "print this", .whole_launch = true},
	/* ours, long only */
	{"backend", 0, OPTION_NAME, "NAME", NULL, "who carries out the collective; default: the first that can", FIELD(backend), .names = backend_at},
	{"transport", 0, OPTION_NAME, "NAME", NULL, "what carries the bytes; default: the first that can, for each pair of ranks", FIELD(transport), .names = transport_at},
	{"memory", 0, OPTION_NAME, "KIND", NULL, "where the buffers are; default: the first that can", FIELD(memory), .names = memory_at},
	{"ifname", 0, OPTION_TEXT, "LIST", NULL, "network interfaces, in the grammar of NCCL_SOCKET_IFNAME: eth,^docker,=eth0", FIELD(ifname)},
	{"streams", 0, OPTION_INT, "N", "0", "TCP connections of a link; 0: chosen", FIELD(streams), 0, 64},
	{"chunk", 0, OPTION_BYTES, "SIZE", "0", "pieces in which the ring passes data on; 0: chosen", FIELD(chunk_bytes)},
	{"sync", 0, OPTION_SWITCH, NULL, NULL, "line ranks up before every operation, outside its time", FIELD(sync_each)},
	{"pairs", 0, OPTION_SWITCH, NULL, NULL, "sendrecv: every rank to every other, in rounds of disjoint pairs", FIELD(pairs)},
	{"precision", 0, OPTION_SHARE, "P", "0", "repeat until the median is known within P (2% or 0.02); 0: -n decides", FIELD(precision)},
	{"budget", 0, OPTION_REAL, "SECONDS", "0", "longest time spent on a row; 0: no limit", FIELD(budget_s), 0, 1e9},
	{"csv", 0, OPTION_TEXT, "DIR", NULL, "write raw.csv, summary.csv, facts and topology.xml into this folder", FIELD(csv_dir)},
	{"tier", 0, OPTION_TEXT, "LABEL", NULL, "network class, noted in the rows: 1.6T", FIELD(tier)},
	{"cluster", 0, OPTION_TEXT, "LABEL", NULL, "name of the cluster, noted in the rows", FIELD(cluster)},
	{"plan", 0, OPTION_OTHER, "FILE", NULL, "one run a line: [COLLECTIVE] OPTIONS; # starts a comment", .whole_launch = true},
	{"list", 0, OPTION_SWITCH, NULL, NULL, "what this build and machine can run, and why not the rest", FIELD(list), .whole_launch = true},
	{"dry-run", 0, OPTION_SWITCH, NULL, NULL, "print what would be measured, as a plan file", FIELD(dry_run), .whole_launch = true},
};

const struct option_row variable_rows[] = {
	{"NCCL_TESTS_DEVICE", 0, OPTION_INT, "N", "-1", "first device of each process", FIELD(device_base), -1, 4096},
	{"NCCL_TESTS_SPLIT_MASK", 0, OPTION_TEXT, "HEX", NULL, "processes with equal (number AND mask) form a group", FIELD(split_mask)},
	{"NCCL_TESTS_SPLIT", 0, OPTION_TEXT, "OP N", NULL, "likewise with AND, OR, MOD or DIV: \"MOD 2\"", FIELD(split)},
	{"NCCL_TESTS_MIN_BW", 0, OPTION_REAL, "GB/s", "-1", "average bus rate of which 0.9 must be reached, else exit code 7", FIELD(min_bandwidth_gbs), -1, 1e9},
	{"NCCL_TESTS_ALLTOALLV_SPREAD", 0, OPTION_REAL, "0..1", "1", "alltoallv: 0 uniform, 1 more to distant ranks", FIELD(alltoallv_spread), 0, 1},
	{"NCCL_TESTS_ALLTOALLV_MATRIX_FILE", 0, OPTION_TEXT, "FILE", NULL, "alltoallv: bytes from rank (row) to rank (column)", FIELD(alltoallv_matrix)},
	{"NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", 0, OPTION_REAL, "X", "1", "alltoallv: times this", FIELD(alltoallv_scale), 0, 1e12},
	{"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", 0, OPTION_FLAG, "0|1", "0", "alltoallv: print what each rank sends and receives", FIELD(alltoallv_summary)},
	{"NCCL_SOCKET_IFNAME", 0, OPTION_TEXT, "LIST", NULL, "as --ifname, which wins", FIELD(ifname)},
};
/* clang-format on */

const int option_row_count = sizeof option_rows / sizeof *option_rows;
const int variable_row_count = sizeof variable_rows / sizeof *variable_rows;
