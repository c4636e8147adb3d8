#!/bin/sh
# JSON by a real parser, and the page in a real browser: it shows what the JSON has, it runs no script but its own, and
# names stay text.
# check-all: needs a browser
. "$(dirname "$0")/../lib/testlib.sh"

perl -MJSON::PP -e 1 2>/dev/null || skip_all 'perl has no JSON::PP'
command -v jq >/dev/null || skip_all 'jq is not installed'

# A program with names that would be markup, or end a string or a script.
for i in 1 2 3 4 5; do
	echo "__attribute__((noipa, aligned(64))) void f$i(void) { __asm__ volatile(\"nop\"); }"
done >code.c
echo 'void _start(void) { }' >>code.c
gcc -O1 -nostdlib -static -o code code.c 2>cc.err || bail "$(cat cc.err)"
# shellcheck disable=SC2016 # they are to be as they stand
objcopy --redefine-sym f1='</script><script>document.title="broken"</script>' --redefine-sym f2='<img src=x onerror=document.title="broken">' \
	--redefine-sym f3='\"\\"}]' --redefine-sym f4='a${document.title="broken"}`&lt;' code || bail 'objcopy fails'
# By the symbols' order, since the shell is to have no part in these names.
nm -n code | sed -n 's/^[0-9a-f]* T \(.*\)/\1/p' | grep -v '^_\(_\|e\)' >names
is "$(grep -c . names)" 6 'the program has such names' || diag_file names
words() {
	perl -e 'my @n = map { chomp; $_ } <STDIN>; my @t = @ARGV; print map { "$n[$_]=$t[$_]\0" } 0 .. $#t' "$@" <names
}
words 100 200 300 400 500 | xargs -0 "$testdir/made.pl" code before 1000
words 800 30 900 1600 500 | xargs -0 "$testdir/made.pl" code after 1000

profsup-diff --format=json code before -- code after >out 2>err
is "$? $(cat err)" '0 ' 'json: it is written'
# shellcheck disable=SC2016 # perl's
perl -MJSON::PP -e '
	local $/;
	my $d = JSON::PP->new->utf8->decode(scalar <STDIN>);
	open my $n, "<", "names" or die;
	local $/ = "\n";
	chomp(my @names = <$n>);
	my %have = map { $_->{name} => 1 } @{$d->{functions}};
	print "lacks $_\n" for grep { !$have{$_} && $_ ne "_start" } @names;
	print "id $_->{id}\n" for grep { $d->{functions}[$_->{id}] != $_ } @{$d->{functions}};
	my ($change, $sum) = ($d->{total}{change}, 0);
	$sum += $_->{self}{change} for @{$d->{functions}};
	print "sum $sum, not $change\n" if abs($sum - $change) > 1e-6;' <out >wrong 2>&1
is "$(cat wrong)" '' 'json: a parser finds all names as they are, and the functions add up'
is "$(jq -c '[.format, .version, .before.program, .after.runs, .total.before, .total.after]' out)" \
	'["profsup-diff",1,"code",[["after"]],1.5,3.83]' 'json: what it is of'

