/* sketch.c - the bits of a double sort like the number: sign, exponent and the first 10 bits behind make bins
 * 0.1 % wide. */
#include "analysis/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BIN_SHIFT = 52 - 10, BIN_MARGIN = 64 };

static uint32_t bin_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return (uint32_t)(bits >> BIN_SHIFT);
}

static double middle_of(uint32_t bin)
{
	uint64_t bits = (uint64_t)bin << BIN_SHIFT | (uint64_t)1 << (BIN_SHIFT - 1);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Makes room for this bin, and some beside it. */
static bool reach_bin(struct sketch *s, uint32_t bin)
{
	if (s->bins && bin >= s->bin_first && bin < s->bin_first + s->bins)
		return true;
	uint32_t low = s->bins && s->bin_first < bin ? s->bin_first : bin > BIN_MARGIN ? bin - BIN_MARGIN : 0;
	uint32_t high = s->bins && s->bin_first + s->bins > bin ? s->bin_first + s->bins : bin + BIN_MARGIN;
	uint32_t *larger = calloc(high - low, sizeof *larger);
	if (!larger)
		return false;
	if (s->bins)
		memcpy(larger + (s->bin_first - low), s->bin, s->bins * sizeof *larger);
	free(s->bin);
	s->bin = larger;
	s->bin_first = low;
	s->bins = high - low;
	return true;
}

static bool count_in_bin(struct sketch *s, double value)
{
	uint32_t bin = bin_of(value);
	if (!reach_bin(s, bin))
		return false;
	s->bin[bin - s->bin_first]++;
	return true;
}

bool sketch_add(struct sketch *s, double value)
{
	bool ok = true;
	if (!s->count) {
		s->min = s->max = s->first = value;
	}
	if (s->count < SKETCH_EXACT) {
		s->exact[s->count] = value;
	} else {
		for (int i = 0; ok && s->count == SKETCH_EXACT && i < SKETCH_EXACT; i++)
			ok = count_in_bin(s, s->exact[i]);
		ok = ok && count_in_bin(s, value);
	}
	double difference = value - s->first;
	s->count++;
	s->sum += difference;
	s->squares += difference * difference;
	s->min = value < s->min ? value : s->min;
	s->max = value > s->max ? value : s->max;
	return ok;
}

double sketch_mean(const struct sketch *s)
{
	return s->count ? s->first + s->sum / (double)s->count : NAN;
}

double sketch_stdev(const struct sketch *s)
{
	if (!s->count)
		return NAN;
	double n = (double)s->count, mean = s->sum / n;
	return sqrt(fmax(s->squares / n - mean * mean, 0));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

double sketch_percentile(struct sketch *s, double p)
{
	if (!s->count)
		return NAN;
	uint64_t rank = (uint64_t)ceil(p * (double)s->count), seen = 0;
	rank = rank < 1 ? 1 : rank > s->count ? s->count : rank;
	if (s->count <= SKETCH_EXACT) {
		qsort(s->exact, s->count, sizeof *s->exact, by_value);
		return s->exact[rank - 1];
	}
	if (rank == 1 || rank == s->count)
		return rank == 1 ? s->min : s->max;
	uint32_t i = 0;
	while (i + 1 < s->bins && (seen += s->bin[i]) < rank)
		i++;
	return fmin(fmax(middle_of(s->bin_first + i), s->min), s->max);
}

void sketch_free(struct sketch *s)
{
	free(s->bin);
	*s = (struct sketch){0};
}
