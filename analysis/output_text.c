/* output_text.c - the face for people: facts, title, notes, an aligned table with scaled units, notes. */
#include "analysis/output_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scale {
	const char *unit, *name;
	double factor, up_to; /* used for absolute values below up_to */
};

static const struct scale scales[] = {
        {"ns", "ns", 1, 9999.5},
        {"ns", "us", 1e3, 9999.5e3},
        {"ns", "ms", 1e6, 9999.5e6},
        {"ns", "s", 1e9, INFINITY},
        {"bytes", "B", 1, 9999.5},
        {"bytes", "kB", 1e3, 999.5e3},
        {"bytes", "MB", 1e6, 999.5e6},
        {"bytes", "GB", 1e9, 9999.5e9},
        {"bytes", "TB", 1e12, INFINITY},
        {NULL, NULL, 0, 0},
};

/* Four significant digits, as many as a measurement deserves. */
static int decimals_for(double value)
{
	double size = fabs(value);
	return size >= 999.5 ? 0 : size >= 99.95 ? 1 : size >= 9.995 ? 2 : 3;
}

/* 65536 is 64K; what is no whole multiple is printed in full. */
static void print_size(char *text, double value)
{
	static const char suffix[] = "BKMGT";
	double scaled = value;
	size_t power = 0;
	for (; power < 4 && scaled >= 1024 && fmod(scaled, 1024) == 0; power++)
		scaled /= 1024;
	if (power && scaled < 10000)
		snprintf(text, QUANTITY_BYTES, "%.0f%c", scaled, suffix[power]);
	else
		snprintf(text, QUANTITY_BYTES, "%.0f", value);
}

char *output_quantity(char text[QUANTITY_BYTES], double value, const char *unit, int decimals)
{
	if (isnan(value)) {
		strcpy(text, "-");
		return text;
	}
	if (!strcmp(unit, "size")) {
		print_size(text, value);
		return text;
	}
	for (const struct scale *s = scales; s->unit; s++)
		if (!strcmp(s->unit, unit) && fabs(value) < s->up_to) {
			double scaled = value / s->factor;
			int places = s->factor == 1 && scaled == floor(scaled) ? 0 : decimals_for(scaled);
			snprintf(text, QUANTITY_BYTES, "%.*f %s", places, scaled, s->name);
			return text;
		}
	bool tiny = value != 0 && decimals > 3 && fabs(value) < pow(10, -decimals);
	snprintf(text, QUANTITY_BYTES, tiny || fabs(value) >= 1e15 ? "%.*g" : "%.*f", tiny ? 2 : decimals,
	        value);
	return text;
}

static bool is_scaled(const char *unit)
{
	if (!strcmp(unit, "size"))
		return true;
	for (const struct scale *s = scales; s->unit; s++)
		if (!strcmp(s->unit, unit))
			return true;
	return false;
}

const char *output_cell_text(const struct output *o, size_t i, char *number)
{
	const struct output_column *column = &o->column[i % o->columns];
	if (o->cell[i].text)
		return o->cell[i].text;
	return output_quantity(number, o->cell[i].value, column->unit, column->decimals);
}

void output_heading(char *text, size_t bytes, const struct output_column *c)
{
	size_t length = strlen(c->name);
	const char *tail = strrchr(c->name, '_');
	bool told = is_scaled(c->unit) || !strcmp(c->unit, "GB/s");
	if (tail && told && (!strcmp(tail, "_ns") || !strcmp(tail, "_gbs") || !strcmp(tail, "_bytes")))
		length = (size_t)(tail - c->name);
	snprintf(text, bytes, "%.*s%s%s", (int)length, c->name, is_scaled(c->unit) || !*c->unit ? "" : " ",
	        is_scaled(c->unit) ? "" : c->unit);
}

/* Columns on a terminal; bytes that continue a UTF-8 character take none. */
static size_t width_of(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void print_padded(const struct output *o, const char *text, size_t width, bool right)
{
	int padding = (int)(width - width_of(text));
	fprintf(o->file, "%*s%s%*s", right ? padding : 0, "", text, right ? 0 : padding, "");
}

static const char *tone_on(enum output_tone tone)
{
	static const char *const code[] = {
	        [TONE_PLAIN] = "",
	        [TONE_GOOD] = "\033[32m",
	        [TONE_WARN] = "\033[33m",
	        [TONE_BAD] = "\033[31m",
	        [TONE_DIM] = "\033[2m",
	};
	return code[tone];
}

static bool wants_colour(FILE *file)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return !(no && *no) && isatty(fileno(file)) && terminal && strcmp(terminal, "dumb");
}

