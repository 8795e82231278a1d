/* world_split.c - the grammar of NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK. Pure; the environment is read
 * elsewhere. */
#include "bench/core/world.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum operator{ SPLIT_AND, SPLIT_OR, SPLIT_MOD, SPLIT_DIV };

static const struct {
	const char *name;
	enum operator how;
} operators[] = {
        {"AND", SPLIT_AND},
        {"&", SPLIT_AND},
        {"OR", SPLIT_OR},
        {"|", SPLIT_OR},
        {"MOD", SPLIT_MOD},
        {"%", SPLIT_MOD},
        {"DIV", SPLIT_DIV},
        {"/", SPLIT_DIV},
};

/* The whole text must be one number without a sign; base 0 also knows 0b. */
static bool number(const char *text, int base, unsigned long long *value_p)
{
	char *end;
	while (isspace((unsigned char)*text))
		text++;
	if (base == 0 && !strncasecmp(text, "0b", 2)) {
		text += 2;
		base = 2;
	}
	if (!isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value_p = strtoull(text, &end, base);
	while (isspace((unsigned char)*end))
		end++;
	return !*end && errno == 0;
}

static enum status by_mask(const char *mask, int process, int *colour_p)
{
	unsigned long long bits;
	if (!number(mask, 16, &bits))
		return fail(ST_USAGE,
		        "'%s' in NCCL_TESTS_SPLIT_MASK is not a hexadecimal number; give the bits of the "
		        "rank that tell "
		        "groups apart, as in NCCL_TESTS_SPLIT_MASK=0x7",
		        mask);
	*colour_p = (int)((unsigned long long)process & bits);
	return ST_OK;
}

static enum status by_operator(enum operator how, const char *text, int process, int *colour_p)
{
	unsigned long long p = (unsigned long long)process, value, colour = 0;
	if (!number(text, 0, &value))
		return fail(ST_USAGE,
		        "'%s' in NCCL_TESTS_SPLIT is not a number; write it as 12, 0xc, 0b1100 or 014 after "
		        "the operator",
		        text);
	if (value == 0 && (how == SPLIT_MOD || how == SPLIT_DIV))
		return fail(
		        ST_USAGE, "NCCL_TESTS_SPLIT divides by zero; give MOD and DIV a number of 1 or more");
	switch (how) {
	case SPLIT_AND:
		colour = p & value;
		break;
	case SPLIT_OR:
		colour = p | value;
		break;
	case SPLIT_MOD:
		colour = p % value;
		break;
	case SPLIT_DIV:
		colour = p / value;
		break;
	}
	if (colour > INT_MAX)
		return fail(ST_USAGE, "'%s' in NCCL_TESTS_SPLIT gives group %llu; the largest is %d", text,
		        colour, INT_MAX);
	*colour_p = (int)colour;
	return ST_OK;
}

enum status world_split_parse(const char *split, const char *mask, int process, int *colour_p)
{
	if (mask && *mask)
		return by_mask(mask, process, colour_p);
	if (!split || !*split) {
		*colour_p = 0;
		return ST_OK;
	}
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		size_t length = strlen(operators[i].name);
		if (!strncasecmp(split, operators[i].name, length))
			return by_operator(operators[i].how, split + length, process, colour_p);
	}
	return fail(ST_USAGE,
	        "'%s' in NCCL_TESTS_SPLIT starts with no operator; use AND, OR, MOD or DIV (or & | %% /) and "
	        "a number, as in "
	        "NCCL_TESTS_SPLIT='MOD 2'",
	        split);
}
