// SPDX-License-Identifier: BSD-2-Clause
/* liburcu's hash table, bare, against our table on it. */
#define _LGPL_SOURCE
#include <urcu/urcu-memb.h>

#include <urcu/urcu-qsbr.h>

#include <urcu/rculfhash.h>

#include "bench_container.h"

extern const struct rcu_flavor_struct urcu_memb_flavor, urcu_qsbr_flavor;

struct node {
	struct cds_lfht_node chain;
	uint64_t key, word;
};

static const struct rcu_flavor_struct *flavor;
static struct cds_lfht *ht;
static struct mem nodes;
static uint64_t nr_nodes;

static int same_key(struct cds_lfht_node *chain, const void *key)
{
	return caa_container_of(chain, struct node, chain)->key == *(const uint64_t *)key;
}

static bool open_with(const struct rcu_flavor_struct *f, uint64_t keys)
{
	uint64_t buckets = 1;
	struct err e;

	while (3 * buckets < 2 * keys) /* as lfht does */
		buckets *= 2;
	if (mem_map(&nodes, keys * sizeof(struct node), PAGES_AUTO, "nodes", &e))
		fixture_die(&e);
	nr_nodes = 0;
	flavor = f;
	flavor->register_thread();
	flavor->thread_offline();
	ht = cds_lfht_new_flavor(buckets, buckets, buckets, 0, flavor, NULL);
	return ht;
}

static bool memb_open(uint64_t keys)
{
	return open_with(&urcu_memb_flavor, keys);
}

static bool qsbr_open(uint64_t keys)
{
	return open_with(&urcu_qsbr_flavor, keys);
}

/* Nobody else is there yet. */
static bool put(uint64_t key, uint64_t word)
{
	struct node *n = (struct node *)nodes.base + nr_nodes++;

	*n = (struct node){ .key = key, .word = word };
	return cds_lfht_add_unique(ht, mix64(key), same_key, &key, &n->chain) == &n->chain;
}

static void close_table(void)
{
	for (uint64_t i = 0; i < nr_nodes; i++)
		cds_lfht_del(ht, &((struct node *)nodes.base)[i].chain);
	cds_lfht_destroy(ht, NULL);
	flavor->unregister_thread();
	mem_unmap(&nodes);
}

static __always_inline uint64_t look_up(uint64_t key)
{
	struct cds_lfht_iter iter;

	cds_lfht_lookup(ht, mix64(key), same_key, &key, &iter);
	return iter.node ? caa_container_of(iter.node, struct node, chain)->word : 0;
}

static uint64_t memb_loop(const struct contestant *c, const struct stream *s)
{
	uint64_t sum = 0;

	for (const struct trace_op *op = s->op; op < s->op + s->nr; op++) {
		urcu_memb_read_lock();
		sum += look_up(op->key);
		urcu_memb_read_unlock();
	}
	return sum;
}

static uint64_t unprotected(const struct contestant *c, const struct stream *s)
{
	uint64_t sum = 0;

	for (const struct trace_op *op = s->op; op < s->op + s->nr; op++)
		sum += look_up(op->key);
	return sum;
}

static uint64_t qsbr_loop(const struct contestant *c, const struct stream *s)
{
	uint64_t sum;

	urcu_qsbr_thread_online();
	sum = unprotected(c, s);
	urcu_qsbr_thread_offline();
	return sum;
}

static const struct container containers[] = {
	{ "cds_lfht, memb", "lfht:hands=1", memb_open, put, memb_loop, unprotected,
	  close_table },
	{ "cds_lfht, qsbr", "lfht:hands=1,flavor=qsbr", qsbr_open, put, qsbr_loop, NULL,
	  close_table },
};

int main(void)
{
	/* Larger ones take minutes to fill and to empty, and no longer for a step. */
	return bench_containers(containers, ARRAY_SIZE(containers), 256 * MIB, "256 MiB");
}
