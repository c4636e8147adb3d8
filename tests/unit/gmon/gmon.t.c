/*
 * gmon_encode(): the bytes of the file against proto/gmon_layout.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "gmon_layout.h"
#include "tap.h"

#include <sys/resource.h>
#include <sys/wait.h>

enum { HZ = 250, MAX_RECORDS = 64 };

static const struct image_id image; /* without a build id */

/* What stands in a file, record by record. */
struct file {
	bool well_formed;
	int hists, arcs;
	size_t hist_at[MAX_RECORDS]; /* of the bins */
	struct gmon_hist_header hist[MAX_RECORDS];
	struct gmon_arc_record arc[MAX_RECORDS];
};

static bool
take(const struct buffer *b, size_t *at, void *to, size_t len)
{
	if (len > b->len - *at)
		return false;
	if (to != NULL)
		memcpy(to, b->data + *at, len);
	*at += len;
	return true;
}

static bool
take_record(struct file *f, const struct buffer *b, size_t *at)
{
	uint8_t tag;

	if (!take(b, at, &tag, 1))
		return false;
	if (tag == GMON_TAG_TIME_HIST && f->hists < MAX_RECORDS) {
		struct gmon_hist_header *h = &f->hist[f->hists];

		if (!take(b, at, h, sizeof(*h)))
			return false;
		f->hist_at[f->hists++] = *at;
		return take(b, at, NULL, h->hist_size * sizeof(uint16_t));
	}
	if (tag == GMON_TAG_CG_ARC && f->arcs < MAX_RECORDS)
		return take(b, at, &f->arc[f->arcs++], sizeof(struct gmon_arc_record));
	return false;
}

static struct file
parse(const struct buffer *b)
{
	struct file f = { 0 };
	struct gmon_file_header head;
	size_t at = 0;

	f.well_formed = take(b, &at, &head, sizeof(head)) && memcmp(head.cookie, "gmon", 4) == 0 &&
	                head.version == 1;
	while (f.well_formed && at < b->len)
		f.well_formed = take_record(&f, b, &at);
	return f;
}

static unsigned
bin(const struct buffer *b, const struct file *f, int record, size_t index)
{
	uint16_t n;

	memcpy(&n, b->data + f->hist_at[record] + index * sizeof(n), sizeof(n));
	return n;
}

/* Text 0x401000 to 0x402000 at link time, loaded `bias` higher; 4 bytes of text a bin. */
static struct counts
make(uint64_t bias)
{
	return (struct counts){
		.bias = bias,
		.low_pc = 0x401000 + bias,
		.high_pc = 0x402000 + bias,
		.hist = { .nbins = 0x400, .offset = 0x401000 + bias, .scale = 32768 },
	};
}

static void
set_arcs(struct counts *p, const struct arc_count *arc, size_t n)
{
	p->arcs.arc = malloc(n * sizeof(*arc));
	if (p->arcs.arc == NULL)
		bail("no memory");
	memcpy(p->arcs.arc, arc, n * sizeof(*arc));
	p->arcs.n = n;
}

static unsigned wrong_sizes;

static struct file
encode(struct counts *p, struct buffer *b)
{
	struct file f;

	if (gmon_encode(p, &image, HZ, b) < 0)
		bail("gmon_encode: no memory");
	wrong_sizes += b->len != b->size;
	hist_clear(&p->hist);
	arcs_clear(&p->arcs);
	f = parse(b);
	return f;
}

static uint64_t
key(uint64_t from, uint64_t self)
{
	return from << 32 | (uint32_t)self;
}

