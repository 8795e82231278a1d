/* model.c - what each collective puts on a node's wire, on the links inside and through memory, for three
 * shapes. */
#include "analysis/model.h"

#include <math.h>
#include <string.h>

/* How the flat schedule crosses the border of a node that holds g of the n ranks. */
enum crossing {
	CROSS_RING,  /* the ring passes each border once: a rank's bytes */
	CROSS_PAIRS, /* each of the g ranks sends its share to every rank elsewhere */
	CROSS_ROOT,  /* the root's node exchanges a share with every rank elsewhere */
};

enum {
	TREE = 1,          /* can go up and down a tree */
	HIERARCHICAL = 2,  /* can go node by node */
	PASSES_ON = 4,     /* a step carries everything, not a rank's share */
	COPIES_OWN = 8,    /* a rank's own share goes from its send to its receive buffer, out of place */
	ALGBW_OF_SENT = 16 /* algbw counts what is sent, not the size column */
};

struct trait {
	const char *name;
	enum crossing crossing;
	int flags;
};

static const struct trait traits[] = {
        {"all_reduce", CROSS_RING, TREE | HIERARCHICAL},
        {"reduce_scatter", CROSS_RING, HIERARCHICAL},
        {"all_gather", CROSS_RING, HIERARCHICAL | COPIES_OWN},
        {"broadcast", CROSS_RING, HIERARCHICAL | PASSES_ON},
        {"reduce", CROSS_RING, HIERARCHICAL | PASSES_ON},
        {"sendrecv", CROSS_RING, PASSES_ON},
        {"alltoall", CROSS_PAIRS, HIERARCHICAL | COPIES_OWN},
        {"alltoallv", CROSS_PAIRS, HIERARCHICAL | COPIES_OWN},
        {"hypercube", CROSS_PAIRS, COPIES_OWN | ALGBW_OF_SENT},
        {"gather", CROSS_ROOT, COPIES_OWN},
        {"scatter", CROSS_ROOT, COPIES_OWN},
};

static const struct trait *trait_of(const struct collective *c)
{
	for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
		if (!strcmp(traits[i].name, c->name))
			return &traits[i];
	return NULL;
}

bool model_has_shape(const struct collective *c, enum model_shape shape)
{
	const struct trait *t = trait_of(c);
	return t && (shape == MODEL_RING || t->flags & (shape == MODEL_TREE ? TREE : HIERARCHICAL));
}

static double flat_wire_bytes(const struct collective *c, enum crossing crossing, double size, int n, int g)
{
	double elsewhere = size * (n - g) / n;
	switch (crossing) {
	case CROSS_PAIRS:
		return g * elsewhere;
	case CROSS_ROOT:
		return elsewhere;
	case CROSS_RING:
		break;
	}
	return c->ring_bytes(size, n);
}

static void answer_flat(const struct model_question *q, const struct trait *t, int g, struct model_answer *a)
{
	int n = q->ranks;
	double size = q->size_bytes,
	       alpha_inside = q->inside.alpha_ns > 0 ? q->inside.alpha_ns : q->wire.alpha_ns;
	a->wire_bytes = flat_wire_bytes(q->collective, t->crossing, size, n, g);
	if (g > 1)
		a->inside_bytes = t->crossing == CROSS_RING ? a->wire_bytes : size * (g - 1) / n;
	a->steps = q->collective->ring_steps(n);
	/* A chunk that travels the ring crosses the wire in one hop of g. */
	a->latency_ns = a->steps * (q->wire.alpha_ns + (g - 1) * alpha_inside) / g;
}

/* Each half of the data goes up and down one of two trees in which the inner nodes of one are the leaves of
 * the other: between two nodes each sends the data once, in a larger tree twice. */
static void answer_tree(const struct model_question *q, int g, struct model_answer *a)
{
	int m = q->ranks / g;
	double alpha_inside = q->inside.alpha_ns > 0 ? q->inside.alpha_ns : q->wire.alpha_ns;
	a->wire_bytes = q->size_bytes * (m > 2 ? 2 : 1);
	a->inside_bytes = g > 1 ? 2 * q->size_bytes : 0;
	double between = 2 * ceil(log2(m)), inside = 2 * (g - 1);
	a->steps = between + inside;
	a->latency_ns = between * q->wire.alpha_ns + inside * alpha_inside;
}

