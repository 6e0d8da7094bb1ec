/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes large protobuf messages part by part. Two encodings of one type, one after the other,
 * encode a message with the repeated fields of both (protobuf's encoding guide, "last one wins").
 * So a message that does not fit into memory is written as many small ones.
 */
#ifndef GOTRACE_PROTOOUT_H
#define GOTRACE_PROTOOUT_H

#include <protobuf-c/protobuf-c.h>

#include <stddef.h>
#include <stdint.h>

struct protoout {
	uint8_t *data; /* the last message packed */
	size_t n, cap;
};

/* Encodes m into p->data, p->n bytes. 0 or -ENOMEM. */
int protoout_pack(struct protoout *p, const ProtobufCMessage *m);
void protoout_free(struct protoout *p);

#endif
