#!/bin/sh
# The same with 10,000 files of each server.
exec "$(dirname "$0")/../real/daemons.t" 10000
