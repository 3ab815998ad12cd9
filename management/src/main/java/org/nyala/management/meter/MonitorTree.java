package org.nyala.management.meter;

import static org.nyala.management.meter.MonitorEntries.CHANGED;
import static org.nyala.management.meter.MonitorEntries.CONTAINER;
import static org.nyala.management.meter.MonitorEntries.CREATED;
import static org.nyala.management.meter.MonitorEntries.DESCRIPTION;
import static org.nyala.management.meter.MonitorEntries.MONITORED;
import static org.nyala.management.meter.MonitorEntries.MONITORED_INFO;
import static org.nyala.management.meter.MonitorEntries.container;
import static org.nyala.management.meter.MonitorEntries.counter;
import static org.nyala.management.meter.MonitorEntries.info;
import static org.nyala.management.meter.MonitorEntries.leaf;
import static org.nyala.management.meter.MonitorEntries.node;
import static org.nyala.management.meter.MonitorEntries.stamped;

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
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.admin.StoreSpace;
import org.nyala.management.ServedFeatures;
import org.nyala.management.ServerComponents;
import org.nyala.netty.ConnectionStatus;
import org.nyala.netty.accept.LocalSocket;

/**
 * {@code cn=Monitor} in the shape that slapd gives it, so that what reads slapd's reads this as
 * well.
 *
 * <p>Thread-safe. Has only its top until it is given something to show.
 */
public final class MonitorTree implements VirtualTree {
  /** The name of the entry at the top. */
  public static final String TOP = "cn=Monitor";

  /** The word before the address of a local socket, as slapd has it. */
  private static final String PATH = "PATH=";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final InstantSource clock;
  private final Instant start;
  private final String version;
  private volatile @Nullable ServerComponents parts;

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
  public void serve(ServerComponents server) {
    parts = server;
  }

  @Override
  public Node top() {
    ServerComponents server = parts;
    return stamped(
        node(
            TOP,
            "monitorServer",
            Map.of(MONITORED_INFO, List.of(version), DESCRIPTION, List.of("The server.")),
            () -> server == null ? List.of() : children(server)),
        TIME.format(start));
  }

  private List<Node> children(ServerComponents server) {
    return List.of(
        backends(),
        container(
            MeterCatalogue.CONNECTIONS, "Clients that are connected.", () -> connections(server)),
        databases(server),
        container("Listeners", "Where clients connect to.", () -> listeners(server)),
        log(),
        operations(server.directory().metrics().operations()),
        overlays(server),
        node(
            "cn=SASL",
            CONTAINER,
            Map.of(
                DESCRIPTION,
                List.of("The mechanisms by which clients may bind, as far as a connection allows."),
                MONITORED_INFO,
                server.features().get().mechanisms()),
            List::of),
        container(
            MeterCatalogue.STATISTICS,
            "What was sent since the start.",
            () -> counters(server, MeterCatalogue.all(), MeterCatalogue.STATISTICS)),
        container("Threads", "Event loops and workers.", () -> threads(server)),
        container(
            "TLS",
            "The certificates of encrypted connections.",
            () -> certificates(server.features().get())),
        container("Time", "When it began, and now.", this::time),
        container("Waiters", "Connections that wait for clients.", () -> waiters(server)));
  }

  private static Node overlays(ServerComponents server) {
    ServedFeatures features = server.features().get();
    List<Node> nodes = new ArrayList<>();
    for (ServedFeatures.Overlay overlay : features.overlays()) {
      Map<String, List<String>> all = new LinkedHashMap<>(info(overlay.name()));
      all.put(DESCRIPTION, List.of(overlay.description()));
      all.put("monitorRuntimeConfig", List.of("FALSE"));
      all.put("seeAlso", List.of("cn=Database 1,cn=Databases," + TOP));
      nodes.add(
          node(
              "cn=Overlay " + nodes.size(),
              MONITORED,
              all,
              () -> counters(server, MeterCatalogue.extensions(server), overlay.name())));
    }
    return node(
        "cn=Overlays",
        CONTAINER,
        Map.of(
            DESCRIPTION,
            List.of("The overlays of slapd whose work the server does."),
            MONITORED_INFO,
            features.overlayNames()),
        () -> nodes);
  }

  private static List<Node> certificates(ServedFeatures features) {
    List<Node> nodes = new ArrayList<>();
    for (String file : features.certificates()) {
      nodes.add(info("Certificate " + nodes.size(), file, "The file of a certificate."));
    }
    Instant end = features.certificatesEnd();
    if (end != null) {
      nodes.add(
          leaf(
              "First End",
              MONITORED,
              "The time at which the first certificate ends.",
              Map.of("monitorTimestamp", List.of(TIME.format(end)))));
    }
    return nodes;
  }

  private static Node backends() {
    return node(
        "cn=Backends",
        CONTAINER,
        Map.of(DESCRIPTION, List.of("Kinds of stores."), MONITORED_INFO, List.of("mdb", "monitor")),
        () ->
            List.of(
                backend(0, "mdb", "What keeps entries on disk.", 1),
                backend(1, "monitor", "What makes entries when they are asked for.", 2)));
  }

