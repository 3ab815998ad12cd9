package org.nyala.netty;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How connections are accepted and bounded. Each component is a configuration key.
 *
 * <p>Immutable.
 *
 * @param listeners where to listen; at least one
 * @param transport what the event loops wait with
 * @param eventLoops threads that serve connections; 0 is two for each processor
 * @param connectionsPerEventLoop for how many connections each another event loop comes into use,
 *     at least 1
 * @param pduLimitAnonymousBytes the longest message of a client that has not bound: strangers get
 *     little memory
 * @param pduLimitBoundBytes the longest message of a client that has bound; large enough for a
 *     photograph
 * @param connections connections at once, in all; 0 is no limit
 * @param connectionsPerAddress connections at once from one IPv4 address or IPv6 network (64 bits);
 *     0 is no limit
 * @param partialPduTimeoutMillis silence in the middle of a message after which the connection
 *     ends; 0 is for ever
 * @param idleTimeoutMillis silence with nothing in flight after which the connection ends; 0 is for
 *     ever
 * @param writeStallTimeoutMillis time that a client may read nothing of what waits for it; 0 is for
 *     ever
 * @param drainTimeoutMillis time that running operations get when the server is closed
 * @param waterMarks when answers have to wait for the client
 * @param table how connections are kept
 * @param rates how fast clients send and read at least
 */
