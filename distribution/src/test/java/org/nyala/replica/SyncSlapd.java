package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nyala.process.FreePorts;
import org.nyala.process.Processes;

/** Debian's slapd, as a provider or a consumer, whose port stays the same when it starts again. */
final class SyncSlapd implements AutoCloseable {
  static final String SUFFIX = "dc=example,dc=com";
  static final String ADMIN = "cn=admin," + SUFFIX;
  static final String PASSWORD = "capstan";
  private static final int ATTEMPTS = 2400;
  private static final int PAUSE_MILLIS = 25;
  private static final String CONFIGURATION =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/inetorgperson.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      moduleload syncprov
      sizelimit unlimited
      FRONTEND
      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      rootpw capstan
      directory DATA
      maxsize 1073741824
      index objectClass,entryUUID,entryCSN eq
      DATABASE
      """;

  private final Path folder;
  private final int port;
  private Process process;

  private SyncSlapd(Path folder, String frontend, String database) throws Exception {
    this(folder, FreePorts.take(), frontend, database);
  }

  private SyncSlapd(Path folder, int port, String frontend, String database) throws Exception {
    this.folder = folder;
    this.port = port;
    Files.createDirectories(folder.resolve("data"));
    Files.writeString(
        folder.resolve("slapd.conf"),
        CONFIGURATION
            .replace("FRONTEND", frontend)
            .replace("DATABASE", database)
            .replace("DATA", folder.resolve("data").toString()));
    start();
  }

  /** Starts a provider. */
  static SyncSlapd provider(Path folder) throws Exception {
    return new SyncSlapd(
        folder,
        "serverID 1",
        "overlay syncprov\nsyncprov-checkpoint 100 10\nsyncprov-sessionlog 100");
  }

  /**
   * Starts a provider as slapd is by default: it knows no deletions, and names all its entries to a
   * consumer that was away.
   */
  static SyncSlapd withoutSessionLog(Path folder) throws Exception {
    return new SyncSlapd(folder, "serverID 1", "overlay syncprov\nsyncprov-checkpoint 100 10");
  }

  /** Starts a provider whose configuration can be changed over LDAP, until it stops. */
  static SyncSlapd changeable(Path folder) throws Exception {
    return new SyncSlapd(
        folder, "database config\nrootpw config", "overlay syncprov\nsyncprov-checkpoint 100 10");
  }

  /** Starts one of two that take changes and follow each other, at a port. */
  static SyncSlapd mirror(Path folder, int serverId, int port, int other) throws Exception {
    return new SyncSlapd(
        folder,
        port,
        "serverID " + serverId,
        """
        overlay syncprov
        syncprov-checkpoint 100 10
        syncprov-sessionlog 1000
        syncrepl rid=004 provider=ldap://127.0.0.1:PORT type=refreshAndPersist
          searchbase="dc=example,dc=com" bindmethod=simple binddn="cn=admin,dc=example,dc=com"
          credentials=capstan retry="1 +"
        mirrormode on
        """
            .replace("PORT", Integer.toString(other)));
  }

  /** Starts one that offers the mechanisms of SASL; users are entries below the suffix. */
  static SyncSlapd withSasl(Path folder) throws Exception {
    return new SyncSlapd(
        folder,
        """
        sasl-host localhost
        sasl-secprops none
        password-hash {CLEARTEXT}
        authz-regexp "^uid=([^,]+),.*cn=auth$" "uid=$1,dc=example,dc=com"
        """,
        "");
  }

  /** Starts a consumer of a slapd, which refers changes to it. */
  static SyncSlapd copyOf(Path folder, String provider) throws Exception {
    return new SyncSlapd(
        folder,
        "",
        """
        syncrepl rid=003 provider=URL type=refreshAndPersist searchbase="dc=example,dc=com"
          bindmethod=simple binddn="cn=admin,dc=example,dc=com" credentials=capstan retry="1 +"
        updateref URL
        """
            .replace("URL", provider));
  }

  /** Starts a consumer of a Nyala. */
  static SyncSlapd consumer(Path folder, int provider) throws Exception {
    return new SyncSlapd(
        folder,
        "",
        "syncrepl rid=002 provider=ldap://127.0.0.1:"
            + provider
            + " type=refreshAndPersist searchbase=\"dc=example,dc=com\" bindmethod=simple"
            + " binddn=\"cn=admin\" credentials=admin retry=\"1 +\"");
  }

  /** Starts it again with its data. */
  void start() throws Exception {
    List<String> command =
        List.of(
            "/usr/sbin/slapd",
            "-d",
            "0",
            "-f",
            folder.resolve("slapd.conf").toString(),
            "-h",
            url());
    Path log = folder.resolve("slapd.log");
    process = Processes.start(folder, Map.of(), command, log, log);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        assertThat(process.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS))
            .as("slapd ended: %s", Files.readString(log))
            .isFalse();
      }
    }
    throw new AssertionError("slapd does not listen: " + Files.readString(log));
  }

  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Deletes its data, while it is stopped. */
  void empty() throws IOException {
    try (var files = Files.list(folder.resolve("data"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  long pid() {
    return process.pid();
  }

  String url() {
    return "ldap://127.0.0.1:" + port;
  }

  /** Adds the entry at the top. */
  void addTop() throws LDAPException {
    try (LDAPConnection client = client()) {
      client.add(
          SUFFIX,
          new Attribute("objectClass", "organization", "dcObject"),
          new Attribute("o", "x"),
          new Attribute("dc", "example"));
    }
  }

  LDAPConnection client() throws LDAPException {
    return new LDAPConnection("127.0.0.1", port, ADMIN, PASSWORD);
  }

  /**
   * Makes one whose configuration can be changed a consumer of a Nyala, which refers changes to it.
   */
  void follow(int provider) throws LDAPException {
    String url = "ldap://127.0.0.1:" + provider;
    configure(
        new Modification(
            ModificationType.ADD,
            "olcSyncrepl",
            "rid=001 provider="
                + url
                + " type=refreshAndPersist searchbase=\"dc=example,dc=com\" bindmethod=simple"
                + " binddn=\"cn=admin\" credentials=admin retry=\"1 +\""),
        new Modification(ModificationType.ADD, "olcUpdateRef", url));
  }

  /** Makes it accept changes again. */
  void lead() throws LDAPException {
    configure(
        new Modification(ModificationType.DELETE, "olcUpdateRef"),
        new Modification(ModificationType.DELETE, "olcSyncrepl"));
  }

  private void configure(Modification... changes) throws LDAPException {
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", port, "cn=config", "config")) {
      client.modify("olcDatabase={1}mdb,cn=config", changes);
    }
  }

  ProviderAccess access() {
    return SyncedServers.access(url(), ADMIN, PASSWORD);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