  private static Node backend(int number, String kind, String what, int database) {
    Map<String, List<String>> all = new LinkedHashMap<>(info(kind));
    all.put("monitorRuntimeConfig", List.of("FALSE"));
    all.put("supportedControl", List.of(ControlType.MANAGE_DSA_IT.oid()));
    all.put("seeAlso", List.of("cn=Database " + database + ",cn=Databases," + TOP));
    return leaf("Backend " + number, MONITORED, what, all);
  }

  /** The settings of the server's own log. */
  private static Node log() {
    Level level = Logger.getLogger("").getLevel();
    return node(
        "cn=Log",
        CONTAINER,
        Map.of(
            DESCRIPTION, List.of("The log of the server; conf/logging.properties has its levels."),
            MONITORED_INFO, List.of(level == null ? "INFO" : level.getName())),
        List::of);
  }

  private List<Node> connections(ServerComponents server) {
    List<Node> nodes = new ArrayList<>();
    nodes.add(
        counter("Max File Descriptors", descriptors(), "Files and sockets that it may have."));
    nodes.addAll(counters(server, MeterCatalogue.all(), MeterCatalogue.CONNECTIONS));
    long nowNanos = server.directory().nanoTime();
    Instant now = clock.instant();
    for (ConnectionStatus connection : server.wire().connections()) {
      nodes.add(connection(server, connection, now, nowNanos));
    }
    return nodes;
  }

