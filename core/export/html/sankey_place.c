// SPDX-License-Identifier: BSD-2-Clause
/* Heights by weight, and positions that make bands run straight. */
#include <errno.h>
#include <stdlib.h>

#include "export/html/sankey.h"

/* As wide as it is high, about: a picture of many columns is drawn smaller. */
#define NATURAL_HEIGHT (600 * SANKEY_UNIT)
#define HIGHEST        (1400 * SANKEY_UNIT)
#define COLUMN_HEIGHT  (130 * SANKEY_UNIT)
#define LEAST_HEIGHT   (2 * SANKEY_UNIT) /* of a bar, so that it can be seen */
/* below a bar: a name fits; more in a picture that is drawn smaller */
#define GAP         (16 * SANKEY_UNIT)
#define WIDEST_GAP  (28 * SANKEY_UNIT)
#define GAP_COLUMNS 5 /* so many fit a window at their natural size */
#define ROUTE_GAP   (6 * SANKEY_UNIT)
#define GO_THICK    (SANKEY_UNIT) /* carries nothing, must be seen */
#define SWEEPS      8

/* thickness = weight >> shift, times num / den: products stay below 2^63. */
struct scale {
	unsigned shift;
	uint64_t num, den;
};

struct placing {
	struct sankey *s;
	struct sankey_piece *pieces;
	size_t n_pieces;
	uint32_t *nodes, *start; /* as of sankey_by_column */
	struct scale scale;
	int64_t gap;         /* below a bar */
	int64_t *sum, *pull; /* of nodes: where neighbours want them, times how much */
	/* nodes of a column placed as one block: the first of them, how many, where it wants to
	 * be */
	struct block {
		uint32_t first, n;
		int64_t sum, pull;
	} * blocks;
	int64_t *above; /* heights and gaps above a column's k-th node */
};

static uint64_t weight_of(const struct sankey_node *n)
{
	return n->in > n->out ? n->in : n->out;
}

static int64_t scaled(const struct scale *c, uint64_t weight)
{
	return (int64_t)((weight >> c->shift) * c->num / c->den);
}

static int64_t gap_below(const struct placing *p, const struct sankey_node *n)
{
	return n->kind == SANKEY_ROUTE ? ROUTE_GAP : p->gap;
}

/* The thickest that lets every column fit. A column of many nodes makes the picture higher. */
static void find_scale(struct placing *p)
{
	struct sankey *s = p->s;
	uint64_t largest = 1;

	p->gap = (int64_t)s->n_layers * GAP / GAP_COLUMNS;
	p->gap = p->gap < GAP ? GAP : p->gap > WIDEST_GAP ? WIDEST_GAP : p->gap;
	s->height = (int64_t)s->n_layers * COLUMN_HEIGHT;
	s->height = s->height < NATURAL_HEIGHT ? NATURAL_HEIGHT
		    : s->height > HIGHEST      ? HIGHEST
					       : s->height;
	for (uint32_t l = 0; l < s->n_layers; l++) {
		uint64_t weight = 0;
		int64_t fixed = 0;

		for (uint32_t k = p->start[l]; k < p->start[l + 1]; k++) {
			weight += weight_of(&s->nodes[p->nodes[k]]);
			fixed += gap_below(p, &s->nodes[p->nodes[k]]) + LEAST_HEIGHT;
		}
		largest = weight > largest ? weight : largest;
		if (s->height < fixed + fixed / 2)
			s->height = fixed + fixed / 2;
	}
	p->scale = (struct scale){ .num = 1, .den = 0 };
	while (largest >> p->scale.shift >= 1ull << 32)
		p->scale.shift++;
	for (uint32_t l = 0; l < s->n_layers; l++) {
		uint64_t weight = 0, room = (uint64_t)s->height;

		for (uint32_t k = p->start[l]; k < p->start[l + 1]; k++) {
			const struct sankey_node *n = &s->nodes[p->nodes[k]];

			weight += weight_of(n) >> p->scale.shift;
			room -= (uint64_t)(gap_below(p, n) + LEAST_HEIGHT);
		}
		/* room / weight < num / den, and weight < 2^32, room < 2^31 (a million nodes) */
		if (weight && (!p->scale.den || room * p->scale.den < p->scale.num * weight)) {
			p->scale.num = room;
			p->scale.den = weight;
		}
	}
	if (!p->scale.den)
		p->scale.den = 1;
}

