/* recipe.c - the constants of kernels/element.h: one function for each way of reducing floats or integers. */
#include "bench/memory/recipe.h"

#include "bench/core/types.h"

#include <stdbool.h>

/* Biased exponents low .. low + 2^bits - 1. */
struct span {
	int low, bits;
};

/* Of a type. Integers have bits alone. The spans leave room for the largest and smallest partial results. */
static const struct format {
	int bits, fraction, bias;
	int random;       /* bits of a sum's significand */
	struct span sum;  /* exponent of the sum: at least fraction + 2, for the halved units of mulsum */
	struct span prod; /* exponent of the holder's factor */
	int pairs;        /* how many doublings, or halvings, a product has room for */
} formats[DTYPES] = {
        [DT_INT8] = {.bits = 8},
        [DT_UINT8] = {.bits = 8},
        [DT_INT32] = {.bits = 32},
        [DT_UINT32] = {.bits = 32},
        [DT_INT64] = {.bits = 64},
        [DT_UINT64] = {.bits = 64},
        [DT_HALF] = {16, 10, 15, 9, {14, 4}, {12, 3}, 11},
        [DT_FLOAT] = {32, 23, 127, 22, {95, 6}, {95, 6}, 94},
        [DT_DOUBLE] = {64, 52, 1023, 51, {895, 8}, {895, 8}, 890},
        [DT_BFLOAT16] = {16, 7, 127, 6, {95, 6}, {95, 6}, 94},
        [DT_F8E4M3] = {8, 3, 7, 1, {6, 3}, {6, 2}, 5},
        [DT_F8E5M2] = {8, 2, 15, 1, {14, 4}, {12, 3}, 11},
};

enum { RESULT = -1 }; /* in place of a rank */

struct order {
	const struct format *format;
	enum redop redop;
	bool is_signed;
	uint32_t ranks;
	int rank; /* or RESULT */
};

static bool is_float(enum dtype t)
{
	return t >= DT_HALF;
}

/* The low n bits. */
static uint64_t ones(int n)
{
	return n ? ~UINT64_C(0) >> (64 - n) : 0;
}

static int log2_floor(uint64_t x)
{
	return 63 - __builtin_clzll(x);
}

static bool is_power_of_two(uint64_t x)
{
	return !(x & (x - 1));
}

static uint64_t top_bit(const struct order *o)
{
	return ones(o->format->bits) ^ ones(o->format->bits) >> 1;
}

static void holder_or_not(struct element_recipe *r, bool holder, uint64_t mask, uint64_t add)
{
	r->mask[holder] = mask;
	r->add[holder] = add;
}

/* Pattern of a whole number of units, a unit being the last place of numbers with this biased exponent. */
static uint64_t units_as_float(const struct format *f, int exponent, uint64_t units)
{
	int top = log2_floor(units);
	uint64_t fraction = (units << (f->fraction - top)) & ones(f->fraction);
	return (uint64_t)(exponent - f->fraction + top) << f->fraction | fraction;
}

/* Each member gives a constant of units with the random exponent of the span; the holder the leading bit and
 * `random` bits in exchange for one of its units. */
static void share_units(const struct order *o, struct span span, uint64_t random, struct element_recipe *r)
{
	const struct format *f = o->format;
	uint64_t n = o->ranks, all = n * (n + 1) / 2, leading = UINT64_C(1) << f->fraction;
	uint64_t room = leading - ones(f->random); /* for all constants less one unit */
	bool numbered = all - 1 <= room;
	uint64_t members = n < room + 1 ? n : room + 1, total = numbered ? all : members;
	uint64_t exponents = ones(span.bits) << f->fraction;
	uint64_t mine = numbered ? (uint64_t)o->rank + 1 : 1;
	int down = o->redop == OP_MULSUM && o->rank != RESULT && o->rank % 2;
	int exponent = span.low - down;
	if (o->rank == RESULT)
		mine = total;
	else
		holder_or_not(r, ELEMENT_OTHER, exponents, units_as_float(f, exponent, mine));
	uint64_t add = ((uint64_t)exponent << f->fraction) + mine - 1;
	holder_or_not(r, ELEMENT_HOLDER, exponents | random, add);
	r->flip = top_bit(o);
	r->members = (uint32_t)members;
}

