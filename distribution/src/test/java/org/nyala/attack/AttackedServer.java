package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.process.FreePorts;
import org.nyala.process.ServerProcess;
import org.nyala.server.MeteredBeans;

/**
 * The server of the tarball on hostile data, as a separate process.
 *
 * <p>Confined to one thread, except for {@link #executing}.
 */
final class AttackedServer implements AutoCloseable {
  static final int DRAIN_SECONDS = Integer.getInteger("nyala.attack.drain", 2);

  /** The oldest connections, those of clients that were there before the attacks, and more. */
  private static final int FEW_CONNECTIONS = 64;

  private static final String WATCHER = "watcher";

  private static final String COLLECTORS =
      ManagementFactory.GARBAGE_COLLECTOR_MXBEAN_DOMAIN_TYPE + ",*";

  /** The parts of the collectors that do not collect all of the heap. */
  private static final Set<String> YOUNG =
      Set.of("Copy", "PS Scavenge", "G1 Young Generation", "G1 Concurrent GC");

  private final ServerProcess process;
  private final int httpPort;
  private final JMXConnector jmx;
  private final MeteredBeans.Operations operations;
  private final MeteredBeans.Connections connections;
  private boolean isClosed;

  private AttackedServer(ServerProcess process, int httpPort) throws IOException {
    this.process = process;
    this.jmx = process.connect(new String[] {WATCHER, WATCHER});
    this.operations =
        JMX.newMXBeanProxy(
            jmx.getMBeanServerConnection(),
            name(OperationsMXBean.NAME),
            MeteredBeans.Operations.class);
    this.connections =
        JMX.newMXBeanProxy(
            jmx.getMBeanServerConnection(),
            name(ConnectionsMXBean.NAME),
            MeteredBeans.Connections.class);
    this.httpPort = httpPort;
  }

  /**
   * Serves the imported data of a folder.
   *
   * @param javaOptions as in {@code NYALA_JAVA_OPTS}
   */
  static AttackedServer start(Path home, Path folder, String javaOptions) throws IOException {
    return start(home, folder, javaOptions, HostileRules.none());
  }

  /**
   * Serves the imported data of a folder under access rules.
   *
   * @param access the block {@code access} of the configuration
   */
  static AttackedServer start(Path home, Path folder, String javaOptions, String access)
      throws IOException {
    int httpPort = FreePorts.take();
    configure(folder, httpPort, access);
    List<String> command =
        List.of(
            home.resolve("bin/nyala").toString(),
            "serve",
            "--config=" + folder.resolve("test.conf"));
    return new AttackedServer(
        ServerProcess.start(folder, Map.of("NYALA_JAVA_OPTS", javaOptions), command), httpPort);
  }

  /** Limits no guesses, which would spare the server most of the work of wrong passwords. */
  static Path configure(Path folder, int httpPort) throws IOException {
    return configure(folder, httpPort, HostileRules.none());
  }

  /**
   * Writes the configuration with other access rules.
   *
   * @param access the block {@code access}
   */
  static Path configure(Path folder, int httpPort, String access) throws IOException {
    return ServerProcess.configure(
        folder,
        String.format(
            Locale.ROOT,
            """
            access { %s }
            memberOf { enabled = true, nested = true }
            guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
            management {
              http = "127.0.0.1:%d", jmx = "127.0.0.1:0", jmxAdmin { user = %s, password = %s }
            }
            limits.drainTimeoutSeconds = %d
            """,
            access,
            httpPort,
            WATCHER,
            WATCHER,
            DRAIN_SECONDS));
  }

  int port() {
    return process.port();
  }

  int httpPort() {
    return httpPort;
  }

  boolean isAlive() {
    return ProcessHandle.of(process.pid()).filter(ProcessHandle::isAlive).isPresent();
  }

  String log() throws IOException {
    return process.log();
  }

  /** Returns its resident memory in MiB; 0 if it has ended. */
  long residentMebibytes() throws IOException {
    Path status = Path.of("/proc/" + process.pid() + "/status");
    if (!Files.exists(status)) {
      return 0;
    }
    Optional<String> line =
        Files.readAllLines(status).stream().filter(each -> each.startsWith("VmRSS:")).findFirst();
    return line.map(each -> Long.parseLong(each.replaceAll("\\D", "")) >> 10).orElse(0L);
  }

  /** Returns the number of operations that have begun and not ended. */
  long active() throws IOException, JMException {
    return attribute(OperationsMXBean.NAME, "Active");
  }

  /**
   * Returns the operations under way of the connection from an address and a port; -1 if it is not
   * listed. Any thread.
   */
  int executing(String client) {
    for (int most : List.of(FEW_CONNECTIONS, ConnectionsMXBean.MAXIMUM_LISTED)) {
      for (ConnectionsMXBean.Connection each : connections.list(most)) {
        if (each.peer().endsWith(client)) {
          return each.executing();
        }
      }
    }
    return -1;
  }

