package org.nyala.management;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerMetrics;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.metrics.OperationType;
import org.nyala.core.operation.VirtualTree;
import org.nyala.lmdb.StoreStatus;
import org.nyala.netty.ConnectionStatus;

/**
 * {@code cn=Monitor} in the shape that slapd gives it, so that what reads slapd's reads this as
 * well.
 *
 * <p>Thread-safe. Has only its top until it is given something to show.
 */
public final class MonitorTree implements VirtualTree {
  private static final String TOP = "cn=Monitor";
  private static final String CONTAINER = "monitorContainer";
  private static final String COUNTER = "monitorCounterObject";
  private static final String MONITORED = "monitoredObject";
  private static final String MONITORED_INFO = "monitoredInfo";
  private static final String MONITOR_COUNTER = "monitorCounter";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final InstantSource clock;
  private final Instant start;
  private final String version;
  private volatile @Nullable ServerParts parts;

  /**
   * Makes a tree with nothing to show.
   *
   * @param version of the server
   */
  public MonitorTree(InstantSource clock, String version) {
    this.clock = clock;
    this.start = clock.instant();
    this.version = version;
  }

  /** Shows a server from now on. */
  public void serve(ServerParts server) {
    parts = server;
  }

  @Override
  public Node top() {
    ServerParts server = parts;
    return node(
        TOP,
        "monitorServer",
        Map.of(MONITORED_INFO, List.of(version)),
        () -> server == null ? List.of() : children(server));
  }

  private List<Node> children(ServerParts server) {
    return List.of(
        container("Backends", () -> List.of(leaf("Backend 0", "monitoredObject", info("mdb")))),
        container("Connections", () -> connections(server)),
        container("Databases", () -> databases(server)),
        container("Listeners", () -> listeners(server)),
        operations(server.directory().metrics().operations()),
        container("Statistics", () -> statistics(server.directory().metrics())),
        container("Threads", () -> threads(server)),
        container("Time", this::time),
        container("Waiters", () -> waiters(server)));
  }

