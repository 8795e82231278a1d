/* output_json.c - the json face: facts as members, then columns, rows and notes. */
#include "analysis/output_table.h"

#include <jansson.h>
#include <math.h>

static json_t *cell_value(const struct cell *cell)
{
	if (cell->text)
		return json_string(cell->text);
	if (!isfinite(cell->value))
		return json_null();
	if (cell->value == floor(cell->value) && fabs(cell->value) < 9e15)
		return json_integer((json_int_t)cell->value);
	return json_real(cell->value);
}

static json_t *all_rows(const struct output *o)
{
	json_t *rows = json_array();
	for (size_t i = 0; i < o->cells;) {
		json_t *row = json_object();
		for (size_t c = 0; c < o->columns && i < o->cells; c++, i++)
			json_object_set_new(row, o->column[c].name, cell_value(&o->cell[i]));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *all_units(const struct output *o)
{
	json_t *units = json_object();
	for (size_t c = 0; c < o->columns; c++)
		if (*o->column[c].unit)
			json_object_set_new(units, o->column[c].name, json_string(o->column[c].unit));
	return units;
}

static json_t *all_notes(const struct output *o)
{
	json_t *notes = json_array();
	for (size_t i = 0; i < o->notes; i++)
		json_array_append_new(notes, json_string(o->note[i].text));
	return notes;
}

void output_print_json(const struct output *o)
{
	json_t *root = json_object();
	if (*o->title)
		json_object_set_new(root, "title", json_string(o->title));
	for (size_t i = 0; i < o->facts; i++)
		json_object_set_new(root, o->fact[i].name, json_string(o->fact[i].text));
	json_object_set_new(root, "units", all_units(o));
	json_object_set_new(root, "rows", all_rows(o));
	json_object_set_new(root, "notes", all_notes(o));
	json_dumpf(root, o->file, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', o->file);
	json_decref(root);
}