  /**
   * The longest slices of operations, of those that have ended; not necessarily of the same one.
   *
   * @param processorNanos in processor time, too long by a millisecond at most
   */
  record LongestSlice(long clockNanos, long processorNanos) {}

  /** The longest slices since this was called the last time. */
  LongestSlice takeLongestSlice() {
    long processorMicros = operations.getLongestSliceProcessorMicros();
    return new LongestSlice(
        TimeUnit.MICROSECONDS.toNanos(operations.resetLongestSlice()),
        TimeUnit.MICROSECONDS.toNanos(processorMicros));
  }

  /** Returns the slices of operations, by kind, of kinds that have had any. */
  Map<String, OperationsMXBean.Times> slices() {
    return operations.getKinds().stream()
        .filter(kind -> kind.slices().count() > 0)
        .collect(Collectors.toMap(OperationsMXBean.Kind::operation, OperationsMXBean.Kind::slices));
  }

  /** Returns whether no operation runs and no memory is held for clients. */
  boolean isAtRest() throws IOException, JMException {
    return active() == 0 && heldBytes() == 0;
  }

  /** Returns the bytes held for clients, as its account has them. */
  long heldBytes() throws IOException, JMException {
    return attribute(ConnectionsMXBean.NAME, "HeldBytes");
  }

  /**
   * Live bytes of the heap, and the most that were held for clients while these were counted: large
   * requests come and go within milliseconds.
   */
  record Memory(long live, long held) {}

  /** Collects garbage, and has the server tell the most that was held meanwhile. */
  Memory memory() throws IOException, JMException {
    connections.resetMostHeldBytes();
    long live = liveBytes();
    return new Memory(live, connections.getMostHeldBytes());
  }

  /**
   * Collects garbage, and returns the bytes of the heap that were in use at the end of that beside
   * the server's reserve: what was allocated since is garbage for the most part.
   */
  long liveBytes() throws IOException, JMException {
    long reserve;
    long live;
    do {
      reserve = connections.getReserveBytes();
      live = collected();
      // Filled or freed meanwhile, and nobody knows whether before the collection.
    } while (connections.getReserveBytes() != reserve);
    return live - reserve;
  }

  private long collected() throws IOException, JMException {
    MBeanServerConnection beans = jmx.getMBeanServerConnection();
    JMX.newMXBeanProxy(beans, name(ManagementFactory.MEMORY_MXBEAN_NAME), MemoryMXBean.class).gc();
    GcInfo last = null;
    for (ObjectName each : beans.queryNames(name(COLLECTORS), null)) {
      GcInfo info = JMX.newMXBeanProxy(beans, each, GarbageCollectorMXBean.class).getLastGcInfo();
      if (!YOUNG.contains(each.getKeyProperty("name"))
          && info != null
          && (last == null || info.getEndTime() > last.getEndTime())) {
        last = info;
      }
    }
    return inUse(beans, Objects.requireNonNull(last, "a collection of everything"));
  }

  private static long inUse(MBeanServerConnection beans, GcInfo collection)
      throws IOException, JMException {
    long used = 0;
    for (Map.Entry<String, MemoryUsage> pool : collection.getMemoryUsageAfterGc().entrySet()) {
      ObjectName bean =
          name(ManagementFactory.MEMORY_POOL_MXBEAN_DOMAIN_TYPE + ",name=" + pool.getKey());
      boolean isHeap = beans.getAttribute(bean, "Type").equals(MemoryType.HEAP.name());
      used += isHeap ? pool.getValue().getUsed() : 0;
    }
    return used;
  }

  private long attribute(String bean, String attribute) throws IOException, JMException {
    MBeanServerConnection beans = jmx.getMBeanServerConnection();
    return ((Number) beans.getAttribute(name(bean), attribute)).longValue();
  }

  private static ObjectName name(String bean) {
    try {
      return new ObjectName(bean);
    } catch (MalformedObjectNameException e) {
      throw new AssertionError(e);
    }
  }

  /** Stops it as a service manager does; returns the milliseconds that it took. */
  long stop() {
    long start = System.nanoTime();
    isClosed = true;
    leave();
    process.close();
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  private void leave() {
    try {
      jmx.close();
    } catch (IOException e) {
      // The process has ended.
    }
  }

  /** Ends it in any state. */
  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      process.kill();
      leave();
    }
  }

  /** Fails if the log contains lines that no request may cause. */
  void assertQuietLog() throws IOException {
    assertThat(log()).doesNotContain("OutOfMemory");
    assertThat(log().lines().filter(line -> line.startsWith("\tat ")).limit(40)).isEmpty();
  }
}
