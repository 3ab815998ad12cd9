package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.nyala.process.FreePorts;
import org.nyala.process.Processes;
import org.nyala.sync.SyncCopy.Content;
import org.nyala.sync.SyncCopy.Held;

/** Debian's slapd with a database that it keeps equal to that of another server. */
final class SlapdConsumer implements AutoCloseable {
  static final String ADMIN = "cn=admin," + RandomTree.TOP;
  static final String PASSWORD = "admin";

  /** The characters of its log in a report. */
  private static final int SHOWN = 20_000;

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
        bindmethod=simple binddn="BINDDN" credentials=CREDENTIALS retry="1 +" MORE
      """;

  private static final String OF_LOG =
      "schemachecking=off syncdata=accesslog logbase=\"cn=accesslog\""
          + " logfilter=\"(&(objectClass=auditWriteObject)(reqResult=0))\"";

  private final Path folder;
  private final String url;
  private final int port;
  private Process process;
  private String former = "";

  /**
   * Prepares a consumer.
   *
   * @param type refreshOnly or refreshAndPersist
   */
  SlapdConsumer(Path folder, String provider, String type, String bindDn, String password)
      throws IOException {
    this(folder, provider, type, bindDn, password, "schemachecking=on");
  }

  private SlapdConsumer(
      Path folder, String provider, String type, String bindDn, String password, String more)
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
            .replace("CREDENTIALS", password)
            .replace("MORE", more));
    port = FreePorts.take();
    url = "ldap://127.0.0.1:" + port;
  }

  /** Prepares a consumer that follows the log of modifications. */
  static SlapdConsumer ofLog(Path folder, String provider) throws IOException {
    Path of = Files.createDirectory(folder.resolve("slapd"));
    return new SlapdConsumer(of, provider, "refreshAndPersist", "cn=admin", "admin", OF_LOG);
  }

  /** Starts it, with the data that it had. */
  void start() throws IOException {
    former += Files.exists(file()) ? Files.readString(file()) : "";
    Path log = file();
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
    eventually(
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

  private Path file() {
    return folder.resolve("slapd.log");
  }

  /** Returns what it has logged since its first start. */
  String log() throws IOException {
    return former + Files.readString(file());
  }

  private String endOfLog() throws IOException {
    String log = log();
    return log.substring(Math.max(0, log.length() - SHOWN));
  }

  boolean isRunning() {
    return process != null && process.isAlive();
  }

  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** Waits until it has all changes of a server, and compares the entries. */
  void awaitEqual(LDAPConnection root, String what) throws Exception {
    Map<String, Held> wanted = entries(root);
    try (LDAPConnection consumer = connect()) {
      String contextCsn = contextCsn(root);
      try {
        eventually(
            what + " slapd has " + contextCsn, () -> contextCsn.equals(contextCsn(consumer)));
      } catch (AssertionError e) {
        throw new AssertionError(e.getMessage() + ", slapd's log: " + endOfLog(), e);
      }
      Map<String, Held> found = entries(consumer);
      // Only the differences: all the entries would not be read in a report.
      Map<String, Held> same = new TreeMap<>(wanted);
      same.entrySet().retainAll(found.entrySet());
      wanted.entrySet().removeAll(same.entrySet());
      found.entrySet().removeAll(same.entrySet());
      assertThat(found).as("%s, slapd's log: %s", what, endOfLog()).isEqualTo(wanted);
    }
  }

  static String contextCsn(LDAPConnection connection) throws LDAPException {
    SearchResultEntry entry = connection.getEntry(TOP, "contextCSN");
    return entry == null ? "" : String.valueOf(entry.getAttributeValue("contextCSN"));
  }

  private static Map<String, Held> entries(LDAPConnection connection) throws LDAPException {
    SearchRequest request = new Content(TOP, SearchScope.SUB, "(objectClass=*)").request();
    request.setControls(new Control[] {new ManageDsaITRequestControl(true)});
    Map<String, Held> found = new TreeMap<>();
    try {
      for (SearchResultEntry entry : connection.search(request).getSearchEntries()) {
        // Glue stands for an entry that slapd has tried to delete before those below it.
        if (!entry.hasObjectClass("glue")) {
          found.put(entry.getParsedDN().toNormalizedString(), SyncCopy.held(entry));
        }
      }
    } catch (LDAPSearchException e) {
      assertThat(e.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    }
    return found;
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroy();
      process.onExit().join();
    }
  }
}