profsup-diff --format=html -o page.html code before -- code after 2>err
is "$? $(cat err)" '0 ' 'html: it is written'
is "$(grep -o '<script[^>]*>' page.html | tr '\n' ' ')" '<script type="application/json" id="data"> <script> ' 'html: there are two scripts, whatever the names'
grep -qE "^<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; style-src 'sha256-[A-Za-z0-9+/]{43}='; " page.html
ok $? 'html: a policy lets nothing be loaded, and nothing else run' || diag "$(head -c 1000 page.html)"
is "$(sed 's|http://www.w3.org/2000/svg||' page.html | grep -ciE 'https?:|src=["'\'']|@import|url\(')" 0 'html: it names no address'
perl -ne '$on = 1, next if /id="data"/; $on = 0 if m|^</script>|; print if $on' page.html >data
perl -MJSON::PP -e 'local $/; JSON::PP->new->utf8->decode(scalar <STDIN>)' <data
ok $? 'html: the data in it is JSON'
is "$(jq -cS . data)" "$(jq -cS . out)" 'html: that of --format=json'

. "$top/tests/lib/browser.sh"
start_browser

# shown FILE: what the browser makes of it, to `seen`.
shown() {
	printf 'open file://%s/%s\nprint dom document.documentElement.outerHTML\n' "$PWD" "$1" | browse
	printed dom >seen
}
shown page.html
is "$(grep -o '<title>profsup-diff</title>' seen)" '<title>profsup-diff</title>' 'browser: no name was run'
# The first table has what is significant, the greatest change first.
jq -r '[.functions[] | select(.self.significant)] | sort_by(-(.self.change | if . < 0 then -. else . end)) | .[].name' out >want
perl -0777 -ne 'my ($t) = /<tbody>(.*?)<\/tbody>/s; $_ = $1, s/&lt;/</g, s/&gt;/>/g, s/&amp;/&/g, print "$_\n" while $t =~ /<tr[^>]*><td[^>]*>(.*?)<\/td>/gs' seen >rows
[ "$(grep -c . want)" -ge 3 ] && cmp -s rows want
ok $? 'browser: the table has the names of what has changed, in order' || diag "$(diff rows want)"
is "$(grep -c '<svg' seen)" 0 'browser: without stacks there is no picture'

# With another script than the policy names, nothing runs.
sed "s/'use strict';/'use strict'; document.title = 'other';/" page.html >other.html
shown other.html
is "$(grep -o '<title>[^<]*' seen) $(grep -c '<tbody>' seen)" '<title>profsup-diff 0' 'browser: a script that was changed does not run'

# Stacks.
profsup-cc -O1 -g -o old "$testdir/planted.c" 2>cc.err || bail "$(cat cc.err)"
profsup-cc -O1 -g -DCALLS=1600 -o new "$testdir/planted.c" 2>cc.err || bail "$(cat cc.err)"
for program in old new; do
	profsup -q -g -F 1000 -o "$program.out" "./$program" || bail 'the program fails'
done
profsup-diff --format=json ./old old.out -- ./new new.out >out
is "$(jq '[.stacks[].before] | add - (.[0] // 0) < 0.01' out)" true 'json: stacks have a root'
jq -r '.total.before' out >total
between "$(jq '([.stacks[].before] | add) / .total.before' out)" 0.98 1.0001 'json: the stacks are the whole time'
is "$(jq '[.stacks[] | recurse(.calls[]) | select(([.calls[].before] | add // 0) > .before + 1e-6)] | length' out)" 0 'json: no frame has less than what it called'
# drawn FILE...: the colors that the page of these gives to functions, and those that its data say, `want`.
drawn() {
	profsup-diff --format=html -o page.html "$@"
	shown page.html
	perl -0777 -ne 'print "$1 $2\n" while /<rect[^>]*class="(\w+)"[^>]*><\/rect><title>([^:]*):/g' seen | sort -u >frames
	profsup-diff --format=json "$@" >out
	jq -r '[.functions[].name] as $name | def color: if .significant | not then "same" elif .after > .before then "more" else "less" end;
		"\(.total | color) all", (.stacks[] | recurse(.calls[]) | "\(color) \($name[.id])")' out | sort -u >want
	cmp frames want
}
drawn ./old old.out -- ./new new.out
ok $? 'browser: a frame has the color that its data say' || diag "$(diff frames want)"
grep -q '^more often$' frames
ok $? 'browser: a function with more time is red' || diag_file frames
drawn ./new new.out -- ./old old.out
ok $? 'browser: the other way around, too' || diag "$(diff frames want)"
grep -q '^less often$' frames
ok $? 'browser: the other way around it is blue' || diag_file frames

# Of ten frames and more, each is beyond 1.4 times what has 95 %: one of all by chance, and not one of twenty.
profsup-diff --format=json --noise=0 ./old old.out -- ./new new.out >out
is "$(jq '[.stacks[] | recurse(.calls[])] | length >= 10 and
	([.[] | select(.significant) | (.after - .before | if . < 0 then -. else . end) > 1.4 * .error] | length > 0 and all)' out)" true \
	'json: a frame has changed where so many give no other chance' || diag_file out
done_testing
