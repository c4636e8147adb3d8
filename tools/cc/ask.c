/*
 * What the compiler says when it is asked.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cc.h"

#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Puts the beginning of what the compiler says to that option into the answer. */
void
compiler_ask(const struct words *compiler, const char *question, char *answer, size_t size)
{
	struct words w = { 0 };
	posix_spawn_file_actions_t actions;
	int out[2], status;
	ssize_t n;
	size_t have = 0;
	pid_t pid;

	for (size_t i = 0; i < compiler->n; i++)
		add(&w, compiler->word[i]);
	add(&w, question);
	if (pipe2(out, O_CLOEXEC) < 0 || posix_spawn_file_actions_init(&actions) != 0)
		err(EXIT_OURS, "pipe");
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	if (posix_spawnp(&pid, w.word[0], &actions, NULL, w.word, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	while (have < size - 1 && (n = read(out[0], answer + have, size - 1 - have)) > 0)
		have += (size_t)n;
	answer[have] = '\0';
	close(out[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	free(w.word);
}
