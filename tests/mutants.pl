#!/usr/bin/perl
# mutants.pl N SEED [FILE...]: what of the supervisor do the tests notice?  Takes N small changes of the files (those of
# sampler/, trace/, process/, memory/, code/ and gmon/), by chance, but the same for the same SEED.  Each is built, and looked
# at by those tests of `make check` that execute its line, two at once for each CPU, until one fails: first those that have
# noticed a change of the same file, then the shortest.  PROFSUP_MUTANTS_BY, a regular expression, chooses tests by their
# names.  A change that does not compile, or after which the compiler writes the same code, is none.
#
# All of it runs in a PID namespace of its own, which ends with it: a changed kill(2) must find nobody else.  The tree is a
# copy, build/mutants/tree.  Prints a line for each change, and at last how many were noticed; exits with 1 if those are
# fewer than 85 %.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Basename qw(dirname);
use IO::Handle;
use POSIX qw(setsid :sys_wait_h);
use Time::HiRes qw(time);

use constant { LEAST_NOTICED => 85, PATIENCE => 300 };    # percent; seconds for a test

my ($n, $seed, @files) = @ARGV;
defined $seed && $n =~ /^[1-9]\d*$/ && $seed =~ /^\d+$/ or die "usage: mutants.pl N SEED [FILE...]\n";
chdir dirname($0) . '/..' or die "tests/..: $!\n";
@files = glob 'supervisor/{sampler,trace,process,memory,code,gmon}/*.c' unless @files;
if (!$ENV{PROFSUP_MUTANTS}) {
	$ENV{PROFSUP_MUTANTS} = 1;
	exec 'unshare', $> == 0 ? () : '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child', $^X, 'tests/mutants.pl', @ARGV
		or die "unshare: $!\n";
}
$$ == 1 or die "no PID namespace of its own\n";
STDOUT->autoflush(1);

sub quietly {
	return system("$_[0] >build/mutants.out 2>&1") == 0;
}

# The tree as git has it, with what is changed in ours.
sub copy_tree {
	system('mkdir -p build/mutants && rm -rf build/mutants/tree && mkdir build/mutants/tree && '
	     . 'git ls-files -z | tar -c --null --files-from=- | tar -x -C build/mutants/tree') == 0 or die "no copy of the tree\n";
	chdir 'build/mutants/tree' or die "build/mutants/tree: $!\n";
	system 'git init -q . && git add -A >/dev/null && mkdir -p build';
	quietly('make -s -j$(nproc) V=0 tests-built') or die "the tree does not build: build/mutants/tree/build/mutants.out\n";
}

# What may be put in a token's place.
my %instead = (
	'==' => ['!='], '!=' => ['=='], '<' => ['<=', '>='], '<=' => ['<', '>'], '>' => ['>=', '<='], '>=' => ['>', '<'],
	'&&' => ['||'], '||' => ['&&'], '+' => ['-'], '-' => ['+'], '*' => ['/'], '/' => ['*'], '+=' => ['-='], '-=' => ['+='],
	'|=' => ['='], '++' => ['--'], '--' => ['++'], '!' => [''], 'true' => ['false'], 'false' => ['true'],
	'continue' => ['break'], '|' => ['&'], '&' => ['|'],
);

