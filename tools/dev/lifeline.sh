#!/bin/sh
# Runs a command so that nothing of it outlives its parent, however the parent dies.
#
# Fd 3 is the lifeline: its other end is held open by the parent and by nobody else. A watcher beside the command reads
# it. When the parent closes it, or is gone (even by kill -9: the kernel closes it then), the watcher kills the whole
# process group, itself included. The caller starts this script as the leader of a group of its own and the command
# takes over this very process: its pid, signals and exit code are seen by the parent as if there were no lifeline.
#
# It is a shell script, not a Node program, because "kill every node process" must not disarm it.
(
  trap '' HUP INT TERM QUIT
  read -r _ <&3
  kill -9 0
) </dev/null >/dev/null 2>&1 &

exec 3<&-
exec "$@"
