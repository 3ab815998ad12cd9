package org.nyala.server;

import org.nyala.core.backend.ContextEpochs;

/** The remedy for administrators when another server was promoted. Stateless. */
final class EpochRemedy {
  private EpochRemedy() {}

  /**
   * Returns it.
   *
   * @param serverId the number of this server
   * @param isCopy true if this server does not change the naming context in any case
   * @return a sentence; empty if no other server was promoted
   */
  static String of(ContextEpochs epochs, int serverId, boolean isCopy) {
    if (!epochs.isSuperseded()) {
      return "";
    }
    if (epochs.heard().serverId() == serverId) {
      return "its data is older than what it has changed in that epoch, as from a backup or an"
          + " import: restore a later backup, or promote a copy that has the changes and have this"
          + " server copy from that (replication.provider, and a restart), or promote this one with"
          + " nyala promote --force: what was changed since is lost then";
    }
    String other = "server " + epochs.heard().serverId();
    if (isCopy) {
      return "copy from " + other + ", or from a copy of it: set replication.provider, and restart";
    }
    return "have this server copy from "
        + other
        + " (replication.provider, and a restart; or nyala sync follow --force if it was promoted"
        + " itself), or promote this one with nyala promote --force: what the other has changed is"
        + " lost then";
  }
}
