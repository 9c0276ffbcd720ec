# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

# load_hbcast: loads $HBCAST_KO and what it depends on, which insmod does not.
load_hbcast()
{
	local -a needs

	IFS=, read -ra needs < <(modinfo -F depends "$HBCAST_KO")
	[ ${#needs[@]} = 0 ] || modprobe -a "${needs[@]}" || return
	insmod "$HBCAST_KO"
}
