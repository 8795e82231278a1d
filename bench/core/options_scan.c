/* options_scan.c - values of options: from text into a plan and back, by kind of row. */
#include "bench/core/options_table.h"

#include "bench/core/near.h"
#include "bench/core/units.h"
#include "bench/registry.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status option_fail(const struct option_source *source, enum status s, const char *fmt, ...)
{
	char text[768];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return fail(s, "%s%s", source->place, text);
}

void option_title(const struct option_row *row, char text[64])
{
	const char *dashes = row >= variable_rows && row < variable_rows + variable_row_count ? "" : "--";
	if (row->letter)
		snprintf(text, 64, "-%c (--%s)", row->letter, row->name);
	else
		snprintf(text, 64, "%s%s", dashes, row->name);
}

/* "is not a whole number" and the like: names the option and the value, then the reason. */
static enum status wrong(const struct option_row *row, const char *text, const struct option_source *source,
        const char *reason)
{
	char title[64];
	option_title(row, title);
	enum status s = row->kind == OPTION_BYTES ? ST_BAD_SIZE : ST_USAGE;
	return option_fail(source, s, "%s \"%s\": %s", title, text, reason);
}

static enum status out_of_range(
        const struct option_row *row, const char *text, const struct option_source *source)
{
	char reason[96];
	snprintf(reason, sizeof reason, "must be from %.10g to %.10g", row->min, row->max);
	return wrong(row, text, source, reason);
}

static enum status scan_int(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	char *end;
	errno = 0;
	long number = strtol(text, &end, 0);
	if (end == text || *end)
		return wrong(row, text, source, "must be a whole number");
	if (errno == ERANGE || (double)number < row->min || (double)number > row->max)
		return out_of_range(row, text, source);
	*(int *)field = (int)number;
	return ST_OK;
}

static enum status scan_flag(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return wrong(row, text, source, "must be 0 or 1");
	*(bool *)field = *text == '1';
	return ST_OK;
}

static enum status scan_real(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	char *end;
	double number = strtod(text, &end);
	if (end == text || *end || !isfinite(number))
		return wrong(row, text, source, "must be a number");
	if (number < row->min || number > row->max)
		return out_of_range(row, text, source);
	*(double *)field = number;
	return ST_OK;
}

static enum status scan_share(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	char *end;
	double share = strtod(text, &end);
	bool percent = end != text && *end == '%';
	if (end == text || end[percent] || !isfinite(share))
		return wrong(row, text, source, "must be a share such as 2% or 0.02");
	if (percent)
		share /= 100;
	if (share < 0 || share >= 1)
		return wrong(row, text, source, "must be from 0 to below 1; write 2% or 0.02");
	*(double *)field = share;
	return ST_OK;
}

static enum status scan_bytes(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	const char *reason = units_scan_bytes(text, field);
	return reason ? wrong(row, text, source, reason) : ST_OK;
}

static enum status scan_text(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	if (!*text)
		return wrong(row, text, source, "must not be empty");
	if (strlen(text) >= row->bytes) {
		char reason[64];
		snprintf(reason, sizeof reason, "must be shorter than %zu characters", row->bytes);
		return wrong(row, text, source, reason);
	}
	snprintf(field, row->bytes, "%s", text);
	return ST_OK;
}

/* The list of a row in words, and what was probably meant. */
static enum status unknown_name(
        const struct option_row *row, const char *text, const struct option_source *source)
{
	char reason[320];
	struct near near = near_begin(text);
	size_t used = (size_t)snprintf(reason, sizeof reason, "not one of");
	for (int i = 0; row->names(i); i++) {
		near_offer(&near, row->names(i));
		if (used < sizeof reason)
			used += (size_t)snprintf(reason + used, sizeof reason - used, " %s", row->names(i));
	}
	if (row->kind == OPTION_INDEX && used < sizeof reason)
		used += (size_t)snprintf(reason + used, sizeof reason - used, " all");
	if (near_best(&near) && used < sizeof reason)
		snprintf(reason + used, sizeof reason - used, "; did you mean \"%s\"?", near_best(&near));
	return wrong(row, text, source, reason);
}

static enum status scan_index(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	int place = PLAN_ALL;
	if (strcmp(text, "all")) {
		for (place = 0; row->names(place) && strcmp(row->names(place), text);)
			place++;
		if (!row->names(place))
			return unknown_name(row, text, source);
	}
	*(int *)field = place;
	return ST_OK;
}

static enum status scan_name(
        const struct option_row *row, const char *text, const struct option_source *source, void *field)
{
	for (int i = 0; row->names(i); i++)
		if (!strcmp(row->names(i), text))
			return scan_text(row, text, source, field);
	const char *why = registry_absence(row->name, text);
	if (why)
		return option_fail(source, ST_UNSUPPORTED, "--%s \"%s\": %s", row->name, text, why);
	return unknown_name(row, text, source);
}

enum status option_scan(
        const struct option_row *row, const char *text, const struct option_source *source, struct plan *plan)
{
	static enum status (*const scan[])(
	        const struct option_row *, const char *, const struct option_source *, void *) = {
	        [OPTION_INT] = scan_int,
	        [OPTION_FLAG] = scan_flag,
	        [OPTION_SWITCH] = scan_flag,
	        [OPTION_REAL] = scan_real,
	        [OPTION_SHARE] = scan_share,
	        [OPTION_BYTES] = scan_bytes,
	        [OPTION_TEXT] = scan_text,
	        [OPTION_INDEX] = scan_index,
	        [OPTION_NAME] = scan_name,
	};
	return scan[row->kind](row, text, source, (char *)plan + row->offset);
}

void option_print(const struct option_row *row, const struct plan *plan, char text[OPTION_TEXT_BYTES])
{
	const void *field = (const char *)plan + row->offset;
	int index;
	switch (row->kind) {
	case OPTION_INT:
		snprintf(text, OPTION_TEXT_BYTES, "%d", *(const int *)field);
		break;
	case OPTION_FLAG:
	case OPTION_SWITCH:
		snprintf(text, OPTION_TEXT_BYTES, "%d", *(const bool *)field);
		break;
	case OPTION_REAL:
	case OPTION_SHARE:
		snprintf(text, OPTION_TEXT_BYTES, "%g", *(const double *)field);
		break;
	case OPTION_BYTES:
		units_print_bytes(*(const uint64_t *)field, text);
		break;
	case OPTION_INDEX:
		index = *(const int *)field;
		snprintf(text, OPTION_TEXT_BYTES, "%s", index == PLAN_ALL ? "all" : row->names(index));
		break;
	case OPTION_TEXT:
	case OPTION_NAME:
		snprintf(text, OPTION_TEXT_BYTES, "%s", (const char *)field);
		break;
	case OPTION_OTHER:
		*text = 0;
		break;
	}
}
