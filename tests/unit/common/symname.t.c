/*
 * symname_clean: what of a name is fit to be shown, and symname_cut.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functions.h"

#include "tap.h"

/* The character in UTF-8, also those that UTF-8 has no place for. */
static const char *
utf8(uint32_t c)
{
	static char s[5];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	memset(s, 0, sizeof(s));
	for (size_t i = n; i > 1; i--, c >>= 6)
		s[i - 1] = (char)(0x80 | (c & 0x3f));
	s[0] = (char)(n == 1 ? c : (0xf00U >> n & 0xff) | c);
	return s;
}

static bool
becomes(const char *from, const char *want)
{
	char s[256];

	snprintf(s, sizeof(s), "%s", from);
	symname_clean(s);
	if (strcmp(s, want) != 0)
		diag("\"%s\" becomes \"%s\"", from, s);
	return strcmp(s, want) == 0;
}

static bool
is_shown(uint32_t c)
{
	char s[16], clean[16];

	snprintf(s, sizeof(s), "a%sb", utf8(c));
	memcpy(clean, s, sizeof(s));
	symname_clean(clean);
	if (strcmp(s, clean) != 0 && strcmp(clean, "a?b") != 0)
		diag("U+%04X becomes \"%s\"", c, clean);
	return strcmp(s, clean) == 0;
}

static void
none_shown(uint32_t low, uint32_t high, const char *what)
{
	unsigned shown = 0;

	for (uint32_t c = low; c <= high; c++)
		shown += is_shown(c) ? 1 : 0;
	is_int(shown, 0, "%s, U+%04X to U+%04X, become question marks", what, low, high);
}

static void
unfit(void)
{
	none_shown(0x1, 0x1f, "controls");
	none_shown(0x7f, 0x9f, "DEL and the C1 controls");
	none_shown(0xad, 0xad, "the soft hyphen");
	none_shown(0x61c, 0x61c, "the Arabic letter mark");
	none_shown(0x180e, 0x180e, "the Mongolian vowel separator");
	none_shown(0x200b, 0x200f, "spaces of no width and marks of direction");
	none_shown(0x2028, 0x2029, "separators of lines and paragraphs");
	none_shown(0x202a, 0x202e, "embeddings and overrides");
	none_shown(0x2060, 0x2065, "invisible operators");
	none_shown(0x2066, 0x206f, "isolates and what is deprecated");
	none_shown(0xd800, 0xdfff, "surrogates");
	none_shown(0xfdd0, 0xfdef, "noncharacters");
	none_shown(0xfeff, 0xfeff, "the byte order mark");
	none_shown(0xfff9, 0xfffb, "interlinear annotations");
	none_shown(0x110bd, 0x110bd, "the Kaithi number sign");
	none_shown(0x1d173, 0x1d17a, "musical controls");
	none_shown(0xe0000, 0xe0fff, "tags");
	for (uint32_t plane = 0; plane <= 0x10; plane++)
		none_shown(plane << 16 | 0xfffe, plane << 16 | 0xffff, "noncharacters");
	none_shown(0x110000, 0x13ffff, "numbers above the last character");
}

static void
ill_formed(void)
{
	ok(becomes("a\xff\xfe"
	           "b",
	           "a??b"),
	   "bytes that no character has");
	ok(becomes("\x80\xbf", "??"), "bytes that only go on");
	ok(becomes("\xc0\x8a\xe0\x82\x8a", "?????"), "characters that are longer than need be");
	ok(becomes("a\xe2\x80", "a??"), "one that is cut off at the end");
	ok(becomes("\xe2\x80[", "??["), "or by another");
	ok(becomes("", ""), "nothing");
}

