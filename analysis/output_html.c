/* output_html.c - the face for reports: a fragment of a page, facts first, then notes, the table, notes. */
#include "analysis/html.h"
#include "analysis/output_table.h"

#include <string.h>

static const char *tone_class(enum output_tone tone)
{
	static const char *const names[] = {
	        [TONE_PLAIN] = "plain",
	        [TONE_GOOD] = "good",
	        [TONE_WARN] = "warn",
	        [TONE_BAD] = "bad",
	        [TONE_DIM] = "dim",
	};
	return names[tone];
}

static void print_fact(const struct output *o, const struct line *fact)
{
	fprintf(o->file, "<p class=\"fact %s\"><b>", tone_class(fact->tone));
	html_text(o->file, fact->name);
	fputs("</b> ", o->file);
	html_text(o->file, fact->text);
	fputs("</p>\n", o->file);
}

static void print_notes(const struct output *o, bool below)
{
	for (size_t i = 0; i < o->notes; i++)
		if (o->note[i].below == below) {
			fprintf(o->file, "<p class=\"note %s\">", tone_class(o->note[i].tone));
			html_text(o->file, o->note[i].text);
			fputs("</p>\n", o->file);
		}
}

static bool is_shown(const struct output *o, size_t c)
{
	return !output_column_is_absent(o, c) && !(o->fold && output_column_is_constant(o, c));
}

static void print_constants(const struct output *o)
{
	char text[128];
	const char *before = "<p class=\"note dim\">all rows: ";
	for (size_t c = 0; o->fold && c < o->columns; c++) {
		if (output_column_is_absent(o, c) || !output_column_is_constant(o, c))
			continue;
		fputs(before, o->file);
		output_heading(text, sizeof text, &o->column[c]);
		html_text(o->file, text);
		fputc(' ', o->file);
		html_text(o->file, output_cell_text(o, c, text));
		before = ", ";
	}
	fputs(*before == ',' ? "</p>\n" : "", o->file);
}

static void print_row(const struct output *o, size_t first)
{
	char text[128];
	fputs("<tr>", o->file);
	for (size_t c = 0; c < o->columns; c++) {
		if (!is_shown(o, c))
			continue;
		const struct cell *cell = &o->cell[first + c];
		bool number = o->column[c].decimals >= 0;
		fprintf(o->file, "<td class=\"%s%s\">", number ? "number " : "", tone_class(cell->tone));
		html_text(o->file, output_cell_text(o, first + c, text));
		fputs("</td>", o->file);
	}
	fputs("</tr>\n", o->file);
}

static void print_table(const struct output *o)
{
	char text[128];
	fputs("<div class=\"rows\"><table><thead><tr>", o->file);
	for (size_t c = 0; c < o->columns; c++) {
		if (!is_shown(o, c))
			continue;
		output_heading(text, sizeof text, &o->column[c]);
		fprintf(o->file, "<th%s>", o->column[c].decimals >= 0 ? " class=\"number\"" : "");
		html_text(o->file, text);
		fputs("</th>", o->file);
	}
	fputs("</tr></thead><tbody>\n", o->file);
	for (size_t i = 0; i < o->cells; i += o->columns)
		print_row(o, i);
	fputs("</tbody></table></div>\n", o->file);
}

void output_print_html(const struct output *o)
{
	for (size_t i = 0; i < o->facts; i++)
		print_fact(o, &o->fact[i]);
	if (*o->title) {
		fputs("<h3>", o->file);
		html_text(o->file, o->title);
		fputs("</h3>\n", o->file);
	}
	print_notes(o, false);
	if (o->rows) {
		print_constants(o);
		print_table(o);
	}
	print_notes(o, true);
}
