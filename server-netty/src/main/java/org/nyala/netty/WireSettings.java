package org.nyala.netty;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;
import org.nyala.core.limits.ServerLimits;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.accept.TrustedProxies;
import org.nyala.netty.codec.RequestDecoder;
import org.nyala.netty.tls.TlsSettings;

/**
 * The settings for accepting and bounding connections. Each component is a configuration key.
 *
 * <p>Immutable.
 *
 * @param listeners the addresses to listen on; at least one
 * @param transport the mechanism that the event loops wait with
 * @param loops the event loops
 * @param pduLimits the longest messages
 * @param connections the most connections at once
 * @param timeouts the times for which clients may keep a connection waiting
 * @param waterMarks the amounts of output at which answers wait for the client
 * @param table the kind of connection table
 * @param rates the minimum rates at which clients send and read
 * @param codec the decoder of requests
 * @param tls the encryption of listeners that have it
 */
public record WireSettings(
    List<Listener> listeners,
    @Key Transport transport,
    @Key(name = "dispatch") Loops loops,
    @Key(name = "limits") PduLimits pduLimits,
    @Key(name = "limits") Connections connections,
    @Key(name = "limits") Timeouts timeouts,
    @Key(name = "limits") WaterMarks waterMarks,
    Table table,
    @Key(name = "limits") Rates rates,
    @Key Codec codec,
    TlsSettings tls) {
  /**
   * Connections stay on their loop. With one loop for each processor, the loop that has to share
   * its processor gets half of what the others get, and its connections wait twice as long; with
   * two, two thirds.
   */
  private static final int LOOPS_PER_PROCESSOR = 2;

  /** The mechanisms that event loops wait with. */
  public enum Transport {
    /** Epoll if the machine has it, otherwise NIO. */
    AUTO,
    /** Linux epoll. */
    EPOLL,
    /** Linux io_uring. */
    IO_URING,
    /** The transport that every JDK has. */
    NIO
  }

  /** The decoders of requests; they mean the same by the same bytes. */
  public enum Codec {
    /** Nyala's own, straight from the bytes. */
    DIRECT,
    /** The Apache Directory LDAP codec; what it cannot read is read directly. */
    APACHE;

    /** Returns a decoder of messages of at most {@code maximumPduBytes}. */
    RequestDecoder decoder(ServerLimits limits, int maximumPduBytes) {
      return this == DIRECT
          ? RequestDecoder.direct(limits)
          : RequestDecoder.apache(limits, maximumPduBytes);
    }
  }

  /**
   * An address to listen on.
   *
   * @param host a name or an address
   * @param port the port; 0 takes a free one
   * @param isTls true if connections are encrypted from their beginning
   * @param local the socket in the file system that it is instead; null for one of the network
   * @param proxies those who alone may connect, and say for whom; null if clients connect
   */
  public record Listener(
      String host,
      int port,
      boolean isTls,
      @Nullable LocalSocket local,
      @Nullable TrustedProxies proxies) {
    /** A socket of the network. */
    public Listener(String host, int port, boolean isTls) {
      this(host, port, isTls, null, null);
    }

    /** A socket in the file system. */
    public Listener(LocalSocket local) {
      this("", 0, false, local, null);
    }

    /** Returns the same address for proxies alone. */
    public Listener behind(TrustedProxies trusted) {
      return new Listener(host, port, isTls, local, trusted);
    }

    /** An address whose connections are not encrypted. */
    public Listener(String host, int port) {
      this(host, port, false);
    }

    /** Rejects ports that do not exist. */
    public Listener {
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("port " + port);
      }
    }
  }

  /**
   * The event loops.
   *
   * @param threads threads that serve connections; 0 is two for each processor
   * @param connectionsPerLoop the number of connections for each of which another event loop comes
   *     into use, at least 1
   */
  public record Loops(
      @Key(name = "eventLoops", zero = "auto", from = 1, to = 1024, lasting = true) int threads,
      @Key(name = "connectionsPerEventLoop", usual = 32, from = 1, lasting = true)
          int connectionsPerLoop) {}

  /**
   * The longest messages, in bytes.
   *
   * @param anonymousBytes of a client that has not bound: unknown clients get little memory. The
   *     least limit allows every client to bind
   * @param boundBytes of a client that has bound; large enough for a photograph
   */
  public record PduLimits(
      @Key(name = "pduLimitAnonymousBytes", usual = 64 << 10, from = 1024, lasting = true)
          int anonymousBytes,
      @Key(
              name = "pduLimitBoundBytes",
              usual = 16 << 20,
              notBelow = "anonymousBytes",
              lasting = true)
          int boundBytes) {}

  /**
   * The most connections at once; 0 is no limit.
   *
   * @param all connections in all
   * @param perAddress connections from one IPv4 address or IPv6 network (64 bits)
   */
  public record Connections(
      @Key(name = "connections", usual = 50_000) int all,
      @Key(name = "connectionsPerAddress") int perAddress) {}

  /**
   * The times for which clients may keep a connection waiting, in milliseconds; 0 is for ever.
   *
   * @param partialPduMillis silence in the middle of a message after which the connection ends
   * @param idleMillis silence with nothing in flight after which the connection ends
   * @param writeStallMillis time for which a client may leave waiting answers unread
   * @param drainMillis time for running operations to end when the server is closed; 0 is none
   */
  public record Timeouts(
      @Key(name = "partialPduTimeoutSeconds", usual = 30, to = 86_400, unit = 1000)
          long partialPduMillis,
      @Key(name = "idleTimeoutSeconds", to = 86_400, unit = 1000) long idleMillis,
      @Key(name = "writeStallTimeoutSeconds", usual = 60, to = 86_400, unit = 1000)
          long writeStallMillis,
      @Key(name = "drainTimeoutSeconds", usual = 10, to = 86_400, unit = 1000) long drainMillis) {}

  /**
   * Bytes of answers that wait for one client.
   *
   * @param lowBytes operations continue when fewer wait
   * @param highBytes operations wait when more do
   */
  public record WaterMarks(
      @Key(name = "writeBufferLowBytes", usual = 256 << 10, lasting = true) int lowBytes,
      @Key(name = "writeBufferHighBytes", usual = 1 << 20, notBelow = "lowBytes", lasting = true)
          int highBytes) {}

  /**
   * The minimum rates at which a client sends a message that it has begun, and reads waiting
   * answers, over the time of the timeout of either; 0 is no minimum.
   *
   * @param receiveBytesPerSecond bytes of a message
   * @param sendBytesPerSecond bytes of answers
   */
  public record Rates(
      @Key(name = "partialPduBytesPerSecond", usual = 4096) int receiveBytesPerSecond,
      @Key(name = "writeStallBytesPerSecond", usual = 1024) int sendBytesPerSecond) {
    /** Lower than the rate of any network that people wait for. */
    public static final Rates DEFAULT = Keys.defaults(Rates.class);
  }

  /**
   * The kind of connection table.
   *
   * @param locks 0 is a table for each event loop, without a lock; 1 is one table under one lock;
   *     more is one table in this many parts with a lock each
   */
  public record Table(int locks) {
    /** A table for each event loop. */
    public static final Table PER_LOOP = new Table(0);

    /** One table under one lock. */
    public static final Table GLOBAL_LOCK = new Table(1);

    /** The most locks: more than processors compete for have no effect. */
    public static final int LOCKS_MAXIMUM = 1024;

    private static final Pattern SHARDED = Pattern.compile("sharded\\(([1-9][0-9]{0,3})\\)");

    /** Rejects impossible numbers of locks. */
    public Table {
      if (locks < 0 || locks > LOCKS_MAXIMUM) {
        throw new IllegalArgumentException(locks + " locks");
      }
    }

    /**
     * Reads a table as {@link #label} writes it.
     *
     * @throws IllegalArgumentException if it is none; the message describes the expected form
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

    /** Returns {@code per-loop}, {@code global-lock}, or {@code sharded(n)}. */
    public String label() {
      return switch (locks) {
        case 0 -> "per-loop";
        case 1 -> "global-lock";
        default -> "sharded(" + locks + ")";
      };
    }
  }

  /** Returns the defaults on one address. */
  public static WireSettings on(String host, int port) {
    return read(
        new Keys.Source() {}, List.of(new Listener(host, port)), Table.PER_LOOP, TlsSettings.NONE);
  }

  /** Reads the settings from the whole of the configuration. */
  public static WireSettings read(
      Keys.Source root, List<Listener> listeners, Table table, TlsSettings tls) {
    return Keys.read(
        WireSettings.class, root, Map.of("listeners", listeners, "table", table, "tls", tls));
  }

  /** Returns a copy with other values of some components. */
  public WireSettings with(Consumer<Draft> change) {
    return Keys.with(this, new Draft(), change);
  }

  /**
   * The values of a copy that is being made.
   *
   * <p>Confined to the maker of the copy.
   */
  @SuppressWarnings("NullAway.Init")
  public static final class Draft {
    public List<Listener> listeners;
    public Transport transport;
    public Loops loops;
    public PduLimits pduLimits;
    public Connections connections;
    public Timeouts timeouts;
    public WaterMarks waterMarks;
    public Table table;
    public Rates rates;
    public Codec codec;
    public TlsSettings tls;

    private Draft() {}
  }

  /** Rejects an empty list of listeners. */
  public WireSettings {
    listeners = List.copyOf(listeners);
    if (listeners.isEmpty()) {
      throw new IllegalArgumentException("no listener");
    }
    if (tls.certificates().isEmpty() && listeners.stream().anyMatch(Listener::isTls)) {
      throw new IllegalArgumentException("a listener with TLS, and no certificate");
    }
  }

  /** Returns the number of event loops that this setting gives on this machine. */
  public int eventLoopThreads() {
    return loops.threads() > 0
        ? loops.threads()
        : LOOPS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
  }
}
