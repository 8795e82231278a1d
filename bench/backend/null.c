/* null.c - moves nothing: what it "measures" is the harness itself. Its results are wrong whenever they are
 * checked. */
#include "bench/backend/backend.h"

static char nothing; /* open and bind must give something back */

static enum status probe(char *why, size_t why_bytes)
{
	(void)why, (void)why_bytes;
	return ST_OK;
}

static enum status open(struct world *w, const struct plan *plan, struct communicator **out)
{
	(void)w, (void)plan;
	*out = (struct communicator *)&nothing;
	return ST_OK;
}

static enum status supports(
        struct communicator *c, const struct collective *coll, enum dtype t, enum redop op)
{
	(void)c, (void)coll, (void)t, (void)op;
	return ST_OK;
}

static enum status bind(struct communicator *c, const struct operation *op, struct bound **out)
{
	(void)c, (void)op;
	*out = (struct bound *)&nothing;
	return ST_OK;
}

static enum status start(struct bound *b, size_t shift_bytes)
{
	(void)b, (void)shift_bytes;
	return ST_OK;
}

static enum status poll(struct bound *b, int64_t wait_ns, bool *done_p)
{
	(void)b, (void)wait_ns;
	*done_p = true;
	return ST_OK;
}

static void seen(struct bound *b, struct seen *out)
{
	(void)b;
	*out = (struct seen){.algorithm = "none"};
}

static void unbind(struct bound *b)
{
	(void)b;
}

static void close(struct communicator *c)
{
	(void)c;
}

extern const struct backend backend_null;
const struct backend backend_null = {
        .name = "null",
        .help = "moves nothing: measures the harness",
        .probe = probe,
        .open = open,
        .supports = supports,
        .bind = bind,
        .start = start,
        .poll = poll,
        .seen = seen,
        .unbind = unbind,
        .close = close,
};