static void
empty(void)
{
	static const uint8_t start[20] = { 'g', 'm', 'o', 'n', 1 };
	struct counts p = make(0);
	struct buffer b;
	struct file f = encode(&p, &b);
	int nonzero = 0;

	is_int((int64_t)b.len, 20 + 1 + 40 + 2 * 0x400,
	       "a file without samples and calls is a header and one record");
	ok(memcmp(b.data, start, 20) == 0, "it starts with gmon, version 1 and 12 zero bytes");
	ok(f.well_formed && f.hists == 1 && f.arcs == 0, "it is well-formed");
	is_int(b.data[20], 0, "a histogram's tag is 0");
	is_int((int64_t)f.hist[0].low_pc, 0x401000, "the range starts where the text does");
	is_int((int64_t)f.hist[0].high_pc, 0x402000, "and ends where it does");
	is_int(f.hist[0].hist_size, 0x400, "the number of bins stands in it");
	is_int(f.hist[0].prof_rate, HZ, "and the rate");
	ok(memcmp(b.data + 20 + 1 + 24, "seconds\0\0\0\0\0\0\0", 15) == 0 &&
	       f.hist[0].dimen_abbrev == 's',
	   "and the unit");
	gmon_mark(&b, 0x1122334455667788);
	ok(memcmp(b.data + 20 + 1 + 24, "seconds\0\x88\x77\x66\x55\x44\x33\x22s", 16) == 0,
	   "behind it 7 bytes of the time at which the run began");
	for (size_t i = 0; i < 0x400; i++)
		nonzero += bin(&b, &f, 0, i) != 0;
	is_int(nonzero, 0, "every bin is zero");
	buffer_free(&b);
	ok(b.data == NULL && b.len == 0, "freed, the buffer is empty");
}

/* The bytes 1, 2, 3... of a build id of that length. */
static struct image_id
with_build_id(size_t len)
{
	struct image_id id = { .build_id_len = len };

	for (size_t i = 0; i < len; i++)
		id.build_id[i] = (uint8_t)(i + 1);
	return id;
}

