package org.nyala.sync;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.nyala.core.Patience;
import org.nyala.process.Processes;

/** Debian's slapd with a database that it keeps equal to that of another server. */
final class SlapdConsumer implements AutoCloseable {
  static final String ADMIN = "cn=admin," + RandomTree.TOP;
  static final String PASSWORD = "admin";

  private static final String CONFIGURATION =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/inetorgperson.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      sizelimit unlimited
      access to * by * read
      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      rootpw admin
      directory DATA
      maxsize 104857600
      dbnosync
      syncrepl rid=007 provider=PROVIDER searchbase="dc=example,dc=com" type=TYPE interval=00:00:00:01
        bindmethod=simple binddn="BINDDN" credentials=CREDENTIALS retry="1 +" schemachecking=on
      """;

  private final Path folder;
  private final String url;
  private final int port;
  private Process process;

  /**
   * Prepares a consumer.
   *
   * @param type refreshOnly or refreshAndPersist
   */
  SlapdConsumer(Path folder, String provider, String type, String bindDn, String password)
      throws IOException {
    this.folder = folder;
    Path data = Files.createDirectories(folder.resolve("mdb"));
    Files.writeString(
        folder.resolve("slapd.conf"),
        CONFIGURATION
            .replace("DATA", data.toString())
            .replace("PROVIDER", provider)
            .replace("TYPE", type)
            .replace("BINDDN", bindDn)
            .replace("CREDENTIALS", password));
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    url = "ldap://127.0.0.1:" + port;
  }

  /** Starts it, with the data that it had. */
  void start() throws IOException {
    Path log = folder.resolve("slapd.log");
    process =
        Processes.start(
            folder,
            Map.of(),
            List.of(
                "/usr/sbin/slapd",
                "-d",
                "sync",
                "-f",
                folder.resolve("slapd.conf").toString(),
                "-h",
                url),
            log,
            log);
    Patience.eventually(
        "slapd listens: " + log,
        () -> {
          try (LDAPConnection connection = connect()) {
            return connection.isConnected();
          } catch (LDAPException e) {
            return false;
          }
        });
  }

  LDAPConnection connect() throws LDAPException {
    return new LDAPConnection("127.0.0.1", port, ADMIN, PASSWORD);
  }

  String log() throws IOException {
    return Files.readString(folder.resolve("slapd.log"));
  }

  boolean isRunning() {
    return process != null && process.isAlive();
  }

  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroy();
      process.onExit().join();
    }
  }
}
