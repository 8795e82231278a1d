/* element_word.h - the part of element.h that exists twice: for types of up to 32 bits, and of 64. Included
 * by it alone, with WORD (the unsigned integer), REAL (the float to compute in) and NAME() defined. */
#ifdef WORD

/* The low bits of a hash as a number of so many bits. */
ELEMENT WORD NAME(element_bits)(uint32_t hash, int bits)
{
	WORD wide = sizeof(WORD) == 8 ? (WORD)((uint64_t)hash << 32 | element_mix(hash)) : (WORD)hash;
	return wide >> (8 * (int)sizeof(WORD) - bits);
}

/* The integer that a sum comes to: for floats with the top bit set, so that it fills the significand. */
ELEMENT WORD NAME(element_total)(enum dtype t, enum redop op, uint32_t hash)
{
	int precision = element_precision(t);
	if (element_is_float(t))
		return (WORD)1 << (precision - 1) | NAME(element_bits)(hash, precision - 1);
	WORD total = NAME(element_bits)(hash, op == OP_AVG ? 7 : precision);
	return op == OP_MULSUM ? total & ~(WORD)1 : total;
}

/* What the rank at a position adds to it. n > 1 ranks share among the first four. */
ELEMENT WORD NAME(element_part)(WORD total, uint32_t position, uint32_t n, int even)
{
	WORD mask = even ? ~(WORD)1 : ~(WORD)0;
	WORD half = n > 1 ? total >> 1 & mask : 0, quarter = n > 2 ? total >> 2 & mask : 0,
	     eighth = n > 3 ? total >> 3 & mask : 0;
	return position == 0   ? total - half - quarter - eighth
	       : position == 1 ? half
	       : position == 2 ? quarter
	       : position == 3 ? eighth
	                       : 0;
}

ELEMENT REAL NAME(element_power)(int exponent)
{
	return (REAL)element_scale(exponent);
}

/* Bits of a value that the type holds exactly. */
ELEMENT WORD NAME(element_encode)(enum dtype t, REAL value)
{
	if (t == DT_DOUBLE) {
		union element_double v;
		v.f = (double)value;
		return (WORD)v.u;
	}
	return (WORD)element_from_exact(t, (float)value);
}

ELEMENT REAL NAME(element_signed_real)(WORD magnitude, uint32_t hash)
{
	REAL value = (REAL)magnitude;
	return hash >> 8 & 1 ? -value : value;
}

/* The extreme of max and min: integers keep 4 away from the ends of the type, floats are small integers. */
ELEMENT WORD NAME(element_extreme)(enum dtype t, enum redop op, uint32_t hash, uint32_t distance)
{
	int precision = element_precision(t);
	WORD value = NAME(element_bits)(hash, precision);
	WORD offset = op == OP_MAX ? (WORD)0 - distance : (WORD)distance;
	if (element_is_float(t)) {
		/* from a power of two below zero to as much above it */
		WORD centred = value - ((WORD)1 << (precision - 1)) + offset;
		REAL real = centred >> (8 * sizeof(WORD) - 1) ? -(REAL)((WORD)0 - centred) : (REAL)centred;
		return NAME(element_encode)(t, real);
	}
	WORD most = ~(WORD)0 >> (8 * (int)sizeof(WORD) - precision);
	value = value < 4 ? 4 : value > most - 4 ? most - 4 : value;
	value += offset;
	return element_is_signed(t) ? value ^ (WORD)1 << (precision - 1) : value;
}

/* Factors of a product; position ALL (~0) is the product itself. */
ELEMENT WORD NAME(element_factor)(enum dtype t, uint32_t hash, uint32_t position, uint32_t n)
{
	int all = position == ~0u, second = (all || position == 1) && n > 1,
	    third = (all || position == 2) && n > 2;
	uint32_t other = element_mix(hash + 1);
	if (!element_is_float(t)) {
		WORD product = all || position == 0 ? NAME(element_bits)(hash, element_precision(t)) : 1;
		product *= second ? (WORD)(other | 1) : 1;
		return product * (third ? (WORD)(other >> 7 | 1) : 1);
	}
	int precision = element_precision(t),
	    exponent = (second ? (int)(other & 3) - 1 : 0) + (third ? (int)(other >> 2 & 3) - 2 : 0);
	WORD significand = (WORD)1 << (precision - 1) | NAME(element_bits)(hash, precision - 1);
	REAL lead = all || position == 0 ? NAME(element_signed_real)(significand, other) *
	                                           NAME(element_power)(1 - precision)
	                                 : (REAL)1;
	return NAME(element_encode)(t, lead * NAME(element_power)(exponent));
}

/* Bits of what `rank` of n contributes. t and op are constants where this is inlined. */
ELEMENT WORD NAME(element_input)(enum dtype t, enum redop op, uint32_t hash, uint32_t rank, uint32_t n)
{
	if (op == OP_NONE)
		return NAME(element_bits)(element_mix(hash + (rank + 1) * 0x632be5abu),
		        element_is_float(t) && t != DT_DOUBLE
		                ? (t == DT_FLOAT                             ? 32
		                          : t == DT_HALF || t == DT_BFLOAT16 ? 16
		                                                             : 8)
		        : t == DT_DOUBLE ? 64
		                         : element_precision(t));
	uint32_t position = element_position(hash, rank, n);
	if (op == OP_MAX || op == OP_MIN)
		return NAME(element_extreme)(t, op, hash, position ? element_distance(hash, rank) : 0);
	if (op == OP_PROD)
		return NAME(element_factor)(t, hash, position, n);
	int halve = op == OP_MULSUM && (rank & 1);
	WORD part = NAME(element_part)(
	        NAME(element_total)(t, op, hash), position, n, op == OP_MULSUM && !element_is_float(t));
	if (!element_is_float(t))
		return part >> halve;
	REAL value = part ? NAME(element_signed_real)(part, hash) : (REAL)0;
	return NAME(element_encode)(t, halve ? value * (REAL)0.5 : value);
}

/* Bits of the reduction over all n ranks. */
ELEMENT WORD NAME(element_expected)(enum dtype t, enum redop op, uint32_t hash, uint32_t n)
{
	if (op == OP_MAX || op == OP_MIN)
		return NAME(element_extreme)(t, op, hash, 0);
	if (op == OP_PROD)
		return NAME(element_factor)(t, hash, ~0u, n);
	WORD total = NAME(element_total)(t, op, hash);
	if (!element_is_float(t))
		return op == OP_AVG ? total / (WORD)n : total;
	REAL value = NAME(element_signed_real)(total, hash);
	if (op != OP_AVG)
		return NAME(element_encode)(t, value);
	value /= (REAL)n;
	return t == DT_DOUBLE ? NAME(element_encode)(t, value) : (WORD)element_from_float(t, (float)value);
}

#endif
