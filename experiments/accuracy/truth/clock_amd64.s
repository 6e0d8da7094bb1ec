#include "textflag.h"

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT, $0-8
	LFENCE
	RDTSC
	LFENCE
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func work(loops int64)
TEXT ·work(SB), NOSPLIT, $0-8
	MOVQ loops+0(FP), CX

again:
	SUBQ $1, CX
	JNZ  again
	RET
