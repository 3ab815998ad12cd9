package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.nyala.cli.ServerProcess;
import org.nyala.management.ConnectionsMXBean;
import org.nyala.management.OperationsMXBean;

/**
 * The server of the tarball on hostile data, as a process of its own.
 *
 * <p>Confined to one thread.
 */
final class AttackedServer implements AutoCloseable {
  static final int DRAIN_SECONDS = 5;
  private static final String WATCHER = "watcher";

  private final ServerProcess process;
  private final int httpPort;
  private final JMXConnector jmx;
  private final OperationsMXBean operations;
  private boolean isClosed;

  private AttackedServer(ServerProcess process, int httpPort) throws IOException {
    this.process = process;
    this.jmx = process.connect(new String[] {WATCHER, WATCHER});
    this.operations =
        JMX.newMXBeanProxy(
            jmx.getMBeanServerConnection(), name(OperationsMXBean.NAME), OperationsMXBean.class);
    this.httpPort = httpPort;
  }

  /**
   * Serves what was imported into a folder.
   *
   * @param javaOptions as {@code NYALA_JAVA_OPTS} has them
   */
  static AttackedServer start(Path home, Path folder, String javaOptions) throws IOException {
    int httpPort = freePort();
    configure(folder, httpPort);
    List<String> command =
        List.of(
            home.resolve("bin/nyala").toString(),
            "serve",
            "--config=" + folder.resolve("test.conf"));
    return new AttackedServer(
        ServerProcess.start(folder, Map.of("NYALA_JAVA_OPTS", javaOptions), command), httpPort);
  }

  static Path configure(Path folder, int httpPort) throws IOException {
    return ServerProcess.configure(
        folder,
        String.format(
            Locale.ROOT,
            """
            access { anonymousRead = true, writers = ["%s"] }
            memberOf { enabled = true, nested = true }
            management {
              http = "127.0.0.1:%d", jmx = "127.0.0.1:0", jmxAdmin { user = %s, password = %s }
            }
            limits { drainTimeoutSeconds = %d, persistentSearchesPerConnection = 40 }
            """,
            Login.of(Attacks.WRITER).dn(),
            httpPort,
            WATCHER,
            WATCHER,
            DRAIN_SECONDS));
  }

  static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
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

  /** Memory that the operating system has given it, in MiB; 0 when it has ended. */
  long residentMebibytes() throws IOException {
    Path status = Path.of("/proc/" + process.pid() + "/status");
    if (!Files.exists(status)) {
      return 0;
    }
    Optional<String> line =
        Files.readAllLines(status).stream().filter(each -> each.startsWith("VmRSS:")).findFirst();
    return line.map(each -> Long.parseLong(each.replaceAll("\\D", "")) >> 10).orElse(0L);
  }

  /** Operations that have begun and not ended. */
  long active() throws IOException, JMException {
    return attribute(OperationsMXBean.NAME, "Active");
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

  /** The slices of operations, by kind, of kinds that have had any. */
  Map<String, OperationsMXBean.Times> slices() {
    return operations.getKinds().stream()
        .filter(kind -> kind.slices().count() > 0)
        .collect(Collectors.toMap(OperationsMXBean.Kind::operation, OperationsMXBean.Kind::slices));
  }

  /** Tells if nothing runs and nothing is held in memory for clients. */
  boolean isAtRest() throws IOException, JMException {
    return active() == 0 && attribute(ConnectionsMXBean.NAME, "HeldBytes") == 0;
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

  /** Stops it as a service manager does; the milliseconds that took. */
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
      // It has ended.
    }
  }

  /** Ends it in whatever state it is. */
  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      process.kill();
      leave();
    }
  }

  /** Fails if the log tells of what no request may bring about. */
  void assertQuietLog() throws IOException {
    assertThat(log()).doesNotContain("OutOfMemory");
    assertThat(log().lines().filter(line -> line.startsWith("\tat ")).limit(40)).isEmpty();
  }
}
