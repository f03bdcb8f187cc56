// SPDX-License-Identifier: BSD-2-Clause
#include "completion.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "traffic.h"

/* Add a word to a list of them. Takes the list. */
static char *add_word(char *list, const char *word, size_t len)
{
	char *longer = xasprintf("%s%s%.*s", list, *list ? " " : "", (int)len, word);

	free(list);
	return longer;
}

static char *add_choices(char *list, const char *choices)
{
	for (const char *p = choices; p && *p;) {
		size_t len = strcspn(p, "|");

		list = add_word(list, p, len);
		p += len + (p[len] == '|');
	}
	return list;
}

static char *table_names(void)
{
	char *list = xstrdup("");

	table_for_each(c) list = add_word(list, c->name, strlen(c->name));
	return list;
}

static char *workload_names(void)
{
	char *list = xstrdup("");
	const char *name;

	for (size_t i = 0; (name = workload_name(i)); i++)
		list = add_word(list, name, strlen(name));
	return list;
}

static bool is_one_of(const char *word, const char *choices)
{
	for (const char *p = choices; *p;) {
		size_t len = strcspn(p, "|");

		if (strlen(word) == len && !strncmp(p, word, len))
			return true;
		p += len + (p[len] == '|');
	}
	return false;
}

static bool takes_directory(const struct option_def *d)
{
	return d->metavar && !strcmp(d->metavar, "DIR");
}

static bool takes_file(const struct option_def *d)
{
	return d->metavar && (!strncmp(d->metavar, "FILE", 4) || is_one_of(d->name, "traces"));
}

/* What may stand after an option, as far as it is a list of words. Caller frees. */
static char *values_of(const struct option_def *d)
{
	if (d->type == OPT_CHOICE)
		return add_choices(xstrdup(""), d->metavar);
	if (is_one_of(d->name, "table|tables|baseline"))
		return table_names();
	if (is_one_of(d->name, "workload"))
		return workload_names();
	if (is_one_of(d->name, "kinds"))
		return add_choices(xstrdup(""), "tt|pawn|eval|kv");
	if (is_one_of(d->name, "placement"))
		return add_choices(xstrdup(""), "core|compact|spread");
	return xstrdup("");
}

static char *option_words(const struct command *c)
{
	char *list = xstrdup("");

	for (const struct option_def *d = c->options; d->name; d++) {
		char *word = xasprintf("--%s", d->name);

		list = add_word(list, word, strlen(word));
		free(word);
	}
	return add_word(list, "--help", strlen("--help"));
}

static char *command_words(const struct command *const *commands)
{
	char *list = xstrdup("");

	for (const struct command *const *c = commands; *c; c++)
		list = add_word(list, (*c)->name, strlen((*c)->name));
	return add_choices(list, "help|version");
}

/* One branch of the case of values: "replay --mode". */
static void bash_values(const struct command *c, const struct option_def *d)
{
	char *values = values_of(d);

	printf("\t'%s --%s') ", c->name, d->name);
	if (*values)
		printf("words='%s' ;;\n", values);
	else
		printf("files=%s ;;\n", takes_directory(d) ? "-d" : takes_file(d) ? "-f" : "");
	free(values);
}

static void bash_command(const struct command *c)
{
	char *options = option_words(c), *verbs = add_choices(xstrdup(""), c->verbs);

	for (const struct option_def *d = c->options; d->name; d++)
		if (d->type != OPT_FLAG)
			bash_values(c, d);
	printf("\t'%s '*)\n\t\twords='%s'\n", c->name, options);
	if (c->takes_arguments)
		printf("\t\tfiles=-f\n");
	if (c->verbs)
		printf("\t\t[ \"$COMP_CWORD\" = 2 ] && words='%s %s' files=\n", verbs, options);
	printf("\t\t;;\n");
	free(verbs);
	free(options);
}

static void print_bash(const struct command *const *commands)
{
	char *words = command_words(commands);

	printf("# bash completion for tearline\n"
	       "_tearline()\n{\n"
	       "\tlocal word=$2 before=$3 words= files=\n"
	       "\tcase \"${COMP_WORDS[1]} $before\" in\n"
	       "\t'help '*) words='%s' ;;\n",
	       words);
	for (const struct command *const *c = commands; *c; c++)
		bash_command(*c);
	printf("\tesac\n"
	       "\t[ \"$COMP_CWORD\" = 1 ] && words='%s'\n"
	       "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	       "\tif [ -n \"$files\" ] && [[ $word != -* ]]; then\n"
	       "\t\tcompopt -o filenames 2>/dev/null\n"
	       "\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$files\" -- \"$word\")\n"
	       "\tfi\n}\ncomplete -F _tearline tearline\n",
	       words);
	free(words);
}

/* Help within '...' and [...], up to its first colon or full stop. */
static void zsh_text(const char *help)
{
	size_t len = strcspn(help, ":;\n");

	for (size_t i = 0; i < len; i++) {
		if (help[i] == '[' || help[i] == ']')
			putchar('\\');
		if (help[i] == '\'')
			fputs("'\\'", stdout);
		putchar(help[i]);
	}
}

static void zsh_option(const struct option_def *d)
{
	char *values = values_of(d);

	printf("\t\t\t'--%s[", d->name);
	zsh_text(d->help);
	putchar(']');
	if (d->type != OPT_FLAG) {
		printf(":%s:", d->type == OPT_CHOICE ? "choice" : "value");
		if (*values)
			printf("(%s)", values);
		else if (takes_directory(d))
			printf("_directories");
		else if (takes_file(d))
			printf("_files");
	}
	printf("' \\\n");
	free(values);
}

static void zsh_command(const struct command *c)
{
	char *verbs = add_choices(xstrdup(""), c->verbs);

	printf("\t%s)\n\t\t_arguments \\\n", c->name);
	for (const struct option_def *d = c->options; d->name; d++)
		zsh_option(d);
	if (c->verbs)
		printf("\t\t\t'1:what:(%s)' \\\n", verbs);
	if (c->takes_arguments)
		printf("\t\t\t'*:file:_files' \\\n");
	printf("\t\t\t'--help[this text]'\n\t\t;;\n");
	free(verbs);
}

static void print_zsh(const struct command *const *commands)
{
	char *words = command_words(commands);

	printf("#compdef tearline\n"
	       "if ((CURRENT == 2)); then\n"
	       "\tcompadd %s\n\treturn\nfi\n"
	       "shift words\n((CURRENT--))\n"
	       "case $words[1] in\n"
	       "\thelp) compadd %s ;;\n",
	       words, words);
	for (const struct command *const *c = commands; *c; c++)
		zsh_command(*c);
	printf("esac\n");
	free(words);
}

int completion(const struct command *const *commands, const char *shell)
{
	struct err e;

	if (!strcmp(shell, "bash")) {
		print_bash(commands);
	} else if (!strcmp(shell, "zsh")) {
		print_zsh(commands);
	} else {
		err_set(&e, "--completion: expected bash or zsh, got '%s'", shell);
		return err_report(&e);
	}
	return EXIT_DONE;
}
