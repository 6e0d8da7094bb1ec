// SPDX-License-Identifier: BSD-2-Clause
#include "export/protoout.h"

#include <stdlib.h>

#include "base/vec.h"

int protoout_pack(struct protoout *p, const ProtobufCMessage *m)
{
	size_t n = protobuf_c_message_get_packed_size(m);
	int err = vec_reserve(&p->data, &p->cap, n + 1);

	p->n = err ? 0 : protobuf_c_message_pack(m, p->data);
	return err;
}

void protoout_free(struct protoout *p)
{
	free(p->data);
	*p = (struct protoout){ 0 };
}
