package org.nyala.netty;

import java.util.List;

/**
 * How connections are accepted and bounded. Each component is a configuration key.
 *
 * <p>Immutable.
 *
 * @param listeners where to listen; at least one
 * @param transport what the event loops wait with
 * @param eventLoops threads that serve connections; 0 is one fewer than processors, at least 1
 * @param pduLimitAnonymousBytes the longest message of a client that has not bound: strangers get
 *     little memory
 * @param pduLimitBoundBytes the longest message of a client that has bound; large enough for a
 *     photograph
 * @param connections connections at once, in all; 0 is no limit
 * @param connectionsPerAddress connections at once from one address; 0 is no limit
 * @param partialPduTimeoutMillis silence in the middle of a message after which the connection
 *     ends; 0 is for ever
 * @param idleTimeoutMillis silence with nothing in flight after which the connection ends; 0 is for
 *     ever
 * @param writeStallTimeoutMillis time that a client may read nothing of what waits for it; 0 is for
 *     ever
 * @param drainTimeoutMillis time that running operations get when the server is closed
 * @param waterMarks when answers have to wait for the client
 */
public record WireSettings(
    List<Listener> listeners,
    Transport transport,
    int eventLoops,
    int pduLimitAnonymousBytes,
    int pduLimitBoundBytes,
    int connections,
    int connectionsPerAddress,
    long partialPduTimeoutMillis,
    long idleTimeoutMillis,
    long writeStallTimeoutMillis,
    long drainTimeoutMillis,
    WaterMarks waterMarks) {
  /** What event loops wait with. */
  public enum Transport {
    /** Epoll where the machine has it, else NIO. */
    AUTO,
    /** Linux epoll. */
    EPOLL,
    /** Linux io_uring. */
    IO_URING,
    /** What every JDK has. */
    NIO
  }

  /**
   * An address to listen on.
   *
   * @param host a name or an address
   * @param port the port; 0 takes a free one
   */
  public record Listener(String host, int port) {
    /** Rejects ports that do not exist. */
    public Listener {
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("port " + port);
      }
    }
  }

  /**
   * Bytes of answers that wait for one client.
   *
   * @param lowBytes operations go on when fewer wait
   * @param highBytes operations wait when more do
   */
  public record WaterMarks(int lowBytes, int highBytes) {
    /** Rejects marks that are not in order. */
    public WaterMarks {
      if (lowBytes < 0 || highBytes < lowBytes) {
        throw new IllegalArgumentException("water marks " + lowBytes + " and " + highBytes);
      }
    }
  }

  /** The shortest limit that lets every client bind. */
  private static final int PDU_LIMIT_MINIMUM = 1024;

  /** The defaults on one address. */
  public static WireSettings on(String host, int port) {
    return new WireSettings(
        List.of(new Listener(host, port)),
        Transport.AUTO,
        0,
        64 * 1024,
        16 * 1024 * 1024,
        50_000,
        0,
        30_000,
        0,
        60_000,
        10_000,
        new WaterMarks(256 * 1024, 1024 * 1024));
  }

  /** Rejects values without a meaning. */
  public WireSettings {
    listeners = List.copyOf(listeners);
    if (listeners.isEmpty()) {
      throw new IllegalArgumentException("no listener");
    }
    atLeast("eventLoops", eventLoops, 0);
    atLeast("pduLimitAnonymousBytes", pduLimitAnonymousBytes, PDU_LIMIT_MINIMUM);
    atLeast("pduLimitBoundBytes", pduLimitBoundBytes, pduLimitAnonymousBytes);
    atLeast("connections", connections, 0);
    atLeast("connectionsPerAddress", connectionsPerAddress, 0);
    atLeast("partialPduTimeoutMillis", partialPduTimeoutMillis, 0);
    atLeast("idleTimeoutMillis", idleTimeoutMillis, 0);
    atLeast("writeStallTimeoutMillis", writeStallTimeoutMillis, 0);
    atLeast("drainTimeoutMillis", drainTimeoutMillis, 0);
  }

  private static void atLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new IllegalArgumentException(name + " is " + value + ", at least " + minimum);
    }
  }
}
