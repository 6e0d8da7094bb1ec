/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large protobuf messages, part by part. The encodings of two messages of one
 * type, one after the other, are the encoding of a message with what both
 * repeat (protobuf's encoding guide, "last one wins"): so a message that does
 * not fit into memory is written as many small ones.
 */
#ifndef GOTRACE_PROTOOUT_H
#define GOTRACE_PROTOOUT_H

#include <protobuf-c/protobuf-c.h>

#include <stddef.h>
#include <stdint.h>

struct protoout {
	uint8_t *data; /* of the last message packed */
	size_t n, cap;
};

/* Leaves the encoding of m in p->data, p->n bytes. 0 or -ENOMEM. */
int protoout_pack(struct protoout *p, const ProtobufCMessage *m);
void protoout_free(struct protoout *p);

#endif