static void set_heights(struct placing *p)
{
	struct sankey *s = p->s;

	for (size_t i = 0; i < s->n_nodes; i++) {
		struct sankey_node *n = &s->nodes[i];

		n->h = scaled(&p->scale, weight_of(n));
		if (n->kind == SANKEY_ROUTE)
			n->h = n->h < 1 ? 1 : n->h;
		else
			n->h = n->h < LEAST_HEIGHT ? LEAST_HEIGHT : n->h;
	}
	for (size_t i = 0; i < s->n_links; i++) {
		struct sankey_link *l = &s->links[i];

		l->thick = l->go ? GO_THICK : scaled(&p->scale, l->weight);
		if (!l->thick)
			l->thick = 1;
	}
	for (uint32_t l = 0; l < s->n_layers; l++) {
		int64_t y = 0;

		for (uint32_t k = p->start[l]; k < p->start[l + 1]; k++) {
			s->nodes[p->nodes[k]].y = y;
			y += s->nodes[p->nodes[k]].h + gap_below(p, &s->nodes[p->nodes[k]]);
		}
	}
}

/* Where block b's first node wants to be, as if nothing were above it in the column. */
static int64_t wish(const struct block *b)
{
	return b->sum / b->pull;
}

/*
 * Each node of the column as near as possible to where it wants to be, in the
 * order it has: neighbours that would overlap become one block at the average
 * of their wishes (pool adjacent violators).
 */
static void settle_column(struct placing *p, uint32_t layer)
{
	struct sankey *s = p->s;
	uint32_t *column = p->nodes + p->start[layer], n = p->start[layer + 1] - p->start[layer],
		 n_blocks = 0;
	int64_t above = 0, last = 0;

	for (uint32_t k = 0; k < n; k++) {
		struct sankey_node *node = &s->nodes[column[k]];
		int64_t pull = p->pull[column[k]] ? p->pull[column[k]] : 1;
		int64_t want = p->pull[column[k]] ? p->sum[column[k]] / pull : node->y;

		p->above[k] = above;
		p->blocks[n_blocks++] = (struct block){ k, 1, (want - above) * pull, pull };
		above += node->h + gap_below(p, node);
		last = gap_below(p, node);
		while (n_blocks > 1 &&
		       wish(&p->blocks[n_blocks - 2]) > wish(&p->blocks[n_blocks - 1])) {
			struct block *b = &p->blocks[--n_blocks - 1];

			b->n += b[1].n;
			b->sum += b[1].sum;
			b->pull += b[1].pull;
		}
	}
	int64_t room = s->height - (above - last);

	room = room < 0 ? 0 : room;
	for (uint32_t b = 0; b < n_blocks; b++) {
		int64_t at = wish(&p->blocks[b]);

		at = at < 0 ? 0 : at > room ? room : at;
		for (uint32_t k = p->blocks[b].first; k < p->blocks[b].first + p->blocks[b].n; k++)
			s->nodes[column[k]].y = at + p->above[k];
	}
}

/* Wishes of the nodes of a column: to be as high as what they are linked to on one side. */
static void sweep(struct placing *p, bool right)
{
	struct sankey *s = p->s;

	for (uint32_t step = 1; step < s->n_layers; step++) {
		uint32_t layer = right ? step : s->n_layers - 1 - step;

		for (uint32_t k = p->start[layer]; k < p->start[layer + 1]; k++)
			p->sum[p->nodes[k]] = p->pull[p->nodes[k]] = 0;
		for (size_t i = 0; i < p->n_pieces; i++) {
			const struct sankey_piece *piece = &p->pieces[i];
			uint32_t node = right ? piece->to : piece->from,
				 other = right ? piece->from : piece->to;
			const struct sankey_node *a = &s->nodes[node], *b = &s->nodes[other];
			int64_t pull = 1 + scaled(&p->scale, piece->weight);

			if (a->layer != layer)
				continue;
			p->sum[node] += pull * (b->y + b->h / 2 - a->h / 2);
			p->pull[node] += pull;
		}
		settle_column(p, layer);
	}
}

