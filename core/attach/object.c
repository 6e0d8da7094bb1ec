// SPDX-License-Identifier: BSD-2-Clause
#include "attach/object.h"

/* 8-byte aligned: libelf reads its headers in place. */
__asm__(".section .rodata\n"
	".balign 8\n"
	".global bpf_object_start, bpf_object_end\n"
	"bpf_object_start: .incbin \"" BPF_OBJECT "\"\n"
	"bpf_object_end: .byte 0\n"
	".previous\n");
