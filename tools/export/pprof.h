/*
 * pprof's format: what its two files share.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PPROF_H
#define PPROF_H

#include "export.h"

#include "inlines.h"
#include "pprof_write.h"

/* A frame and those of what is inlined there, from the outermost on: one location. */
struct pprof_frames {
	size_t n;
	uint32_t frame[MOST_INLINED + 1];
	unsigned line[MOST_INLINED + 1];
	uint64_t pc; /* 0: there is no address */
};

/* pprof_places.c */
struct pprof_places {
	const struct model *m;
	struct pprof_file *out;
	struct names texts;
	size_t nframes;      /* numbers that frames of chains have */
	uint64_t *functions; /* id of each frame's function; 0: not there yet */
	uint64_t *locations; /* of each frame's location, then those of the places of stacks, or of
	                      * the spots */
	struct names groups; /* of frames without an address of their own */
	uint64_t *group_locations;
};

void pprof_places_make(struct pprof_places *w, const struct model *m, FILE *out);
uint64_t pprof_text(struct pprof_places *w, const char *s);
void pprof_add_frame(struct pprof_frames *g, uint32_t frame, unsigned line);
/* The location that stands for all of a frame's function. */
uint64_t pprof_location(struct pprof_places *w, uint32_t frame);
/* The same of a function with others inlined, wherever that is. */
uint64_t pprof_location_of_frames(struct pprof_places *w, const struct pprof_frames *g);
/* That of a spot, which is in these functions. */
uint64_t pprof_location_of_spot(struct pprof_places *w, size_t number,
                                const struct pprof_frames *in);
/* That of the frames of a stack which are one location, from the number i on, and passes them. */
uint64_t pprof_location_in_stack(struct pprof_places *w, const struct stack *stack, uint32_t *i);

#endif
