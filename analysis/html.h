/* html.h - text that goes into a page. */
#ifndef ANALYSIS_HTML_H
#define ANALYSIS_HTML_H

#include <stdio.h>

/* Writes text so that it shows as it is; bytes that are not UTF-8 show as question marks. */
void html_text(FILE *, const char *text);

#endif
