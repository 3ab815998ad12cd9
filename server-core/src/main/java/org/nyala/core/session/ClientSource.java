package org.nyala.core.session;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a connection, for the security log: an address, or a process of this machine.
 *
 * <p>Immutable. It holds no part of the connection, so that a queue of it stays small.
 *
 * @param client the address of the client; null if it is not known, or is a local process
 * @param proxy the address of the proxy that has told the client's; null if there is none
 * @param process the process at the other end of a local socket; null if it is none, or not known
 */
public record ClientSource(
    @Nullable InetSocketAddress client,
    @Nullable InetSocketAddress proxy,
    @Nullable LocalProcess process) {
  /** An origin that is not known. */
  public static final ClientSource UNKNOWN = new ClientSource(null, null, null);

  /**
   * A process of this machine (unix(7), {@code SO_PEERCRED}).
   *
   * <p>Immutable.
   *
   * @param uid the number of its user
   * @param gid the number of its group
   * @param pid its own number when it has connected; 0 if it is not known
   */
  public record LocalProcess(int uid, int gid, int pid) {}
}
