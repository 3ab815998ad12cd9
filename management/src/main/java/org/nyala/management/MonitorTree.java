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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.session.SessionStatus;
import org.nyala.core.traffic.SearchShapes;
import org.nyala.core.traffic.ShapeFigures;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.admin.StoreSpace;
import org.nyala.netty.ConnectionStatus;
import org.nyala.netty.accept.LocalSocket;

/**
 * {@code cn=Monitor} in the shape that slapd gives it, so that what reads slapd's reads this as
 * well.
 *
 * <p>Thread-safe. Has only its top until it is given something to show.
 */
public final class MonitorTree implements VirtualTree, Extension {
  /** The name of the extension that shows it. */
  public static final String NAME = "monitor";

  /** The name of the entry at the top. */
  public static final String TOP = "cn=Monitor";

  private static final String MONITORED = "monitoredObject";
  private static final String MONITORED_INFO = "monitoredInfo";
  private static final String CREATED = "createTimestamp";
  private static final String CHANGED = "modifyTimestamp";

  /** The word before the address of a local socket, as slapd has it. */
  private static final String PATH = "PATH=";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final String STATE = "The state: ";

  /** The most shapes of searches that are shown. */
  private static final int MOST_SHAPES = 100;

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

  /** An entry in the making. Confined to the thread that makes it. */
  private static final class Entry {
    private final String name;
    private final Map<String, List<String>> attributes = new LinkedHashMap<>();

    private Entry(String name, String objectClass, String description) {
      this.name = name;
      with("objectClass", objectClass).with("structuralObjectClass", objectClass);
      with("cn", name).with("description", description);
    }

    private Entry with(String attribute, Object value) {
      return with(attribute, List.of(value.toString()));
    }

    private Entry with(String attribute, List<String> values) {
      attributes.put(attribute, values);
      return this;
    }

    private Node leaf() {
      return node(List::of);
    }

    private Node node(Supplier<List<Node>> children) {
      return new Node("cn=" + name, attributes, children);
    }
  }

  private static Entry container(String name, String description) {
    return new Entry(name, "monitorContainer", description);
  }

  private static Entry object(String name, String description) {
    return new Entry(name, MONITORED, description);
  }

  private static Node info(String name, Object value, String description) {
    return object(name, description).with(MONITORED_INFO, value).leaf();
  }

  private static Node counter(String name, long value, String description) {
    return new Entry(name, "monitorCounterObject", description)
        .with("monitorCounter", value)
        .leaf();
  }

  private static Node timestamp(String name, Instant time, String description) {
    return object(name, description).with("monitorTimestamp", TIME.format(time)).leaf();
  }