  private static Node node(
      String rdn,
      String objectClass,
      Map<String, List<String>> attributes,
      Supplier<List<Node>> children) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("objectClass", List.of(objectClass));
    all.put("structuralObjectClass", List.of(objectClass));
    all.put("cn", List.of(rdn.substring(rdn.indexOf('=') + 1)));
    all.putAll(attributes);
    return new Node(rdn, all, children);
  }

  private static Node container(String name, Supplier<List<Node>> children) {
    return node("cn=" + name, CONTAINER, Map.of(), children);
  }

  private static Node leaf(String name, String objectClass, Map<String, List<String>> attributes) {
    return node("cn=" + name, objectClass, attributes, List::of);
  }

  private static Map<String, List<String>> info(Object value) {
    return Map.of(MONITORED_INFO, List.of(value.toString()));
  }

  private static Node counter(String name, long value) {
    return leaf(name, COUNTER, Map.of(MONITOR_COUNTER, List.of(Long.toString(value))));
  }

  private List<Node> connections(ServerParts server) {
    ServerMetrics metrics = server.directory().metrics();
    List<Node> nodes = new ArrayList<>();
    nodes.add(counter("Max File Descriptors", descriptors()));
    nodes.add(counter("Total", metrics.connectionsOpened().sum()));
    nodes.add(counter("Current", server.wire().connectionCount()));
    long nowNanos = server.directory().nanoTime();
    Instant now = clock.instant();
    for (ConnectionStatus connection : server.wire().connections()) {
      nodes.add(connection(connection, now, nowNanos));
    }
    return nodes;
  }

  private static long descriptors() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : 0;
  }

  private static Node connection(ConnectionStatus connection, Instant now, long nowNanos) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("monitorConnectionNumber", List.of(Integer.toString(connection.number())));
    all.put("monitorConnectionProtocol", List.of("3"));
    all.put(
        "monitorConnectionOpsReceived", List.of(Long.toString(connection.session().received())));
    all.put(
        "monitorConnectionOpsExecuting",
        List.of(Integer.toString(connection.session().executing())));
    all.put(
        "monitorConnectionOpsPending", List.of(Integer.toString(connection.session().pending())));
    all.put(
        "monitorConnectionOpsCompleted", List.of(Long.toString(connection.session().completed())));
    all.put("monitorConnectionMask", List.of(mask(connection)));
    all.put("monitorConnectionAuthzDN", List.of(connection.session().identity().dn().toString()));
    all.put("monitorConnectionListener", List.of(connection.local()));
    all.put("monitorConnectionPeerAddress", List.of(connection.peer()));
    all.put("monitorConnectionLocalAddress", List.of(connection.local()));
    all.put(
        "monitorConnectionStartTime",
        List.of(TIME.format(now.minusNanos(nowNanos - connection.openedNanos()))));
    all.put(
        "monitorConnectionActivityTime",
        List.of(TIME.format(now.minusNanos(nowNanos - connection.session().activityNanos()))));
    return leaf("Connection " + connection.number(), "monitorConnection", all);
  }

  /** As slapd shows it: read, write, executing, pending, or nothing. */
  private static String mask(ConnectionStatus connection) {
    String mask =
        (connection.isReading() ? "r" : "")
            + (connection.isWritable() ? "" : "w")
            + (connection.session().executing() > 0 ? "x" : "")
            + (connection.session().pending() > 0 ? "p" : "");
    return mask.isEmpty() ? "-" : mask;
  }

  private static List<Node> databases(ServerParts server) {
    List<Node> nodes = new ArrayList<>();
    nodes.add(leaf("Frontend", MONITORED, Map.of("readOnly", List.of("FALSE"))));
    StoreStatus status = server.store().status();
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("objectClass", List.of(MONITORED, "olmMDBDatabase"));
    all.put(MONITORED_INFO, List.of("mdb"));
    all.put(
        "namingContexts", server.store().namingContexts().stream().map(Object::toString).toList());
    all.put("readOnly", List.of(server.readOnly() ? "TRUE" : "FALSE"));
    all.put("olmDbDirectory", List.of(server.data().toString()));
    all.put("olmMDBPagesMax", List.of(Long.toString(status.mapBytes() / status.pageBytes())));
    all.put("olmMDBPagesUsed", List.of(Long.toString(status.usedBytes() / status.pageBytes())));
    all.put("olmMDBReadersMax", List.of(Integer.toString(status.maximumReaders())));
    all.put("olmMDBReadersUsed", List.of(Integer.toString(status.readers())));
    all.put("olmMDBEntries", List.of(Long.toString(status.entries())));
    nodes.add(leaf("Database 1", MONITORED, all));
    return nodes;
  }

  private static List<Node> listeners(ServerParts server) {
    List<Node> nodes = new ArrayList<>();
    for (String url : server.listeners()) {
      String address = "IP=" + url.substring(url.indexOf("//") + 2);
      nodes.add(
          leaf(
              "Listener " + nodes.size(),
              MONITORED,
              Map.of(
                  "labeledURI", List.of(url), "monitorConnectionLocalAddress", List.of(address))));
    }
    return nodes;
  }

  private static Node operations(OperationMetrics operations) {
    long initiated = 0;
    long completed = 0;
    List<Node> nodes = new ArrayList<>();
    for (OperationType type : OperationType.values()) {
      // Ended before begun: what has ended meanwhile must not seem never to have begun.
      long ended = operations.completedCount(type);
      long begun = operations.startedCount(type);
      nodes.add(leaf(name(type), "monitorOperation", counts(begun, ended)));
      initiated += begun;
      completed += ended;
    }
    return node("cn=Operations", CONTAINER, counts(initiated, completed), () -> nodes);
  }

  private static Map<String, List<String>> counts(long initiated, long completed) {
    return Map.of(
        "monitorOpInitiated",
        List.of(Long.toString(initiated)),
        "monitorOpCompleted",
        List.of(Long.toString(completed)));
  }

  private static String name(OperationType type) {
    return switch (type) {
      case BIND -> "Bind";
      case UNBIND -> "Unbind";
      case SEARCH -> "Search";
      case COMPARE -> "Compare";
      case MODIFY -> "Modify";
      case MODIFY_DN -> "Modrdn";
      case ADD -> "Add";
      case DELETE -> "Delete";
      case ABANDON -> "Abandon";
      case EXTENDED -> "Extended";
    };
  }

  private static List<Node> statistics(ServerMetrics metrics) {
    return List.of(
        counter("Bytes", metrics.bytesSent().sum()),
        counter("PDU", metrics.responsesSent().sum()),
        counter("Entries", metrics.entriesSent().sum()),
        counter("Referrals", metrics.referralsSent().sum()));
  }

  private static List<Node> threads(ServerParts server) {
    ServerMetrics metrics = server.directory().metrics();
    long active =
        Math.max(0, metrics.operationsStarted().sum() - metrics.operationsCompleted().sum());
    long pending = 0;
    for (ConnectionStatus connection : server.wire().connections()) {
      pending += connection.session().pending();
    }
    int threads = server.wire().eventLoops() + server.workers().getAsInt();
    return List.of(
        leaf("Max", MONITORED, info(threads)),
        leaf("Max Pending", MONITORED, info(0)),
        leaf("Open", MONITORED, info(threads)),
        leaf("Starting", MONITORED, info(0)),
        leaf("Active", MONITORED, info(active)),
        leaf("Pending", MONITORED, info(pending)),
        leaf("Backload", MONITORED, info(active + pending)),
        leaf("State", MONITORED, info("running")));
  }

  private List<Node> time() {
    Instant now = clock.instant();
    return List.of(
        leaf("Start", MONITORED, Map.of("monitorTimestamp", List.of(TIME.format(start)))),
        leaf("Current", MONITORED, Map.of("monitorTimestamp", List.of(TIME.format(now)))),
        leaf("Uptime", MONITORED, info(now.getEpochSecond() - start.getEpochSecond())));
  }

  private static List<Node> waiters(ServerParts server) {
    long reading = 0;
    long writing = 0;
    for (ConnectionStatus connection : server.wire().connections()) {
      reading += connection.isReading() ? 1 : 0;
      writing += connection.isWritable() ? 0 : 1;
    }
    return List.of(counter("Read", reading), counter("Write", writing));
  }
}