static void
build_ids(void)
{
	static const uint8_t whole[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const uint8_t eight[12] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct image_id sha1 = with_build_id(20), fast = with_build_id(8);
	struct counts p = make(0);
	struct buffer b;

	if (gmon_encode(&p, &sha1, HZ, &b) < 0)
		bail("gmon_encode: no memory");
	ok(memcmp(b.data + 8, whole, 12) == 0 && b.data[20] == GMON_TAG_TIME_HIST,
	   "the first 12 bytes of the build id stand behind the version, and records behind them");
	buffer_free(&b);
	if (gmon_encode(&p, &fast, HZ, &b) < 0)
		bail("gmon_encode: no memory");
	ok(memcmp(b.data + 8, eight, 12) == 0, "a shorter one is followed by zeros");
	buffer_free(&b);
}

static void
one_layer(void)
{
	struct counts p = make(0);
	struct buffer b;
	struct file f;

	hist_add(&p.hist, 0, 1);
	hist_add(&p.hist, 0x3ff, 0xabcd);
	hist_add(&p.hist, 7, 65535);
	f = encode(&p, &b);
	ok(f.well_formed && f.hists == 1, "bins up to 65,535 stand in one record");
	ok(bin(&b, &f, 0, 0) == 1 && bin(&b, &f, 0, 7) == 65535 && bin(&b, &f, 0, 0x3ff) == 0xabcd,
	   "each in its place");
	ok(b.data[f.hist_at[0] + 0x7fe] == 0xcd && b.data[f.hist_at[0] + 0x7ff] == 0xab,
	   "with the low byte first");
	buffer_free(&b);
}

static void
layers_of_one_range(void)
{
	struct counts p = make(0);
	struct buffer b;
	struct file f;
	bool same = true;

	hist_add(&p.hist, 3, 65536);
	hist_add(&p.hist, 4, 3UL * 65535);
	hist_add(&p.hist, 5, 9);
	hist_add(&p.hist, 6, 3UL * 65535 + 1);
	f = encode(&p, &b);
	ok(f.well_formed, "a file with several layers is well-formed");
	is_int(f.hists, 4, "as many records as the largest bin needs");
	for (int i = 1; i < f.hists; i++)
		same = same && memcmp(&f.hist[i], &f.hist[0], sizeof(f.hist[0])) == 0;
	ok(same, "all have the same range, size, rate and unit, as gprof demands");
	ok(bin(&b, &f, 0, 3) == 65535 && bin(&b, &f, 1, 3) == 1 && bin(&b, &f, 2, 3) == 0 &&
	       bin(&b, &f, 3, 3) == 0,
	   "65,536 is 65,535 and 1");
	ok(bin(&b, &f, 0, 4) == 65535 && bin(&b, &f, 1, 4) == 65535 && bin(&b, &f, 2, 4) == 65535 &&
	       bin(&b, &f, 3, 4) == 0,
	   "three times 65,535 fills three records");
	ok(bin(&b, &f, 0, 5) == 9 && bin(&b, &f, 1, 5) == 0, "a small bin stands in the first");
	ok(bin(&b, &f, 2, 6) == 65535 && bin(&b, &f, 3, 6) == 1, "and one more starts another");
	buffer_free(&b);
}

static void
addresses(uint64_t bias)
{
	const struct arc_count arcs[] = {
		{ key(0, 0x401010 + bias), 1 },               /* unknown caller */
		{ key(0x500000 + bias, 0x401020 + bias), 2 }, /* caller outside of the text */
		{ key(0x401100 + bias, 0x401010 + bias), 3 }, /* a call */
		{ key(0x401200 + bias, 0x401fff + bias), 4 }, /* into the last byte */
		{ key(0x401300 + bias, 0x402000 + bias), 5 }, /* into nothing */
		{ key(0x401300 + bias, 0x400fff + bias), 6 }, /* below the text */
		{ key(0x401000 + bias, 0x401000 + bias), 7 }, /* from the first byte */
		{ key(0x402000 + bias, 0x401010 + bias),
		  8 },                          /* a return address just past the end */
		{ key(0x401400 + bias, 0), 9 }, /* no callee */
	};
	struct counts p = make(bias);
	struct buffer b;
	struct file f;

	set_arcs(&p, arcs, sizeof(arcs) / sizeof(arcs[0]));
	f = encode(&p, &b);
	ok(f.well_formed, "a file with arcs is well-formed (loaded at +%#lx)", (long)bias);
	is_int((int64_t)f.hist[0].low_pc, 0x401000, "its histogram has link-time addresses");
	is_int((int64_t)f.hist[0].high_pc, 0x402000, "at both ends");
	is_int(f.arcs, 6, "arcs into nothing are left out");
	ok(f.arc[0].from_pc == 0 && f.arc[0].self_pc == 0x401010 && f.arc[0].count == 1,
	   "an unknown caller is 0");
	ok(f.arc[1].from_pc == 0 && f.arc[1].self_pc == 0x401020 && f.arc[1].count == 2,
	   "and so is one outside of the text");
	ok(f.arc[2].from_pc == 0x4010ff && f.arc[2].self_pc == 0x401010 && f.arc[2].count == 3,
	   "a call is one byte before its return address");
	ok(f.arc[3].from_pc == 0x4011ff && f.arc[3].self_pc == 0x401fff && f.arc[3].count == 4,
	   "the last byte of the text can be called");
	is_int((int64_t)f.arc[4].count, 7, "and the first");
	ok(f.arc[5].self_pc == 0x401010 && f.arc[5].count == 8, "no call is lost for its caller");
	buffer_free(&b);
}

static void
high_text(void)
{
	const struct arc_count arcs[] = { { key(0xfffff800, 0x7f0), 1 },
		                          { key(0x800, 0xfffff010), 2 } };
	struct counts p = { .low_pc = 0x1fffff000,
		            .high_pc = 0x200001000,
		            .hist = { .nbins = 1, .offset = 0x1fffff000, .scale = 65536 } };
	struct buffer b;
	struct file f;

	set_arcs(&p, arcs, 2);
	f = encode(&p, &b);
	ok(f.arcs == 2 && f.arc[0].from_pc == 0x1fffff7ff && f.arc[0].self_pc == 0x2000007f0 &&
	       f.arc[1].from_pc == 0x2000007ff && f.arc[1].self_pc == 0x1fffff010,
	   "text across a multiple of 4 GiB gets its whole addresses back");
	buffer_free(&b);
}

static void
wide_arcs(void)
{
	const struct arc_count arcs[] = { { key(0x401100, 0x401010), UINT32_MAX },
		                          { key(0x401200, 0x401010), UINT32_MAX + 1UL },
		                          { key(0x401300, 0x401010), 3UL * UINT32_MAX + 5 } };
	struct counts p = make(0);
	struct buffer b;
	struct file f;
	uint64_t sum[4] = { 0 };

	set_arcs(&p, arcs, 3);
	f = encode(&p, &b);
	ok(f.well_formed, "a file with split arcs is well-formed");
	is_int(f.arcs, 1 + 2 + 4, "an arc stands in as many records as it needs and no more");
	for (int i = 0; i < f.arcs; i++)
		sum[(f.arc[i].from_pc + 1) >> 8 & 3] += f.arc[i].count;
	ok(sum[1] == arcs[0].count && sum[2] == arcs[1].count && sum[3] == arcs[2].count,
	   "and they add up to its count");
	buffer_free(&b);
}

/* What a target may write into its tables must not become a file without end. */
static void
lying_arcs(void)
{
	const struct rlimit memory = { 512UL << 20, 512UL << 20 };
	const struct arc_count arcs[] = { { key(0x401100, 0x401010), UINT64_MAX },
		                          { key(0x401200, 0x401010), UINT64_MAX } };
	struct counts p = make(0);
	struct buffer b;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
		setrlimit(RLIMIT_AS, &memory);
#else
		(void)memory;
#endif
		set_arcs(&p, arcs, 2);
		_exit(gmon_encode(&p, &image, HZ, &b) == 0 && b.len < 100UL << 20 ? 0 : 1);
	}
	ok(waitpid(pid, &status, 0) == pid && status == 0,
	   "counts that no program can reach make no file of gigabytes");
}