static void answer_hierarchical(
        const struct model_question *q, const struct trait *t, int g, struct model_answer *a)
{
	int m = q->ranks / g;
	double alpha_inside = q->inside.alpha_ns > 0 ? q->inside.alpha_ns : q->wire.alpha_ns;
	/* g rails carry 1/g of the data each; pairs cannot combine what they send. */
	a->wire_bytes = q->collective->ring_bytes(q->size_bytes, m) * (t->crossing == CROSS_PAIRS ? g : 1);
	a->inside_bytes = g > 1 ? q->collective->ring_bytes(q->size_bytes, g) : 0;
	double between = q->collective->ring_steps(m), inside = g > 1 ? q->collective->ring_steps(g) : 0;
	a->steps = between + inside;
	a->latency_ns = between * q->wire.alpha_ns + inside * alpha_inside;
}

static double term_ns(double bytes, double bytes_per_s)
{
	return bytes_per_s > 0 ? bytes / bytes_per_s * 1e9 : 0;
}

static enum model_bound largest_term(const struct model_answer *a)
{
	const struct {
		double ns;
		enum model_bound bound;
	} term[] = {
	        {a->wire_ns, BOUND_WIRE},
	        {a->inside_ns, BOUND_NVLINK},
	        {a->memory_ns, BOUND_MEMORY},
	        {a->latency_ns, BOUND_LATENCY},
	};
	size_t largest = 0;
	for (size_t i = 1; i < sizeof term / sizeof *term; i++)
		if (term[i].ns > term[largest].ns)
			largest = i;
	return term[largest].bound;
}

static void finish(const struct model_question *q, const struct trait *t, int g, struct model_answer *a)
{
	a->wire_ns = term_ns(a->wire_bytes, q->wire.bytes_per_s);
	a->inside_ns = term_ns(a->inside_bytes, q->inside.bytes_per_s);
	a->memory_ns = term_ns(a->inside_bytes + a->wire_bytes / g, q->memory_bytes_per_s);
	a->time_ns = a->latency_ns + fmax(fmax(a->wire_ns, a->inside_ns), a->memory_ns);
	a->bound = largest_term(a);
	if (a->time_ns <= 0)
		return;
	double counted =
	        t->flags & ALGBW_OF_SENT ? q->collective->ring_bytes(q->size_bytes, q->ranks) : q->size_bytes;
	a->algbw_gbs = counted / a->time_ns;
	a->busbw_gbs = a->algbw_gbs * q->collective->bus_factor(q->ranks);
}

enum status model_answer_of(const struct model_question *q, struct model_answer *out)
{
	const struct trait *t = trait_of(q->collective);
	/* On one node, or with one rank a node, every hop is the same: each rank is a node of its own. */
	int g = q->nodes > 1 ? q->ranks / q->nodes : 1;
	struct model_answer a = {0};
	if (!model_has_shape(q->collective, q->shape))
		return fail(ST_UNSUPPORTED, "there is no model of '%s' as %s: use flat", q->collective->name,
		        model_shape_name(q->shape));
	if (q->ranks < 2) {
		*out = a;
		return ST_OK;
	}
	switch (q->shape) {
	case MODEL_RING:
		answer_flat(q, t, g, &a);
		break;
	case MODEL_TREE:
		answer_tree(q, g, &a);
		break;
	case MODEL_HIERARCHICAL:
		answer_hierarchical(q, t, g, &a);
		break;
	}
	finish(q, t, g, &a);
	*out = a;
	return ST_OK;
}

double model_step_bytes(const struct collective *c, double size_bytes, int ranks)
{
	const struct trait *t = trait_of(c);
	double steps = c->ring_steps(ranks);
	return steps < 1 || (t && t->flags & PASSES_ON) ? size_bytes
	                                                : c->ring_bytes(size_bytes, ranks) / steps;
}

double model_own_share(const struct collective *c, int ranks)
{
	const struct trait *t = trait_of(c);
	return t && t->flags & COPIES_OWN ? 1.0 / (ranks - 1) : 0;
}

const char *model_bound_name(enum model_bound bound)
{
	static const char *const names[] = {
	        [BOUND_NONE] = "none",
	        [BOUND_WIRE] = "wire",
	        [BOUND_NVLINK] = "nvlink",
	        [BOUND_MEMORY] = "memory",
	        [BOUND_LATENCY] = "latency",
	};
	return names[bound];
}

static const char *const shape_names[] = {
        [MODEL_RING] = "flat",
        [MODEL_TREE] = "tree",
        [MODEL_HIERARCHICAL] = "hierarchical",
};

const char *model_shape_name(enum model_shape shape)
{
	return shape_names[shape];
}

int model_shape_find(const char *name)
{
	if (!strcmp(name, "ring"))
		return MODEL_RING;
	for (int i = 0; i < 3; i++)
		if (!strcmp(name, shape_names[i]))
			return i;
	return -1;
}
