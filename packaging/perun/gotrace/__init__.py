# SPDX-License-Identifier: BSD-2-Clause
"""The collector gotrace records every call of the selected functions of a Go program by gotrace,
and makes one resource of each call path. Its amount is the self time of the path.

The program is neither rebuilt nor changed. Recording needs privileges: unless run as root, the
collector calls `sudo`, or what the environment names in GOTRACE_SUDO. GOTRACE names another
program than gotrace.
"""

COLLECTOR_TYPE = "time"
COLLECTOR_DEFAULT_UNITS = {"time": "ns"}