static void
no_bins(void)
{
	struct counts p = make(0);
	struct buffer b;
	struct file f;

	p.hist.nbins = 0;
	f = encode(&p, &b);
	ok(f.well_formed && f.hists <= 1 && (f.hists == 0 || f.hist[0].hist_size == 0),
	   "a profile without bins makes a file without bins");
	buffer_free(&b);
}

/* Ticks of some fifty hours at 100 Hz in one bin of a large program: of the file's gigabytes most
 * are holes. */
static void
many_layers(void)
{
	const uint64_t ticks = 20000000, nlayers = ticks / UINT16_MAX + 1;
	struct counts p = make(0);
	struct buffer b;
	size_t touched = 0, at = 0, len;

	p.hist.nbins = 4 << 20;
	hist_add(&p.hist, 4 << 19, ticks);
	if (gmon_encode(&p, &image, HZ, &b) < 0)
		bail("gmon_encode: no memory");
	ok(b.len > nlayers * p.hist.nbins * 2, "ticks are written whatever the length of the file");
	for (; (len = buffer_next(&b, &at)) > 0; at += len)
		touched += len;
	ok(touched >= 2 * nlayers && touched < b.len / 10, "and what is written of it is little");
	buffer_free(&b);
	hist_clear(&p.hist);
}

int
main(void)
{
	many_layers();
	empty();
	build_ids();
	one_layer();
	layers_of_one_range();
	addresses(0);
	addresses(0x7ffff7dd0000);
	high_text();
	wide_arcs();
	lying_arcs();
	no_bins();
	/* Two profiles have arcs of no function, which are in no file. */
	is_int(wrong_sizes, 2, "there was as much room for each file as it takes");
	return done_testing();
}