static void sum_of_floats(const struct order *o, struct element_recipe *r)
{
	share_units(o, o->format->sum, ones(o->format->random), r);
}

/* Nearest pattern of the type to a positive number. */
static uint64_t nearest(const struct format *f, double number)
{
	if (f->bits == 64)
		return bits_of_double(number);
	if (f->bits == 32)
		return bits_of_float((float)number);
	if (f->bits == 16)
		return f->fraction == 7 ? bfloat16_from_float((float)number) : half_from_float((float)number);
	return f->fraction == 3 ? f8e4m3_from_float((float)number) : f8e5m2_from_float((float)number);
}

static double power_of_two(int exponent)
{
	return double_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* The span that keeps quotients normal, narrower where it must be. */
static struct span span_of_average(const struct order *o)
{
	struct span span = o->format->sum;
	int shift = log2_floor(o->ranks) + 1;
	while (span.bits && span.low <= shift) {
		span.bits--;
		span.low += 1 << span.bits;
	}
	return span;
}

static void average_of_floats(const struct order *o, struct element_recipe *r)
{
	const struct format *f = o->format;
	struct span span = span_of_average(o);
	int shift = log2_floor(o->ranks);
	uint64_t exponents = ones(span.bits) << f->fraction;
	if (is_power_of_two(o->ranks) && span.low > shift) {
		share_units(o, span, ones(f->random), r);
		if (o->rank == RESULT)
			r->add[ELEMENT_HOLDER] -= (uint64_t)shift << f->fraction;
		return;
	}
	/* Two members: one unit, and the leading bit with a constant of alternating bits. */
	uint64_t constant = (UINT64_C(1) << f->fraction) + (ones(f->random) & 0x5555555555555555);
	r->flip = top_bit(o);
	r->members = 2;
	if (o->rank == RESULT) {
		double unit = power_of_two(span.low - f->bias - f->fraction);
		double quotient = (double)(constant + 1) * unit / o->ranks;
		holder_or_not(r, ELEMENT_HOLDER, exponents, nearest(f, quotient));
		return;
	}
	holder_or_not(r, ELEMENT_OTHER, exponents, units_as_float(f, span.low, 1));
	holder_or_not(r, ELEMENT_HOLDER, exponents, units_as_float(f, span.low, constant));
}

/* Factors by rank number: 2, -1, 1/2, -1, and so on; -1 alone when the range is used up. */
static bool has_exponent(const struct order *o, uint32_t rank)
{
	return rank % 2 == 0 && rank / 4 < (uint32_t)o->format->pairs;
}

/* How many of the ranks have number `first` modulo 4 and a factor with an exponent. */
static uint32_t count_exponents(const struct order *o, uint32_t first)
{
	uint32_t count = o->ranks > first ? (o->ranks - first + 3) / 4 : 0;
	return count < (uint32_t)o->format->pairs ? count : (uint32_t)o->format->pairs;
}

static void product_of_floats(const struct order *o, struct element_recipe *r)
{
	const struct format *f = o->format;
	uint32_t rank = (uint32_t)o->rank, twos = count_exponents(o, 0), halves = count_exponents(o, 2);
	int exponent = has_exponent(o, rank) ? 1 - (int)(rank % 4) : 0;
	bool negative = !has_exponent(o, rank), flips = true;
	if (o->rank == RESULT) {
		exponent = (int)twos - (int)halves;
		negative = (o->ranks - twos - halves) % 2;
		flips = o->ranks % 2;
	}
	uint64_t random = ones(f->prod.bits) << f->fraction | ones(f->fraction);
	holder_or_not(r, ELEMENT_OTHER, 0, (uint64_t)(f->bias + exponent) << f->fraction);
	holder_or_not(r, ELEMENT_HOLDER, random, (uint64_t)(f->prod.low + exponent) << f->fraction);
	r->flip = flips ? top_bit(o) : 0;
	r->fixed = negative ? top_bit(o) : 0;
}

/* A number below `limit` that differs from rank to rank. */
static uint64_t scattered(const struct order *o, uint64_t limit)
{
	return element_mix((uint64_t)o->rank + 1) & ones(log2_floor(limit));
}

/* Patterns of finite normal numbers are ordered as integers, and stay so when all bits are inverted. */
static void extreme_of_floats(const struct order *o, struct element_recipe *r)
{
	uint64_t magnitudes = top_bit(o) - 1, least = UINT64_C(1) << o->format->fraction;
	uint64_t random = magnitudes >> 1, best = magnitudes - least - random;
	holder_or_not(r, ELEMENT_HOLDER, random, best);
	holder_or_not(r, ELEMENT_OTHER, random, least + scattered(o, best - least));
	r->flip = ones(o->format->bits);
	r->fixed = o->redop == OP_MIN ? magnitudes : 0;
}

static void extreme_of_integers(const struct order *o, struct element_recipe *r)
{
	uint64_t random = top_bit(o) - 1;
	holder_or_not(r, ELEMENT_HOLDER, random, top_bit(o));
	holder_or_not(r, ELEMENT_OTHER, random, scattered(o, top_bit(o)));
	r->fixed = (o->is_signed ? top_bit(o) : 0) ^ (o->redop == OP_MIN ? ones(o->format->bits) : 0);
}

/* Rank r gives (r + 1) x weight modulo the range; adding its top bit is the same as exclusive or. All flip
 * the top bit together; those that mulsum doubles lose it. The holder is even, for it is not doubled. */
static void sum_of_integers(const struct order *o, struct element_recipe *r)
{
	uint64_t weight = UINT64_C(0x9e3779b97f4a7c15), n = o->ranks, odd = n / 2, even = n - odd;
	bool doubles = o->redop == OP_MULSUM;
	uint64_t constant = ((uint64_t)o->rank + 1) * weight;
	bool flips = true;
	if (o->rank == RESULT) {
		uint64_t even_sum = even * even, odd_sum = odd * (odd + 1);
		constant = weight * (even_sum + (doubles ? 2 : 1) * odd_sum);
		flips = (doubles ? even : n) % 2;
	} else if (doubles) {
		r->holders = (uint32_t)even;
		r->me = o->rank % 2 ? ~0u : (uint32_t)o->rank / 2;
	}
	uint64_t low = top_bit(o) - 1;
	holder_or_not(r, ELEMENT_HOLDER, low, constant & low);
	holder_or_not(r, ELEMENT_OTHER, 0, constant & low);
	r->flip = flips ? top_bit(o) : 0;
	r->fixed = constant & top_bit(o);
}

/* On odd numbers, times -1 inverts all bits but the lowest, and times 1 + half the range inverts the top one.
 * Rank r has one of the three products of these; all multiply by the second together. */
static void product_of_integers(const struct order *o, struct element_recipe *r)
{
	uint64_t minus = ones(o->format->bits) & ~UINT64_C(1), half = top_bit(o);
	uint32_t n = o->ranks, rank = (uint32_t)o->rank;
	bool inverts = rank % 3 != 1, halves = rank % 3 != 0, flips = true;
	if (o->rank == RESULT) {
		inverts = (n - (n + 1) / 3) % 2;
		halves = (n - (n + 2) / 3) % 2;
		flips = n % 2;
	}
	holder_or_not(r, ELEMENT_HOLDER, minus & ~half, 1);
	holder_or_not(r, ELEMENT_OTHER, 0, 1);
	r->flip = flips ? half : 0;
	r->fixed = (inverts ? minus : 0) ^ (halves ? half : 0);
}

/* How far ranks are from the average: pairs of an even and an odd one by as much above as below, as many
 * different multiples of n as fit (an exchange of two ranks then changes the average), or 1. */
static uint64_t average_offset(const struct order *o, uint64_t room, uint32_t pair)
{
	uint64_t levels = room / 2 / o->ranks;
	return levels ? (1 + pair % levels) * o->ranks : 1;
}

/* All give the average, plus or minus their pair's offset, the holder 1 more: what is left over is below n.
 * Inverting a signed number x gives -1 - x, and so for the average of all. */
static void average_of_integers(const struct order *o, struct element_recipe *r)
{
	uint64_t most = ones(o->format->bits - o->is_signed), n = o->ranks, pairs = n / 2, room = most / n;
	if (room < 6) { /* too many ranks for the type: the holder's number is below n, the average 0 */
		uint64_t below = ones(log2_floor(n < most ? n : most));
		holder_or_not(r, ELEMENT_OTHER, 0, 0);
		holder_or_not(r, ELEMENT_HOLDER, o->rank == RESULT ? 0 : below, 0);
		return;
	}
	uint64_t levels = room / 2 / n, largest = pairs ? average_offset(o, room, 0) : 0;
	if (levels)
		largest *= pairs < levels ? pairs : levels;
	/* The most that ranks add up to on the way: n x (random + largest + 1) + n / 2 x largest + n */
	uint64_t random = ones(log2_floor(room - 2 - largest - largest / 2)), add = largest;
	bool paired = o->rank != RESULT && (uint64_t)o->rank / 2 < pairs;
	if (paired && o->rank % 2)
		add -= average_offset(o, room, (uint32_t)o->rank / 2);
	else if (paired)
		add += average_offset(o, room, (uint32_t)o->rank / 2);
	holder_or_not(r, ELEMENT_OTHER, random, add);
	holder_or_not(r, ELEMENT_HOLDER, random, add + (o->rank != RESULT && n > 1));
	r->flip = o->is_signed ? ones(o->format->bits) : 0;
}

/* Floats without the top bit of the exponent: finite. */
static void names_of_floats(const struct order *o, struct element_recipe *r)
{
	holder_or_not(r, ELEMENT_HOLDER, ones(o->format->bits) & ~(top_bit(o) >> 1), 0);
}

static void names_of_integers(const struct order *o, struct element_recipe *r)
{
	holder_or_not(r, ELEMENT_HOLDER, ones(o->format->bits), 0);
}

static void (*const craft[REDOPS + 1][2])(const struct order *, struct element_recipe *) = {
        [OP_SUM] = {sum_of_integers, sum_of_floats},
        [OP_PROD] = {product_of_integers, product_of_floats},
        [OP_MAX] = {extreme_of_integers, extreme_of_floats},
        [OP_MIN] = {extreme_of_integers, extreme_of_floats},
        [OP_AVG] = {average_of_integers, average_of_floats},
        [OP_MULSUM] = {sum_of_integers, sum_of_floats},
        [OP_NONE] = {names_of_integers, names_of_floats},
};

/* The same for every element of a word. */
static uint64_t replicated(uint64_t constant, int bits)
{
	for (int filled = bits; filled < 64; filled *= 2)
		constant |= constant << filled;
	return constant;
}

static void replicate(struct element_recipe *r, int bits)
{
	for (int i = 0; i < 2; i++) {
		r->mask[i] = replicated(r->mask[i], bits);
		r->add[i] = replicated(r->add[i], bits);
	}
	r->flip = replicated(r->flip, bits);
	r->fixed = replicated(r->fixed, bits);
}

static void recipe_of(const struct pattern *p, int rank, uint64_t source, struct element_recipe *r)
{
	struct order o = {&formats[p->dtype], p->redop, false, (uint32_t)p->ranks, rank};
	o.is_signed = p->dtype == DT_INT8 || p->dtype == DT_INT32 || p->dtype == DT_INT64;
	*r = (struct element_recipe){.seed = element_mix(element_mix(p->seed) + source), .members = ~0u};
	r->elem_bytes = (int)dtype_bytes(p->dtype);
	r->word_bytes = r->elem_bytes == 8 ? 8 : 4;
	r->holders = o.ranks;
	r->me = (uint32_t)rank;
	craft[p->redop][is_float(p->dtype)](&o, r);
	replicate(r, o.format->bits);
	if (rank == RESULT || p->redop == OP_NONE) { /* all holder */
		r->holders = 1;
		r->me = 0;
	}
	r->holder_mask = r->holders > 1 ? (uint32_t)ones(log2_floor(r->holders - 1) + 1) : 0;
}

void recipe_of_input(const struct pattern *p, int rank, struct element_recipe *out)
{
	recipe_of(p, rank, p->redop == OP_NONE ? (uint64_t)rank + 1 : 0, out);
}

void recipe_of_result(const struct pattern *p, int source, struct element_recipe *out)
{
	if (p->redop == OP_NONE)
		recipe_of_input(p, source, out);
	else
		recipe_of(p, RESULT, 0, out);
}

int recipe_tolerance(const struct pattern *p)
{
	return p->redop == OP_AVG && is_float(p->dtype) ? 2 : 0;
}