static void
scripts(void)
{
	static const char *const names[] = {
		"main",    "a::b<int, char>::~b(c&) [clone .isra.0]",
		"größe",   "имя_функции",
		"όνομα",   "関数",
		"기능",    "فعالیت",
		"פונקציה", "कार्य",
		"ฟังก์ชันที่",  "မြွှောင့်",
		"སྒྲུབ",      "e\u0301x\u0323\u0302",
		"🙂",    "\u00a0",
		"\ue000",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ok(becomes(names[i], names[i]), "%s stays as it is", names[i]);
	ok(is_shown(' ') && is_shown('~') && is_shown(0xa0) && is_shown(0xac) && is_shown(0xae),
	   "so do the neighbours of what does not");
	ok(is_shown(0xfffd) && is_shown(0x10fffd) && is_shown(0x2010) && is_shown(0x2027) &&
	       is_shown(0x202f),
	   "also elsewhere");
}

static void
marks(void)
{
	char s[2 * 1000 + 2] = "a", want[1000 + 6] = "a\u0301\u0301\u0301\u0301";

	ok(becomes("a\u0301\u0302\u0303\u0304b", "a\u0301\u0302\u0303\u0304b"),
	   "four marks on a letter stay");
	ok(becomes("a\u0301\u0302\u0303\u0304\u0305b", "a\u0301\u0302\u0303\u0304?b"),
	   "a fifth becomes a question mark");
	ok(becomes("\u0301\u0302\u0303\u0304\u0305", "\u0301\u0302\u0303\u0304?"),
	   "also without a letter before them");
	ok(becomes("a\u0301\u0301\u0301\u200b\u0301\u0301\u0301",
	           "a\u0301\u0301\u0301?\u0301\u0301\u0301"),
	   "the question mark before a mark is a letter like others");
	for (size_t i = 0; i < 1000; i++)
		memcpy(s + 1 + 2 * i, "\u0301", 3);
	memset(want + strlen(want), '?', 1000 - 4);
	symname_clean(s);
	is_str(s, want, "and so do all that follow");
	ok(becomes("\U0001e8d0\U0001e8d0\U0001e8d0\U0001e8d0\U0001e8d0",
	           "\U0001e8d0\U0001e8d0\U0001e8d0\U0001e8d0?"),
	   "marks of any plane count");
}

static void
cuts(void)
{
	is_int((int64_t)symname_cut("abc", 3), 3, "a text of ASCII is cut anywhere");
	is_int((int64_t)symname_cut("", 0), 0, "nothing is left of nothing");
	is_int((int64_t)symname_cut("aé", 2), 1,
	       "a character of two bytes is not cut in the middle");
	is_int((int64_t)symname_cut("aé", 3), 3, "but after its last byte");
	is_int((int64_t)symname_cut("a関", 3), 1, "nor is one of three");
	is_int((int64_t)symname_cut("a関", 2), 1, "wherever it would be");
	is_int((int64_t)symname_cut("a🙂b", 4), 1, "nor one of four");
	is_int((int64_t)symname_cut("a🙂b", 5), 5, "which stays if it is whole");
	is_int((int64_t)symname_cut("é", 1), 0, "also if nothing is left then");
}

static void
heads(void)
{
	is_int((int64_t)symname_head("abc", 2), 2, "two letters are two bytes");
	is_int((int64_t)symname_head("abc", 9), 3, "there are no more than there are");
	is_int((int64_t)symname_head("", 3), 0, "of nothing there is no head");
	is_int((int64_t)symname_head("é関🙂b", 3), 9,
	       "characters are counted, not their bytes");
	is_int((int64_t)symname_head("a\u0301\u0302b", 1), 5, "marks go with their letter");
	is_int((int64_t)symname_head("a\xff\xff", 2), 2, "a byte of no character counts as one");
}

static void
shortens(const char *name, size_t room, size_t size, const char *want)
{
	char buf[64];
	const char *got = symname_short(name, room, buf, size);

	if (!ok(strcmp(got, want) == 0, "%s in %zu columns: %s", name, room, want))
		diag("%s", got);
}

static void
shorter_names(void)
{
	char buf[64];

	shortens("0123456789", 10, sizeof(buf), "0123456789");
	shortens("0123456789a", 10, sizeof(buf), "0123...89a");
	shortens("0123456789a", 9, sizeof(buf), "012...89a");
	shortens("é関🙂bc関🙂é", 7, sizeof(buf), "é関...🙂é");
	shortens("abcdefghijkle\u0301\u0302f", 8, sizeof(buf), "abc...e\u0301\u0302f");
	/* Of each end as many bytes as there is room for, in whole letters. */
	shortens("関関関関関関関関関関", 9, 20, "関関...関関関");
	is_str(symname_begin("0123456789a", 10, buf, sizeof(buf)), "0123456...",
	       "of other text the beginning stays");
}

static void
demangles(const char *symbol, const char *want)
{
	struct demangled d = { .len = 0 };

	if (!ok(strcmp(symname_demangle(symbol, &d), want) == 0, "%s is %s", symbol, want))
		diag("%s", symname_demangle(symbol, &d));
}

static void
demangled_names(void)
{
	demangles("_ZN3foo3barEi", "foo::bar(int)");
	demangles("_Z3fooRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES6_",
	          "foo(std::string const&, std::string const&)");
	demangles("_Z3barRKNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEE",
	          "bar(std::wstring const&)");
	demangles("_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv",
	          "std::string::size() const");
	demangles("_Z3fooSt17basic_string_viewIcSt11char_traitsIcEE", "foo(std::string_view)");
	demangles("_Z3fooSt4lessINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE",
	          "foo(std::less<std::string>)");
	demangles("_Z3fooSt4lessISt17basic_string_viewIcSt11char_traitsIcEEE",
	          "foo(std::less<std::string_view>)");
	demangles("_Z3fooNSt7__cxx114listIiSaIiEEE", "foo(std::list<int, std::allocator<int> >)");
	demangles("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place");
	demangles("_ZN4prog4main28_$u7b$$u7b$closure$u7d$$u7d$17h89abcdef01234567E",
	          "prog::main::{{closure}}");
	demangles("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	demangles("_RNvC7mycrate4cpux", "mycrate::cpux");
	demangles("_RNvC7mycrateu8gdel_5qa6g", "_RNvC7mycrateu8gdel_5qa6g");
	demangles("_RNvNtCs1u34uACu9x_7mycrate3foo3bar", "mycrate::foo::bar");
	demangles("_RINvCsu3_7mycrate3fooNtCs9xu2_5other4typeEB4_", "mycrate::foo::<other::type>");
	demangles("_RNvCs1u34_7mycrateu8gdel_5qa6g", "_RNvCs1u34_7mycrateu8gdel_5qa6g");
	demangles("_RNvCs12_7mycrate8read_u32", "mycrate::read_u32");
	demangles("_RNvMs_NtC4core3numu3bar", "<()>::bar");
	demangles("_RINvC7mycrate8read_u32NtB4_u8gdel_5qa6gE",
	          "_RINvC7mycrate8read_u32NtB4_u8gdel_5qa6gE");
	/* The number leads to a place behind the end; with a "v" it would be another one. */
	demangles("_RNvBu3_3foo", "_RNvBu3_3foo");
	demangles("_ZN3foo", "_ZN3foo");
	demangles("_Reader", "_Reader");
	demangles("main", "main");
}

int
main(void)
{
	unfit();
	ill_formed();
	scripts();
	marks();
	cuts();
	heads();
	shorter_names();
	demangled_names();
	return done_testing();
}