public record WireSettings(
    List<Listener> listeners,
    Transport transport,
    int eventLoops,
    int connectionsPerEventLoop,
    int pduLimitAnonymousBytes,
    int pduLimitBoundBytes,
    int connections,
    int connectionsPerAddress,
    long partialPduTimeoutMillis,
    long idleTimeoutMillis,
    long writeStallTimeoutMillis,
    long drainTimeoutMillis,
    WaterMarks waterMarks,
    Table table,
    Rates rates) {
  /**
   * Connections stay with their loop. With one loop for each processor, the loop that has to share
   * its processor gets half of what the others get, and its connections wait twice as long; with
   * two, two thirds.
   */
  private static final int LOOPS_PER_PROCESSOR = 2;

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

  /**
   * How fast a client at least sends a message that it has begun, and reads what waits for it, over
   * the time of the timeout of either; 0 is as slowly as it likes.
   *
   * @param receiveBytesPerSecond bytes of a message
   * @param sendBytesPerSecond bytes of answers
   */
  public record Rates(int receiveBytesPerSecond, int sendBytesPerSecond) {
    /** Slower than any network that people wait for. */
    public static final Rates DEFAULT = new Rates(4096, 1024);

    /** Rejects rates below 0. */
    public Rates {
      atLeast("receiveBytesPerSecond", receiveBytesPerSecond, 0);
      atLeast("sendBytesPerSecond", sendBytesPerSecond, 0);
    }
  }

  /**
   * How connections are kept.
   *
   * @param locks 0 is a table for each event loop, without a lock; 1 is one table under one lock;
   *     more is one table in so many parts with a lock each
   */
  public record Table(int locks) {
    /** A table for each event loop. */
    public static final Table PER_LOOP = new Table(0);

    /** One table under one lock. */
    public static final Table GLOBAL_LOCK = new Table(1);

    /** More locks than there are processors to compete for them help nobody. */
    public static final int LOCKS_MAXIMUM = 1024;

    private static final Pattern SHARDED = Pattern.compile("sharded\\(([1-9][0-9]{0,3})\\)");

    /** Rejects numbers of locks that make no sense. */
    public Table {
      if (locks < 0 || locks > LOCKS_MAXIMUM) {
        throw new IllegalArgumentException(locks + " locks");
      }
    }

    /**
     * Reads a table as {@link #label} writes it.
     *
     * @throws IllegalArgumentException if it is none; the message says what is expected
     */
    public static Table parse(String label) {
      Matcher sharded = SHARDED.matcher(label);
      int locks = sharded.matches() ? Integer.parseInt(sharded.group(1)) : 0;
      if (locks > 0 && locks <= LOCKS_MAXIMUM) {
        return new Table(locks);
      }
      return switch (label) {
        case "per-loop" -> PER_LOOP;
        case "global-lock" -> GLOBAL_LOCK;
        default ->
            throw new IllegalArgumentException(
                "expected per-loop, global-lock or sharded(n), n from 1 to " + LOCKS_MAXIMUM);
      };
    }

    /** {@code per-loop}, {@code global-lock}, or {@code sharded(n)}. */
    public String label() {
      return switch (locks) {
        case 0 -> "per-loop";
        case 1 -> "global-lock";
        default -> "sharded(" + locks + ")";
      };
    }
  }

  /** The shortest limit that lets every client bind. */
  private static final int PDU_LIMIT_MINIMUM = 1024;

  /** Settings with the default rates. */
  public WireSettings(
      List<Listener> listeners,
      Transport transport,
      int eventLoops,
      int connectionsPerEventLoop,
      int pduLimitAnonymousBytes,
      int pduLimitBoundBytes,
      int connections,
      int connectionsPerAddress,
      long partialPduTimeoutMillis,
      long idleTimeoutMillis,
      long writeStallTimeoutMillis,
      long drainTimeoutMillis,
      WaterMarks waterMarks,
      Table table) {
    this(
        listeners,
        transport,
        eventLoops,
        connectionsPerEventLoop,
        pduLimitAnonymousBytes,
        pduLimitBoundBytes,
        connections,
        connectionsPerAddress,
        partialPduTimeoutMillis,
        idleTimeoutMillis,
        writeStallTimeoutMillis,
        drainTimeoutMillis,
        waterMarks,
        table,
        Rates.DEFAULT);
  }

  /** The defaults on one address. */
  public static WireSettings on(String host, int port) {
    return new WireSettings(
        List.of(new Listener(host, port)),
        Transport.AUTO,
        0,
        32,
        64 * 1024,
        16 * 1024 * 1024,
        50_000,
        0,
        30_000,
        0,
        60_000,
        10_000,
        new WaterMarks(256 * 1024, 1024 * 1024),
        Table.PER_LOOP);
  }

  /** The same at other addresses. */
  public WireSettings withListeners(List<Listener> others) {
    return copy(others, table);
  }

  /** The same with connections kept in another way. */
  public WireSettings withTable(Table other) {
    return copy(listeners, other);
  }

  private WireSettings copy(List<Listener> otherListeners, Table otherTable) {
    return new WireSettings(
        otherListeners,
        transport,
        eventLoops,
        connectionsPerEventLoop,
        pduLimitAnonymousBytes,
        pduLimitBoundBytes,
        connections,
        connectionsPerAddress,
        partialPduTimeoutMillis,
        idleTimeoutMillis,
        writeStallTimeoutMillis,
        drainTimeoutMillis,
        waterMarks,
        otherTable,
        rates);
  }

  /** Rejects values without a meaning. */
  public WireSettings {
    listeners = List.copyOf(listeners);
    if (listeners.isEmpty()) {
      throw new IllegalArgumentException("no listener");
    }
    atLeast("eventLoops", eventLoops, 0);
    atLeast("connectionsPerEventLoop", connectionsPerEventLoop, 1);
    atLeast("pduLimitAnonymousBytes", pduLimitAnonymousBytes, PDU_LIMIT_MINIMUM);
    atLeast("pduLimitBoundBytes", pduLimitBoundBytes, pduLimitAnonymousBytes);
    atLeast("connections", connections, 0);
    atLeast("connectionsPerAddress", connectionsPerAddress, 0);
    atLeast("partialPduTimeoutMillis", partialPduTimeoutMillis, 0);
    atLeast("idleTimeoutMillis", idleTimeoutMillis, 0);
    atLeast("writeStallTimeoutMillis", writeStallTimeoutMillis, 0);
    atLeast("drainTimeoutMillis", drainTimeoutMillis, 0);
  }

  /** How many event loops that makes on this machine. */
  public int eventLoopThreads() {
    return eventLoops > 0
        ? eventLoops
        : LOOPS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
  }

  private static void atLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new IllegalArgumentException(name + " is " + value + ", at least " + minimum);
    }
  }
}
