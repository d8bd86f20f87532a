"""Snapshots: folders that hold the values of a session's variables, as OneFlow writes and reads them."""

from .state_dict import TableEntry, read_table, snapshot_of_state_dict, state_dict_of_snapshot

__all__ = ["TableEntry", "read_table", "snapshot_of_state_dict", "state_dict_of_snapshot"]