  /**
   * Adds the authors and times that all entries have in slapd, here and below.
   *
   * @param time the time of entries that have none
   */
  private static Node stamped(Node node, String time) {
    Map<String, List<String>> all = new LinkedHashMap<>(node.attributes());
    // Nobody has created them, as slapd says it.
    all.put("creatorsName", List.of(""));
    all.put("modifiersName", List.of(""));
    all.putIfAbsent(CREATED, List.of(time));
    all.putIfAbsent(CHANGED, List.of(time));
    return new Node(
        node.rdn(),
        all,
        () -> node.children().get().stream().map(child -> stamped(child, time)).toList());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<VirtualTree> trees() {
    return List.of(this);
  }

  @Override
  public Hooks hooks(Directory directory) {
    return new Hooks() {
      @Override
      public Map<String, List<String>> rootDse() {
        return Map.of("monitorContext", List.of(TOP));
      }
    };
  }

  @Override
  public Node top() {
    ServerComponents server = parts;
    return stamped(
        new Entry("Monitor", "monitorServer", "The server.")
            .with(MONITORED_INFO, version)
            .node(() -> server == null ? List.of() : children(server)),
        TIME.format(start));
  }

  private List<Node> children(ServerComponents server) {
    Level level = Logger.getLogger("").getLevel();
    return List.of(
        backends(),
        container(MeterCatalogue.CONNECTIONS, "Clients that are connected.")
            .node(() -> connections(server)),
        databases(server),
        container("Listeners", "Where clients connect to.").node(() -> listeners(server)),
        container("Log", "The log of the server; conf/logging.properties has its levels.")
            .with(MONITORED_INFO, level == null ? "INFO" : level.getName())
            .leaf(),
        operations(server.directory().metrics().operations()),
        overlays(server),
        container(
                "SASL", "The mechanisms by which clients may bind, as far as a connection allows.")
            .with(MONITORED_INFO, server.features().get().mechanisms())
            .leaf(),
        container(MeterCatalogue.STATISTICS, "What was sent since the start.")
            .node(() -> counters(server, MeterCatalogue.all(), MeterCatalogue.STATISTICS)),
        container("Shapes", "The searches of clients, without their values.")
            .node(() -> shapes(server)),
        container("Threads", "Event loops and workers.").node(() -> threads(server)),
        container("TLS", "The certificates of encrypted connections.")
            .node(() -> certificates(server.features().get())),
        container("Time", "When it began, and now.").node(this::time),
        container("Waiters", "Connections that wait for clients.").node(() -> waiters(server)));
  }

  private static Node overlays(ServerComponents server) {
    ServedFeatures features = server.features().get();
    List<Node> nodes = new ArrayList<>();
    for (ServedFeatures.Overlay overlay : features.overlays()) {
      nodes.add(
          object("Overlay " + nodes.size(), overlay.description())
              .with(MONITORED_INFO, overlay.name())
              .with("monitorRuntimeConfig", "FALSE")
              .with("seeAlso", "cn=Database 1,cn=Databases," + TOP)
              .node(() -> work(server, overlay)));
    }
    return container("Overlays", "The overlays of slapd whose work the server does.")
        .with(MONITORED_INFO, features.overlayNames())
        .node(() -> nodes);
  }

  /** Returns what an overlay tells of itself in words, and what it counts. */
  private static List<Node> work(ServerComponents server, ServedFeatures.Overlay overlay) {
    List<Node> nodes = new ArrayList<>();
    overlay.state().forEach((name, value) -> nodes.add(info(name, value, STATE + name + '.')));
    nodes.addAll(counters(server, MeterCatalogue.extensions(server), overlay.name()));
    return nodes;
  }

  private static List<Node> certificates(ServedFeatures features) {
    List<Node> nodes = new ArrayList<>();
    for (String file : features.certificates()) {
      nodes.add(info("Certificate " + nodes.size(), file, "The file of a certificate."));
    }
    Instant end = features.certificatesEnd();
    if (end != null) {
      nodes.add(timestamp("First End", end, "The time at which the first certificate ends."));
    }
    return nodes;
  }

  private static Node backends() {
    return container("Backends", "Kinds of stores.")
        .with(MONITORED_INFO, List.of("mdb", "monitor"))
        .node(
            () ->
                List.of(
                    backend(0, "mdb", "What keeps entries on disk.", 1),
                    backend(1, "monitor", "What makes entries when they are asked for.", 2)));
  }

  private static Node backend(int number, String kind, String description, int database) {
    return object("Backend " + number, description)
        .with(MONITORED_INFO, kind)
        .with("monitorRuntimeConfig", "FALSE")
        .with("supportedControl", ControlType.MANAGE_DSA_IT.oid())
        .with("seeAlso", "cn=Database " + database + ",cn=Databases," + TOP)
        .leaf();
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
    SessionStatus session = connection.session();
    String began = TIME.format(now.minusNanos(nowNanos - connection.openedNanos()));
    String lastActive = TIME.format(now.minusNanos(nowNanos - session.activityNanos()));
    return new Entry("Connection " + connection.number(), "monitorConnection", "A client.")
        .with("monitorConnectionNumber", connection.number())
        .with("monitorConnectionProtocol", "3")
        .with("monitorConnectionOpsReceived", session.received())
        .with("monitorConnectionOpsExecuting", session.executing())
        .with("monitorConnectionOpsPending", session.pending())
        .with("monitorConnectionOpsCompleted", session.completed())
        // All run beside each other, and none outlives its connection.
        .with("monitorConnectionOpsAsync", "0")
        .with("monitorConnectionGet", session.received())
        .with("monitorConnectionRead", connection.reads())
        .with("monitorConnectionWrite", connection.writes())
        .with("monitorConnectionMask", mask(connection))
        .with("monitorConnectionAuthzDN", session.identity().dn())
        .with("monitorConnectionListener", listener(server, connection.local()))
        .with("monitorConnectionPeerDomain", "unknown")
        .with("monitorConnectionPeerAddress", connection.peer())
        .with("monitorConnectionLocalAddress", connection.local())
        .with("monitorConnectionStartTime", began)
        .with(CREATED, began)
        .with("monitorConnectionActivityTime", lastActive)
        .with(CHANGED, lastActive)
        .leaf();
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
    List<String> contexts = server.store().namingContexts().stream().map(Object::toString).toList();
    String readOnly = server.readOnly().getAsBoolean() ? "TRUE" : "FALSE";
    return container("Databases", "The stores, and what is made when it is asked for.")
        .with("namingContexts", contexts)
        .with("readOnly", readOnly)
        .with("monitorContext", TOP)
        .node(
            () ->
                List.of(
                    object("Frontend", "What all stores share.")
                        .with(MONITORED_INFO, "frontend")
                        .with("monitorIsShadow", "FALSE")
                        // The root DSE, as in slapd.
                        .with("namingContexts", "")
                        .with("readOnly", "FALSE")
                        .leaf(),
                    database(server)
                        .with("namingContexts", contexts)
                        .with("readOnly", readOnly)
                        .leaf(),
                    object("Database 2", "These entries.")
                        .with(MONITORED_INFO, "monitor")
                        .with("monitorIsShadow", "FALSE")
                        .with("monitorContext", TOP)
                        .with("readOnly", "TRUE")
                        .with("seeAlso", "cn=Backend 1,cn=Backends," + TOP)
                        .leaf()));
  }

  private static Entry database(ServerComponents server) {
    StoreStatus status = server.store().status();
    StoreStatus.Space space = status.space();
    return object("Database 1", "The store.")
        .with("objectClass", List.of(MONITORED, "olmMDBDatabase"))
        .with(MONITORED_INFO, "mdb")
        .with("monitorIsShadow", "FALSE")
        .with("monitorOverlay", server.features().get().overlayNames())
        .with("seeAlso", "cn=Backend 0,cn=Backends," + TOP)
        .with("olmDbDirectory", server.data())
        .with("olmMDBPagesMax", space.mapBytes() / space.pageBytes())
        .with("olmMDBPagesUsed", space.usedBytes() / space.pageBytes())
        .with("olmMDBPagesFree", StoreSpace.of(server.store()).free())
        .with("olmMDBReadersMax", status.readers().maximumSlots())
        .with("olmMDBReadersUsed", status.readers().slots())
        .with("olmMDBEntries", status.entries());
  }

  private static List<Node> listeners(ServerComponents server) {
    List<Node> nodes = new ArrayList<>();
    for (String url : server.listeners()) {
      String address =
          url.startsWith(LocalSocket.SCHEME)
              ? PATH + LocalSocket.file(url)
              : "IP=" + url.substring(url.indexOf("//") + 2);
      Entry entry =
          object("Listener " + nodes.size(), "An address that it listens on.")
              .with("labeledURI", url)
              .with("monitorConnectionLocalAddress", address);
      nodes.add((url.startsWith("ldaps:") ? entry.with(MONITORED_INFO, "TLS") : entry).leaf());
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
      String description = "Requests of this kind, since the start.";
      Entry entry = new Entry(name(type), "monitorOperation", description);
      nodes.add(counts(entry, begun, ended).leaf());
      initiated += begun;
      completed += ended;
    }
    Entry all = container("Operations", "What clients ask for, since the start.");
    return counts(all, initiated, completed).node(() -> nodes);
  }

  private static Entry counts(Entry entry, long initiated, long completed) {
    return entry.with("monitorOpInitiated", initiated).with("monitorOpCompleted", completed);
  }

  private static String name(OperationType type) {
    String label = type.label();
    return type == OperationType.MODIFY_DN
        ? "Modrdn"
        : Character.toUpperCase(label.charAt(0)) + label.substring(1);
  }

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

  /** Returns the shapes of searches that take the most time; their clients are not told here. */
  private static List<Node> shapes(ServerComponents server) {
    SearchShapes.Look look = server.shapes().look();
    List<Node> nodes = new ArrayList<>();
    for (ShapeFigures each : look.shapes()) {
      if (nodes.size() < MOST_SHAPES) {
        nodes.add(
            object("Shape " + each.number(), "Searches that differ in values alone.")
                .with(MONITORED_INFO, each.shape().toString())
                .node(() -> figures(each)));
      }
    }
    nodes.add(
        counter(
            "Dropped",
            look.droppedSearches(),
            "Searches whose shapes have no place, or no longer."));
    return nodes;
  }

  private static List<Node> figures(ShapeFigures figures) {
    return List.of(
        counter("Searches", figures.count(), "Their number."),
        counter(
            "Microseconds", TimeUnit.NANOSECONDS.toMicros(figures.nanos()), "Their time in all."),
        counter("Read", figures.read(), "Entries that were examined."),
        counter("Returned", figures.returned(), "Entries that were sent."),
        counter("Scans", figures.scans(), "Those for which no index has chosen entries."));
  }

  private static List<Node> threads(ServerComponents server) {
    long active = server.directory().metrics().operationsActive();
    long pending =
        server.wire().connections().stream().mapToLong(each -> each.session().pending()).sum();
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
        object("Runqueue", "Not told here: see JMX.").leaf(),
        object("Tasklist", "Not told here: see JMX.").leaf());
  }

  private List<Node> time() {
    Instant now = clock.instant();
    return List.of(
        timestamp("Start", start, "When the server was started."),
        timestamp("Current", now, "Now."),
        info("Uptime", now.getEpochSecond() - start.getEpochSecond(), "Seconds between both."));
  }

  private static List<Node> waiters(ServerComponents server) {
    List<ConnectionStatus> all = server.wire().connections();
    return List.of(
        counter(
            "Read",
            all.stream().filter(ConnectionStatus::isReading).count(),
            "Connections whose requests are read."),
        counter(
            "Write",
            all.stream().filter(each -> !each.isWritable()).count(),
            "Connections whose clients do not read what was sent."));
  }
}