  private static long descriptors() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : 0;
  }

  private static Node connection(
      ServerComponents server, ConnectionStatus connection, Instant now, long nowNanos) {
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
    // All run beside each other, and none outlives its connection.
    all.put("monitorConnectionOpsAsync", List.of("0"));
    all.put("monitorConnectionGet", List.of(Long.toString(connection.session().received())));
    all.put("monitorConnectionRead", List.of(Long.toString(connection.reads())));
    all.put("monitorConnectionWrite", List.of(Long.toString(connection.writes())));
    all.put("monitorConnectionMask", List.of(mask(connection)));
    all.put("monitorConnectionAuthzDN", List.of(connection.session().identity().dn().toString()));
    all.put("monitorConnectionListener", List.of(listener(server, connection.local())));
    all.put("monitorConnectionPeerDomain", List.of("unknown"));
    all.put("monitorConnectionPeerAddress", List.of(connection.peer()));
    all.put("monitorConnectionLocalAddress", List.of(connection.local()));
    List<String> began = List.of(TIME.format(now.minusNanos(nowNanos - connection.openedNanos())));
    all.put("monitorConnectionStartTime", began);
    all.put(CREATED, began);
    List<String> lastActive =
        List.of(TIME.format(now.minusNanos(nowNanos - connection.session().activityNanos())));
    all.put("monitorConnectionActivityTime", lastActive);
    all.put(CHANGED, lastActive);
    return leaf("Connection " + connection.number(), "monitorConnection", "A client.", all);
  }

  /** The URL of the listener that a connection has come to. */
  private static String listener(ServerComponents server, String local) {
    if (local.startsWith(PATH)) {
      return LocalSocket.url(local.substring(PATH.length()));
    }
    String port = local.substring(local.lastIndexOf(':'));
    for (String url : server.listeners()) {
      if (url.endsWith(port)) {
        return url;
      }
    }
    return local;
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

  private static Node databases(ServerComponents server) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put(DESCRIPTION, List.of("The stores, and what is made when it is asked for."));
    all.put("namingContexts", namingContexts(server));
    all.put("readOnly", List.of(readOnly(server)));
    all.put("monitorContext", List.of(TOP));
    return node(
        "cn=Databases", CONTAINER, all, () -> List.of(frontend(), database(server), monitor()));
  }

  private static List<String> namingContexts(ServerComponents server) {
    return server.store().namingContexts().stream().map(Object::toString).toList();
  }

  private static String readOnly(ServerComponents server) {
    return server.readOnly().getAsBoolean() ? "TRUE" : "FALSE";
  }

  private static Node frontend() {
    Map<String, List<String>> all = new LinkedHashMap<>(info("frontend"));
    all.put("monitorIsShadow", List.of("FALSE"));
    // The root DSE, as in slapd.
    all.put("namingContexts", List.of(""));
    all.put("readOnly", List.of("FALSE"));
    return leaf("Frontend", MONITORED, "What all stores share.", all);
  }

  private static Node monitor() {
    Map<String, List<String>> all = new LinkedHashMap<>(info("monitor"));
    all.put("monitorIsShadow", List.of("FALSE"));
    all.put("monitorContext", List.of(TOP));
    all.put("readOnly", List.of("TRUE"));
    all.put("seeAlso", List.of("cn=Backend 1,cn=Backends," + TOP));
    return leaf("Database 2", MONITORED, "These entries.", all);
  }

  private static Node database(ServerComponents server) {
    StoreStatus status = server.store().status();
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("objectClass", List.of(MONITORED, "olmMDBDatabase"));
    all.put(MONITORED_INFO, List.of("mdb"));
    all.put("monitorIsShadow", List.of("FALSE"));
    all.put("monitorOverlay", server.features().get().overlayNames());
    all.put("namingContexts", namingContexts(server));
    all.put("readOnly", List.of(readOnly(server)));
    all.put("seeAlso", List.of("cn=Backend 0,cn=Backends," + TOP));
    all.put("olmDbDirectory", List.of(server.data().toString()));
    all.put(
        "olmMDBPagesMax",
        List.of(Long.toString(status.space().mapBytes() / status.space().pageBytes())));
    all.put(
        "olmMDBPagesUsed",
        List.of(Long.toString(status.space().usedBytes() / status.space().pageBytes())));
    all.put("olmMDBPagesFree", List.of(Long.toString(StoreSpace.of(server.store()).free())));
    all.put("olmMDBReadersMax", List.of(Integer.toString(status.readers().maximumSlots())));
    all.put("olmMDBReadersUsed", List.of(Integer.toString(status.readers().slots())));
    all.put("olmMDBEntries", List.of(Long.toString(status.entries())));
    return leaf("Database 1", MONITORED, "The store.", all);
  }

  private static List<Node> listeners(ServerComponents server) {
    List<Node> nodes = new ArrayList<>();
    for (String url : server.listeners()) {
      String address =
          url.startsWith(LocalSocket.SCHEME)
              ? PATH + LocalSocket.file(url)
              : "IP=" + url.substring(url.indexOf("//") + 2);
      Map<String, List<String>> all = new LinkedHashMap<>();
      all.put("labeledURI", List.of(url));
      all.put("monitorConnectionLocalAddress", List.of(address));
      if (url.startsWith("ldaps:")) {
        all.put(MONITORED_INFO, List.of("TLS"));
      }
      nodes.add(leaf("Listener " + nodes.size(), MONITORED, "An address that it listens on.", all));
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
      nodes.add(operation(type, begun, ended));
      initiated += begun;
      completed += ended;
    }
    Map<String, List<String>> all = new LinkedHashMap<>(counts(initiated, completed));
    all.put(DESCRIPTION, List.of("What clients ask for, since the start."));
    return node("cn=Operations", CONTAINER, all, () -> nodes);
  }

  private static Node operation(OperationType type, long begun, long ended) {
    String what = "Requests of this kind, since the start.";
    return leaf(name(type), "monitorOperation", what, counts(begun, ended));
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

  /** The meters that belong into a container. */
  private static List<Node> counters(
      ServerComponents server, List<Meter> meters, String container) {
    Meter.Reading reading = new Meter.Reading(server, server.store()::status);
    List<Node> nodes = new ArrayList<>();
    for (Meter meter : meters) {
      Meter.Statistic shown = meter.statistic();
      if (shown != null && shown.container().equals(container)) {
        nodes.add(counter(shown.name(), meter.value().applyAsLong(reading), shown.description()));
      }
    }
    return nodes;
  }

  private static List<Node> threads(ServerComponents server) {
    long active = server.directory().metrics().operationsActive();
    long pending = 0;
    for (ConnectionStatus connection : server.wire().connections()) {
      pending += connection.session().pending();
    }
    int threads = server.wire().eventLoops() + server.workers().getAsInt();
    return List.of(
        info("Max", threads, "Event loops, and workers beside them."),
        info("Max Pending", 0, "Nothing bounds all of them together."),
        info("Open", threads, "All are there from the start."),
        info("Starting", 0, "None begins later."),
        info("Active", active, "Operations that have begun and not ended."),
        info("Pending", pending, "Requests that wait for that."),
        info("Backload", active + pending, "Both together."),
        info("State", "running", "Until it stops."),
        leaf("Runqueue", MONITORED, "Not told here: see JMX.", Map.of()),
        leaf("Tasklist", MONITORED, "Not told here: see JMX.", Map.of()));
  }

  private List<Node> time() {
    Instant now = clock.instant();
    return List.of(
        timestamp("Start", start, "When the server was started."),
        timestamp("Current", now, "Now."),
        info("Uptime", now.getEpochSecond() - start.getEpochSecond(), "Seconds between both."));
  }

  private static Node timestamp(String name, Instant time, String what) {
    return leaf(name, MONITORED, what, Map.of("monitorTimestamp", List.of(TIME.format(time))));
  }

  private static List<Node> waiters(ServerComponents server) {
    long reading = 0;
    long writing = 0;
    for (ConnectionStatus connection : server.wire().connections()) {
      reading += connection.isReading() ? 1 : 0;
      writing += connection.isWritable() ? 0 : 1;
    }
    return List.of(
        counter("Read", reading, "Connections whose requests are read."),
        counter("Write", writing, "Connections whose clients do not read what was sent."));
  }
}