static void print_toned(const struct output *o, bool colour, enum output_tone tone, const char *text)
{
	bool on = colour && tone != TONE_PLAIN;
	fprintf(o->file, "%s%s%s", on ? tone_on(tone) : "", text, on ? "\033[0m" : "");
}

static void print_notes(const struct output *o, bool colour, bool below)
{
	for (size_t i = 0; i < o->notes; i++)
		if (o->note[i].below == below) {
			print_toned(o, colour, o->note[i].tone, o->note[i].text);
			fputc('\n', o->file);
		}
}

static void print_facts(const struct output *o, bool colour)
{
	for (size_t i = 0; i < o->facts; i++) {
		fprintf(o->file, "%s: ", o->fact[i].name);
		print_toned(o, colour, o->fact[i].tone, o->fact[i].text);
		fputc('\n', o->file);
	}
}

static bool is_absent(const struct cell *cell)
{
	return cell->text ? !*cell->text : isnan(cell->value);
}

bool output_column_is_absent(const struct output *o, size_t c)
{
	for (size_t i = c; i < o->cells; i += o->columns)
		if (!is_absent(&o->cell[i]))
			return false;
	return true;
}

/* A column that holds nothing in any row has width 0 and is not shown. */
static void measure_columns(const struct output *o, size_t *width)
{
	char text[128];
	for (size_t c = 0; c < o->columns; c++) {
		if (output_column_is_absent(o, c))
			continue;
		output_heading(text, sizeof text, &o->column[c]);
		width[c] = width_of(text);
		for (size_t i = c; i < o->cells; i += o->columns) {
			size_t w = width_of(output_cell_text(o, i, text));
			width[c] = w > width[c] ? w : width[c];
		}
	}
}

bool output_column_is_constant(const struct output *o, size_t c)
{
	char first[QUANTITY_BYTES], other[QUANTITY_BYTES];
	for (size_t i = c + o->columns; i < o->cells; i += o->columns)
		if (strcmp(output_cell_text(o, c, first), output_cell_text(o, i, other)))
			return false;
	return o->rows > 1;
}

/* Takes what is the same in all rows out of the table and says it in one line. */
static void fold_constants(const struct output *o, bool colour, size_t *width)
{
	char text[128];
	const char *before = "all rows: ";
	for (size_t c = 0; c < o->columns; c++) {
		if (!width[c] || !output_column_is_constant(o, c))
			continue;
		width[c] = 0;
		output_heading(text, sizeof text, &o->column[c]);
		print_toned(o, colour, TONE_DIM, before);
		print_toned(o, colour, TONE_DIM, text);
		print_toned(o, colour, TONE_DIM, " ");
		print_toned(o, colour, TONE_DIM, output_cell_text(o, c, text));
		before = ", ";
	}
	fputs(*before == ',' ? "\n" : "", o->file);
}

/* Blanks at the end of a line are left out: a last column of text is not padded. */
static void print_cell(const struct output *o, size_t c, const char *text, size_t width, bool last)
{
	bool right = o->column[c].decimals >= 0;
	print_padded(o, text, right || !last ? width : width_of(text), right);
	fputs(last ? "" : "  ", o->file);
}

static void print_table(const struct output *o, bool colour)
{
	char text[128];
	size_t width[OUTPUT_COLUMNS] = {0};
	size_t last = 0;
	measure_columns(o, width);
	if (o->fold)
		fold_constants(o, colour, width);
	for (size_t c = 0; c < o->columns; c++)
		last = width[c] ? c : last;
	fputs(colour ? tone_on(TONE_DIM) : "", o->file);
	for (size_t c = 0; c <= last; c++) {
		output_heading(text, sizeof text, &o->column[c]);
		if (width[c])
			print_cell(o, c, text, width[c], c == last);
	}
	fputs(colour ? "\033[0m\n" : "\n", o->file);
	for (size_t i = 0; i < o->cells; i++) {
		size_t c = i % o->columns;
		bool on = colour && o->cell[i].tone != TONE_PLAIN;
		fputs(on ? tone_on(o->cell[i].tone) : "", o->file);
		if (width[c])
			print_cell(o, c, output_cell_text(o, i, text), width[c], c == last);
		fprintf(o->file, "%s%s", on ? "\033[0m" : "", c + 1 == o->columns ? "\n" : "");
	}
}

void output_print_text(const struct output *o)
{
	bool colour = wants_colour(o->file);
	print_facts(o, colour);
	if (*o->title) {
		print_toned(o, colour, TONE_DIM, o->title);
		fputc('\n', o->file);
	}
	print_notes(o, colour, false);
	if (o->rows)
		print_table(o, colour);
	print_notes(o, colour, true);
}
