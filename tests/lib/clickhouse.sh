# ClickHouse servers of the test's own, on 127.0.0.1, which make up one cluster, "fleet", of a shard each.
# shellcheck shell=sh
# shellcheck disable=SC2154 # from eval

# clickhouse_prepare N: their directories; $http_1 to $http_N are the ports for curl.
clickhouse_prepare() {
	shards=
	i=0
	# shellcheck disable=SC2046 # numbers
	set -- "$1" $(perl -MIO::Socket::INET -e '
		my @s = map { IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1) or die } 1 .. shift;
		print join(" ", map { $_->sockport } @s), "\n"' $((2 * $1)))
	clickhouse_n=$1
	shift
	while [ $((i += 1)) -le "$clickhouse_n" ]; do
		eval "http_$i=$1 tcp_$i=$2"
		shards="$shards<shard><replica><host>127.0.0.1</host><port>$2</port></replica></shard>"
		shift 2
	done
	i=0
	while [ $((i += 1)) -le "$clickhouse_n" ]; do
		mkdir -p "ch$i/data" "ch$i/tmp"
		eval "ports=\"<http_port>\$http_$i</http_port><tcp_port>\$tcp_$i</tcp_port>\""
		cat >"ch$i/config.xml" <<-X
			<yandex>
			<logger><level>warning</level><log>$PWD/ch$i/log</log><errorlog>$PWD/ch$i/errors</errorlog></logger>
			$ports<listen_host>127.0.0.1</listen_host>
			<path>$PWD/ch$i/data/</path><tmp_path>$PWD/ch$i/tmp/</tmp_path>
			<mark_cache_size>100000000</mark_cache_size>
			<users_config>$PWD/ch$i/users.xml</users_config>
			<default_profile>default</default_profile><default_database>default</default_database>
			<remote_servers><fleet>$shards</fleet></remote_servers>
			</yandex>
		X
		cat >"ch$i/users.xml" <<-X
			<yandex>
			<profiles><default></default></profiles>
			<users><default>
			<password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
			</default></users>
			<quotas><default></default></quotas>
			</yandex>
		X
	done
}

# clickhouse_begin I: its process in $server_I.
clickhouse_begin() {
	clickhouse-server --config-file="$PWD/ch$1/config.xml" >"ch$1/out" 2>&1 &
	eval "server_$1=$! clickhouse_port=\$http_$1"
	wait_until 120 clickhouse_answers "$clickhouse_port" || bail "no ClickHouse: $(tail -n 5 "ch$1/out" "ch$1/errors")"
}
clickhouse_answers() {
	[ "$(curl -s "http://127.0.0.1:$1/" --data-binary 'SELECT 1')" = 1 ]
}

clickhouse_end() {
	i=0
	while [ $((i += 1)) -le "$clickhouse_n" ]; do
		eval "kill -KILL \${server_$i:-} 2>/dev/null; wait \${server_$i:-} 2>/dev/null"
	done
}

# sql I QUERY: what the Ith server answers.
sql() {
	eval "clickhouse_port=\$http_$1"
	curl -sS "http://127.0.0.1:$clickhouse_port/" --data-binary "$2"
}
