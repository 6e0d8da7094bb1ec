# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034 # here and top are for the script that sources this
# Each run.sh in bash sources this first. It sets $here, the folder of that script, and $top, and reads provenance.sh and rounds.sh.
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=provenance.sh
. "$top/experiments/provenance.sh"
# shellcheck source-path=SCRIPTDIR source=rounds.sh
. "$top/experiments/rounds.sh"
