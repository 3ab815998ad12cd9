package org.nyala.loadtest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

/**
 * A slapd with {@code cn=config} and {@code cn=Monitor}, both readable to its root. Confined to one
 * thread.
 */
final class RealSlapd implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/sbin/slapd");
  private static final Path SCHEMAS = Path.of("/etc/ldap/schema");

  private final Process process;
  private final InetSocketAddress address;

  private RealSlapd(Process process, InetSocketAddress address) {
    this.process = process;
    this.address = address;
  }

  /** Returns whether slapd is installed on this machine. */
  static boolean isInstalled() {
    return Files.isExecutable(PROGRAM) && Files.isDirectory(SCHEMAS);
  }

  /**
   * Starts one with no entries.
   *
   * @param database further lines of its database
   */
  static RealSlapd start(Path folder, String database) throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path data = Files.createDirectories(folder.resolve("data"));
    Path configuration =
        Files.writeString(
            folder.resolve("slapd.conf"),
            String.format(
                Locale.ROOT,
                """
                include %1$s/core.schema
                include %1$s/cosine.schema
                include %1$s/inetorgperson.schema
                modulepath /usr/lib/ldap
                moduleload back_mdb
                moduleload back_monitor
                password-hash {SSHA}
                database config
                access to * by dn.exact="%3$s" read
                database mdb
                suffix "dc=example,dc=com"
                rootdn "%3$s"
                rootpw %4$s
                directory %2$s
                %5$s
                database monitor
                access to * by dn.exact="%3$s" read
                """,
                SCHEMAS,
                data,
                Account.ROOT.dn(),
                Account.ROOT.password(),
                database));
    Path log = folder.resolve("slapd.log");
    Process process =
        new ProcessBuilder(
                PROGRAM.toString(),
                "-d",
                "0",
                "-f",
                configuration.toString(),
                "-h",
                "ldap://127.0.0.1:" + port + "/")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    RealSlapd slapd =
        new RealSlapd(process, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!slapd.takesConnections()) {
      assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
      assertThat(System.nanoTime() - limit).isNegative();
      boolean _ = process.waitFor(50, TimeUnit.MILLISECONDS);
    }
    return slapd;
  }

  private boolean takesConnections() {
    try (Socket socket = new Socket()) {
      socket.connect(address);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  InetSocketAddress address() {
    return address;
  }

  /** A test of a server under an identity. */
  static LoadSettings settings(InetSocketAddress server, Account account) {
    return new LoadSettings(
        JobKind.SEARCH,
        server,
        1,
        1,
        TestDuration.of(1, 0),
        People.of(10),
        account,
        0,
        JobOptions.DEFAULT);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.onExit().orTimeout(20, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      process.destroyForcibly();
    }
  }
}
