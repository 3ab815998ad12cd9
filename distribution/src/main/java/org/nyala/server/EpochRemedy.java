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
      return "its data is older than its own changes of that epoch, as after a restore or an"
          + " import. Restore a later backup; or promote a copy that has the changes, and"
          + " have this server copy from it (replication.provider, and a restart). Or run"
          + " nyala promote --force here; later changes are lost then";
    }
    String other = "server " + epochs.heard().serverId();
    if (isCopy) {
      return "copy from " + other + ", or from a copy of it: set replication.provider, and restart";
    }
    return "have this server copy from "
        + other
        + " (replication.provider, and a restart; or nyala sync follow --force if it was promoted"
        + " itself). Or run nyala promote --force here; changes of the other are lost then";
  }
}
