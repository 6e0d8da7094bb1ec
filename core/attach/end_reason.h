/* SPDX-License-Identifier: BSD-2-Clause */
/* Why recording ended; the value of the trace's key end.reason. */
#ifndef GOTRACE_END_REASON_H
#define GOTRACE_END_REASON_H

enum end_reason {
	END_EXITED,      /* the target ended */
	END_DURATION,    /* -d */
	END_SIZE,        /* --max-size */
	END_INTERRUPTED, /* Ctrl-C or a signal to gotrace */
	END_WRITE_ERROR, /* disk full and the like */
	END_NOT_STARTED, /* the exec failed */
	END_WHEN,        /* --when */
	END_INTERVAL,    /* samples go on in the next trace */
	END_FAILED,      /* gotrace could not wait any longer */
	END_COST,        /* probing takes more than max_cost, and cannot take less */
};

/* Returns the word that the trace has for it, static. */
const char *end_reason_name(enum end_reason r);

#endif