# What may be changed in a file: [line, from, to, column, what].  Comments, strings and what is outside of functions, but
# for constants, stay.
sub sites {
	my ($file) = @_;
	my (@sites, $in_comment, $in_body);

	open my $f, '<', $file or die "$file: $!\n";
	while (my $line = <$f>) {
		my $number = $.;
		$in_body = 1 if $line =~ /^\{/;
		$in_body = 0 if $line =~ /^\}/;
		# What is no code has as many blanks.
		$in_comment = 1 if $line =~ m{^\s*/\*};
		my $comment = $in_comment;
		$in_comment = 0 if $line =~ m{\*/};
		next if $comment;
		(my $code = $line) =~ s{("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|/\*.*?\*/|//.*)}{' ' x length $1}ge;
		if ($code =~ /^(?:#define\s+\w+\s+|enum \{)/ || ($in_body && $code !~ /^\s*#/)) {
			while ($code =~ /(?<![\w.])(\d+)(?![\w.])/g) {
				my $constant = $1;
				# Of what is large nobody promises more than the order of magnitude.
				push @sites, [$number, $-[1], length $constant, $constant > 8 ? 8 * $constant : $constant + 1];
				push @sites, [$number, $-[1], length $constant, 0] if $constant > 1;
			}
		}
		next unless $in_body;
		# Operators of two operands have a blank on either side here.
		while ($code =~ /(?<= )(==|!=|<=|>=|<|>|&&|\|\||\+=|-=|\|=|\+|-|\*|\/|\||&)(?= )|(\+\+|--)|(!)(?=[\w(])|\b(true|false|continue)\b/g) {
			my ($token) = grep { defined } $1, $2, $3, $4;
			push @sites, [$number, $-[0], length $token, $_] for @{ $instead{$token} };
		}
		# A call or an assignment that is a statement of its own goes.
		push @sites, [$number, $-[1], length $1, '(void)0;'] if $code =~ /^\t+([\w>.\-\[\]]+(?:\(.*\)| [|&+*\/-]?= .*);)$/;
		# A condition is always, or never, true.
		push @sites, map { [$number, $-[1], length $1, $_] } '0', '1' if $code =~ /^\t+(?:else )?if \((.+)\)(?: \{)?$/;
	}
	return @sites;
}

sub with_change {
	my ($file, $site) = @_;
	my ($number, $column, $length, $to) = @$site;

	open my $f, '<', $file or die "$file: $!\n";
	my @lines = <$f>;
	my $before = $lines[$number - 1];
	substr($lines[$number - 1], $column, $length) = $to;
	return (join('', @lines), $before, $lines[$number - 1]);
}

sub put_file {
	my ($file, $text) = @_;

	open my $f, '>', $file or die "$file: $!\n";
	print $f $text;
	close $f or die "$file: $!\n";
}

# The code of a file's object, without what names lines.
sub code_of {
	my ($file) = @_;
	(my $object = "build/$file") =~ s/c$/o/;

	return undef unless quietly("make -s V=0 $object");
	return scalar `objdump -d -r -s -j .text -j .data -j .rodata -j .text.unlikely $object 2>/dev/null`;
}

# Where the lines that a test executes are counted: by the compiler's counters, which the supervisor, whoever it is, writes
# when it ends.
sub counters_of {
	my ($test) = @_;

	return getcwd() . '/build/counts/' . $test =~ tr{/}{-}r;
}

my $counting = 0;

# Runs a test in a session of its own, all of which ends with it.  Returns its process.
sub start_test {
	my ($test) = @_;
	my $pid = fork // die "fork: $!\n";

	return $pid if $pid;
	setsid;
	open STDIN, '<', '/dev/null';
	open STDOUT, '>', '/dev/null';
	open STDERR, '>', '/dev/null';
	if ($counting) {
		$ENV{GCOV_PREFIX} = counters_of($test);
		$test =~ s{^build/}{build/counted/};
	}
	exec 'timeout', '-s', 'KILL', PATIENCE, 'prove', '-Q', $test or POSIX::_exit(127);
}

my %took;    # seconds, by test, in the run of all

# Runs tests, so many at once, until one fails, or `all`.  Returns the names of those that did.
sub failing {
	my ($all, $at_once, @tests) = @_;
	my (%running, %began, @failed);

	while (%running || (@tests && ($all || !@failed))) {
		while (@tests && ($all || !@failed) && keys %running < $at_once) {
			my $test = shift @tests;
			$began{$test} = time;
			$running{ start_test($test) } = $test;
		}
		my $pid = waitpid -1, 0;
		my $test = delete $running{$pid} // next;
		$took{$test} = time - $began{$test} if $all;
		next if $? == 0;
		push @failed, $test if $all || !@failed;
		kill 'KILL', map { -$_ } keys %running unless $all;
	}
	kill 'KILL', -1;    # what tests have left: nobody else is in the namespace
	return @failed;
}

sub use_build {
	my ($dir) = @_;

	$ENV{PROFSUP_STAGE} = getcwd() . "/$dir/stage";
	$ENV{PROFSUP_TARGETS} = getcwd() . "/$dir/tests/targets";
}

sub count_lines {
	my ($at_once, @tests) = @_;

	put_file('build/exit.c', 'void __gcov_dump(void); void __real__exit(int); '
	  . 'void __wrap__exit(int status) { __gcov_dump(); __real__exit(status); }');
	quietly('gcc -c -o build/exit.o build/exit.c && make -s -j$(nproc) V=0 B=build/counted '
	  . 'SAN="--coverage -fprofile-dir=/counts -Wl,--wrap=_exit,$PWD/build/exit.o" tests-built') or die "no build that counts\n";
	use_build('build/counted');
	for my $test (@tests) {
		my $counts = counters_of($test);
		system "mkdir -p $counts/counts && chmod 777 $counts $counts/counts";
	}
	system 'chmod 755 build build/counts';
	$counting = 1;
	failing(1, $at_once, @tests);
	$counting = 0;
}

# How often a test has executed a line of a file; undef: that is not known.
sub executed {
	my ($test, $file, $line) = @_;
	my $name = getcwd() . "/build/counted/$file" =~ s/\.c$//r;
	my $counts = counters_of($test) . '/counts/' . $name =~ tr{/}{#}r . '.gcda';
	my $times;

	return 0 unless -e $counts;
	system "cp '$counts' build/one.gcda && cp $name.gcno build/one.gcno";
	for (`gcov -t build/one.gcda 2>/dev/null`) {
		my ($count, $number) = /^\s*([-#=\d]+)\*?:\s*(\d+):/ or next;
		last if $number > $line;
		$times = $count =~ /^\d/ ? $count : 0 if $count ne '-';
		$times = undef if /^\s*-:\s*\d+:\}/;    # a function ends
	}
	return $times;
}

copy_tree();
chomp(my $nproc = `nproc`);
my $at_once = 2 * $nproc;    # most tests wait most of the time
my @live = grep { my $t = $_; open my $f, '<', $t or die "$t: $!\n"; !grep { /^# check-all: / } <$f> } sort split /\n/, `find tests/run tests/hostile tests/accuracy tests/export tests/report -name '*.t'`;
my @unit = sort split /\n/, `find build/tests/unit -name '*.t'`;

my $chosen = $ENV{PROFSUP_MUTANTS_BY} || '.';
my @tests = grep { /$chosen/ } @unit, 'tests/orders/orders.t', 'tests/sim/sim.t', @live;
count_lines($at_once, @tests);
use_build('build');
# A test that fails here without a change would notice any.
my %fails = map { $_ => 1 } failing(1, $at_once, @tests);
print "# left out, since they fail without a change: @{[sort keys %fails]}\n" if %fails;
@tests = sort { $took{$a} <=> $took{$b} } grep { !$fails{$_} } @tests;
my %order;    # of the tests, by file: who has noticed a change of it comes first

srand $seed;
my @all = map { my $file = $_; map { [$file, $_] } sites($file) } @files;
printf "# %d changes of %d files are possible\n", scalar @all, scalar @files;
my ($noticed, $none, @survivors) = (0, 0);
while ($noticed + @survivors < $n && @all) {
	my ($file, $site) = @{ splice @all, int(rand @all), 1 };
	open my $f, '<', $file or die "$file: $!\n";
	my $original = do { local $/; <$f> };
	my ($changed, $before, $after) = with_change($file, $site);
	s/^\s+|\s+$//g for $before, $after;
	my $code = code_of($file);
	put_file($file, $changed);
	my $new = code_of($file);
	if (!defined $new || $new eq $code) {
		$none++;
	} else {
		my $by = quietly('make -s -j$(nproc) V=0 tests-built') ? undef : 'the build';
		my $order = $order{$file} //= [@tests];
		my @who = defined $by ? () : grep { executed($_, $file, $site->[0]) // 1 } @$order;
		($by) = failing(0, $at_once, @who) unless defined $by;
		@$order = ($by, grep { $_ ne $by } @$order) if defined $by && $by ne 'the build';
		defined $by ? $noticed++ : push @survivors, "$file:$site->[0]: $before -> $after";
		printf "%s %s:%d: %s -> %s (%s)\n", defined $by ? 'noticed' : 'SURVIVED', $file, $site->[0], $before, $after,
			$by // scalar(@who) . ' tests execute it';
	}
	put_file($file, $original);
}
my $percent = 100 * $noticed / ($noticed + @survivors || 1);
printf "%d changes, %.0f %% noticed; %d more were none\n", $noticed + @survivors, $percent, $none;
exit($percent < LEAST_NOTICED);
