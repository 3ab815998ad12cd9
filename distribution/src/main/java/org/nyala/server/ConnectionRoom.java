package org.nyala.server;

import java.lang.System.Logger.Level;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.netty.WireSettings;

/**
 * Checks at the start whether the file descriptors of the process suffice for connections.
 * Stateless.
 */
final class ConnectionRoom {
  /** Fewer connections than this are no service. */
  private static final int LEAST = 16;

  private static final String REMEDY =
      "raise the limit (LimitNOFILE of the systemd unit, 'ulimit -n' before another start)";

  private ConnectionRoom() {}

  /**
   * Refuses a start with too few, and warns if there are fewer than an administrator has asked for.
   *
   * @param room the number of connections for which they suffice; less than 0 if not even for the
   *     rest
   * @throws CommandException if there are too few
   */
  static void require(long room, NyalaConfig configuration) {
    int most = configuration.wire().connections().all();
    // The shipped file names the default.
    boolean isAskedFor = most != WireSettings.on("localhost", 0).connections().all();
    if (room < Math.min(LEAST, most)) {
      throw CommandException.failed(
          "the process may have too few file descriptors: "
              + (Math.min(LEAST, most) - room)
              + " more are needed for a few connections; "
              + REMEDY);
    }
    if (room < most && isAskedFor) {
      System.getLogger(ConnectionRoom.class.getName())
          .log(
              Level.WARNING,
              "the file descriptors of the process suffice for {0} connections, not for"
                  + " limits.connections = {1}: {2}",
              Long.toString(room),
              Integer.toString(most),
              REMEDY);
    }
  }
}