struct port {
	uint32_t link, node;
	bool out;
	int64_t towards; /* the middle of what it leads to next */
};

/* By node and side, then by where they lead; links that run backwards are lowest. */
static int by_direction(const void *x, const void *y, void *ctx)
{
	const struct sankey *s = ctx;
	const struct port *a = x, *b = y;
	const struct sankey_link *la = &s->links[a->link], *lb = &s->links[b->link];

	if (a->node != b->node)
		return (a->node > b->node) - (a->node < b->node);
	if (a->out != b->out)
		return a->out - b->out;
	if (la->back != lb->back)
		return la->back - lb->back;
	if (a->towards != b->towards)
		return (a->towards > b->towards) - (a->towards < b->towards);
	return (a->link > b->link) - (a->link < b->link);
}

/* Gives each link its part of the bars at its ends; weight that no link brings is on top. */
static int set_ports(struct placing *p)
{
	struct sankey *s = p->s;
	struct port *ports = calloc(2 * s->n_links + 1, sizeof(*ports));
	uint64_t used = 0;

	if (!ports)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_links; i++) {
		const struct sankey_link *l = &s->links[i];
		const struct sankey_node *to = &s->nodes[l->n_routes ? l->first_route : l->to];
		const struct sankey_node *from =
			&s->nodes[l->n_routes ? l->first_route + l->n_routes - 1 : l->from];

		ports[2 * i] = (struct port){ i, l->from, true, to->y + to->h / 2 };
		ports[2 * i + 1] = (struct port){ i, l->to, false, from->y + from->h / 2 };
	}
	if (s->n_links)
		qsort_r(ports, 2 * s->n_links, sizeof(*ports), by_direction, s);
	for (size_t i = 0; i < 2 * s->n_links; i++) {
		const struct sankey_node *n = &s->nodes[ports[i].node];
		struct sankey_link *l = &s->links[ports[i].link];

		if (!i || ports[i - 1].node != ports[i].node || ports[i - 1].out != ports[i].out)
			used = ports[i].out ? 0 : n->source + n->recursive;
		/* Running sums are scaled, not the parts: no gaps and no overlaps. */
		*(ports[i].out ? &l->y_from : &l->y_to) = n->y + scaled(&p->scale, used);
		used += l->weight;
		/* A go statement leaves from the foot, where a function's self time is, and leads
		 * to the middle of what begins there. */
		if (l->go && ports[i].out)
			l->y_from = n->y + n->h - l->thick;
		else if (l->go)
			l->y_to = n->y + scaled(&p->scale, n->source) / 2;
	}
	free(ports);
	return 0;
}

static void trim(struct sankey *s)
{
	int64_t top = INT64_MAX, bottom = 0;

	for (size_t i = 0; i < s->n_nodes; i++) {
		top = s->nodes[i].y < top ? s->nodes[i].y : top;
		bottom = s->nodes[i].y + s->nodes[i].h > bottom ? s->nodes[i].y + s->nodes[i].h
								: bottom;
	}
	for (size_t i = 0; i < s->n_nodes; i++)
		s->nodes[i].y -= top;
	s->height = bottom - top;
}

int sankey_place(struct sankey *s)
{
	struct placing p = { .s = s };
	int err = 0;

	if (!s->n_nodes)
		return 0;
	p.pieces = sankey_pieces(s, &p.n_pieces);
	p.sum = calloc(s->n_nodes, sizeof(*p.sum));
	p.pull = calloc(s->n_nodes, sizeof(*p.pull));
	p.blocks = calloc(s->n_nodes, sizeof(*p.blocks));
	p.above = calloc(s->n_nodes, sizeof(*p.above));
	err = sankey_by_column(s, &p.nodes, &p.start);
	if (!p.pieces || !p.sum || !p.pull || !p.blocks || !p.above)
		err = -ENOMEM;
	if (!err) {
		find_scale(&p);
		set_heights(&p);
		for (unsigned i = 0; i < SWEEPS; i++)
			sweep(&p, i % 2 == 0);
		trim(s);
		err = set_ports(&p);
	}
	free(p.pieces);
	free(p.sum);
	free(p.pull);
	free(p.blocks);
	free(p.above);
	free(p.nodes);
	free(p.start);
	return err;
}
