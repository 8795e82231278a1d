/* html.c - see html.h. */
#include "analysis/html.h"

#include <stddef.h>

/* Bytes of the UTF-8 character at `at`; 0 when it is none, or a control character. */
static size_t character_bytes(const unsigned char *at)
{
	size_t bytes = *at < 0x80                  ? 1
	               : *at >= 0xc2 && *at < 0xe0 ? 2
	               : *at >= 0xe0 && *at < 0xf0 ? 3
	               : *at >= 0xf0 && *at < 0xf5 ? 4
	                                           : 0;
	for (size_t i = 1; i < bytes; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return bytes == 1 && *at < 0x20 && *at != '\t' && *at != '\n' ? 0 : bytes;
}

void html_text(FILE *file, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t bytes = character_bytes(at);
		if (*at == '<')
			fputs("&lt;", file);
		else if (*at == '>')
			fputs("&gt;", file);
		else if (*at == '&')
			fputs("&amp;", file);
		else if (*at == '"')
			fputs("&quot;", file);
		else if (bytes)
			fwrite(at, 1, bytes, file);
		else
			fputc('?', file);
		at += bytes ? bytes : 1;
	}
}
