package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestCertificates;
import org.nyala.process.LocalServer;

/** Tests {@code cn=Monitor} as tools for OpenLDAP read it. */
class MonitorTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private RunningServer server;
  private final List<LDAPConnection> connections = new ArrayList<>();

  private void start(String strategy) throws Exception {
    server =
        LocalServer.start(folder, "access.anonymousRead = true, dispatch.strategy = " + strategy);
  }

  @AfterEach
  void stop() {
    connections.forEach(LDAPConnection::close);
    server.close();
  }

  private LDAPConnection connect() throws LDAPException {
    LDAPConnection connection = LocalServer.connect(server);
    connections.add(connection);
    return connection;
  }

  private LDAPConnection root() throws LDAPException {
    LDAPConnection connection = connect();
    connection.bind("cn=admin", "admin");
    return connection;
  }

  private static List<String> names(SearchResult result) {
    return result.getSearchEntries().stream().map(SearchResultEntry::getDN).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "striped", "run-to-completion"})
  void shouldAgreeWithWhatWasDone(String strategy) throws Exception {
    start(strategy);
    LDAPConnection root = root();
    root.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
    for (int i = 0; i < 10; i++) {
      root.search(SUFFIX, SearchScope.BASE, "(objectClass=*)");
    }
    LDAPConnection other = connect();
    assertThatThrownBy(() -> other.bind("cn=admin", "wrong")).isInstanceOf(LDAPException.class);
    // For two binds, an addition and ten searches.
    LocalServer.awaitResponses(server, 2 + 1 + 20);
    SearchResult result = root.search("cn=Monitor", SearchScope.SUB, "(objectClass=*)", "+", "*");
    assertCounts(result, "Bind", 2);
    assertCounts(result, "Add", 1);
    assertCounts(result, "Modrdn", 0);
    SearchResultEntry searches = result.getSearchEntry("cn=Search,cn=Operations,cn=Monitor");
    // The asking search itself has begun and not ended.
    assertThat(searches.getAttributeValueAsInteger("monitorOpInitiated")).isEqualTo(11);
    assertThat(searches.getAttributeValueAsInteger("monitorOpCompleted")).isEqualTo(10);
    assertThat(searches.getObjectClassValues()).containsExactly("monitorOperation");
    assertThat(counter(result, "cn=Entries,cn=Statistics")).isGreaterThanOrEqualTo(10);
    assertThat(counter(result, "cn=PDU,cn=Statistics")).isGreaterThanOrEqualTo(23);
    assertThat(counter(result, "cn=Bytes,cn=Statistics")).isGreaterThan(500);
    assertThat(counter(result, "cn=Current,cn=Connections")).isEqualTo(2);
    assertThat(counter(result, "cn=Total,cn=Connections")).isEqualTo(2);
    assertThat(counter(result, "cn=Write,cn=Waiters")).isZero();
    SearchResultEntry mine = result.getSearchEntry("cn=Connection 1,cn=Connections,cn=Monitor");
    assertThat(mine.getAttributeValue("monitorConnectionAuthzDN")).isEqualTo("cn=admin");
    assertThat(mine.getAttributeValueAsInteger("monitorConnectionOpsExecuting")).isEqualTo(1);
    assertThat(mine.getAttributeValueAsInteger("monitorConnectionOpsReceived")).isEqualTo(13);
    assertThat(mine.getAttributeValueAsInteger("monitorConnectionOpsCompleted")).isEqualTo(12);
    assertThat(mine.getAttributeValue("monitorConnectionPeerAddress")).matches("IP=127.0.0.1:\\d+");
    assertThat(mine.getAttributeValueAsDate("monitorConnectionStartTime")).isNotNull();
    SearchResultEntry database = result.getSearchEntry("cn=Database 1,cn=Databases,cn=Monitor");
    assertThat(database.getAttributeValueAsInteger("olmMDBEntries")).isEqualTo(1);
    assertThat(database.getAttributeValue("namingContexts")).isEqualTo(SUFFIX);
    assertThat(database.getAttributeValueAsLong("olmMDBPagesUsed"))
        .isBetween(1L, database.getAttributeValueAsLong("olmMDBPagesMax"));
    SearchResultEntry listener = result.getSearchEntry("cn=Listener 0,cn=Listeners,cn=Monitor");
    assertThat(listener.getAttributeValue("labeledURI")).isEqualTo(server.listeners().getFirst());
    assertThat(
            result
                .getSearchEntry("cn=State,cn=Threads,cn=Monitor")
                .getAttributeValue("monitoredInfo"))
        .isEqualTo("running");
    assertThat(
            result
                .getSearchEntry("cn=Current,cn=Time,cn=Monitor")
                .getAttributeValueAsDate("monitorTimestamp"))
        .isNotNull();
  }

  private static void assertCounts(SearchResult result, String operation, int count)
      throws LDAPException {
    SearchResultEntry entry =
        result.getSearchEntry("cn=" + operation + ",cn=Operations,cn=Monitor");
    assertThat(entry.getAttributeValueAsInteger("monitorOpInitiated"))
        .as(operation)
        .isEqualTo(count);
    assertThat(entry.getAttributeValueAsInteger("monitorOpCompleted"))
        .as(operation)
        .isEqualTo(count);
  }

  private static long counter(SearchResult result, String rdns) throws LDAPException {
    return result.getSearchEntry(rdns + ",cn=Monitor").getAttributeValueAsLong("monitorCounter");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "cn=Monitor;BASE;(objectClass=*);1",
        "cn=monitor;ONE;(objectClass=monitorContainer);14",
        "cn=Waiters,cn=Monitor;ONE;(objectClass=*);2",
        "cn=waiters,  CN=MONITOR;SUB;(objectClass=*);3",
        "cn=Operations,cn=Monitor;SUBORDINATE_SUBTREE;(objectClass=monitorOperation);10",
        "cn=Operations,cn=Monitor;SUB;(&(cn=Bind)(monitorOpCompleted>=1));1",
        "cn=Monitor;SUB;(monitorOpInitiated=*);11",
        "cn=Monitor;SUB;(|(cn=Read)(cn=Write));2",
        "cn=Uptime,cn=Time,cn=Monitor;SUB;(monitoredInfo>=0);0",
        "cn=Uptime,cn=Time,cn=Monitor;SUB;(monitoredInfo=*);1"
      })
  void shouldBeSearchedLikeEntries(String base, String scope, String filter, int count)
      throws Exception {
    start("adaptive");
    SearchScope wanted =
        switch (scope) {
          case "BASE" -> SearchScope.BASE;
          case "ONE" -> SearchScope.ONE;
          case "SUB" -> SearchScope.SUB;
          default -> SearchScope.SUBORDINATE_SUBTREE;
        };
    assertThat(root().search(base, wanted, filter).getEntryCount()).isEqualTo(count);
  }

  private static String overlays(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> "Overlay " + number)
        .collect(Collectors.joining(","));
  }

  /** Switches each overlay on by itself, and all others that can be off. */
  @ParameterizedTest
  @EnumSource
  void shouldListWhatIsConfigured(ConfiguredFeatures.Overlay overlay) throws Exception {
    String key =
        switch (overlay) {
          case DEREF, PPOLICY, SSSVLV, SYNCPROV -> "";
          case ACCESSLOG -> "modificationLog.mebibytes = 16";
          case AUDITLOG -> "log.audit { enabled = true, file = audit.ldif }";
          case DDS -> "dynamicEntries.enabled = true";
          case LASTBIND -> "passwordPolicy.lastBind = true";
        };
    requireListed(overlay.name().toLowerCase(Locale.ROOT), key);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "memberof|memberOf.enabled = true",
        "refint|referentialIntegrity.attributes = [member]",
        "unique|uniqueness = [{ attributes = [uid] }]"
      })
  void shouldListExtensions(String extension, String key) throws Exception {
    requireListed(extension, key);
  }

  private void requireListed(String overlay, String key) throws Exception {
    Set<String> wanted = new TreeSet<>(List.of("deref", "ppolicy", "sssvlv", "syncprov"));
    wanted.add(overlay);
    server = LocalServer.start(folder, key);
    LDAPConnection root = root();
    SearchResultEntry container = root.getEntry("cn=Overlays,cn=Monitor", "monitoredInfo");
    assertThat(container.getAttributeValues("monitoredInfo"))
        .containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(
            root.getEntry("cn=Database 1,cn=Databases,cn=Monitor", "monitorOverlay")
                .getAttributeValues("monitorOverlay"))
        .containsExactlyInAnyOrderElementsOf(wanted);
    List<String> each = new ArrayList<>();
    root.search("cn=Overlays,cn=Monitor", SearchScope.ONE, "(monitoredInfo=*)", "monitoredInfo")
        .getSearchEntries()
        .forEach(entry -> each.add(entry.getAttributeValue("monitoredInfo")));
    assertThat(each).containsExactlyInAnyOrderElementsOf(wanted);
  }

  @Test
  void shouldListMechanismsAndCertificates() throws Exception {
    Path pem =
        TestCertificates.make(folder, "localhost", "-keyalg EC -groupname secp256r1")
            .pem(folder.resolve("monitor.pem"));
    server =
        LocalServer.start(
            folder, "sasl.mechanisms = [PLAIN, EXTERNAL]\n tls.certificate = \"" + pem + "\"");
    LDAPConnection root = root();
    assertThat(root.getEntry("cn=SASL,cn=Monitor", "+").getAttributeValues("monitoredInfo"))
        .containsExactlyInAnyOrder("PLAIN", "EXTERNAL");
    assertThat(
            root.getEntry("cn=Certificate 0,cn=TLS,cn=Monitor", "+")
                .getAttributeValue("monitoredInfo"))
        .isEqualTo(pem.toString());
    assertThat(
            root.getEntry("cn=First End,cn=TLS,cn=Monitor", "+")
                .getAttributeValueAsDate("monitorTimestamp"))
        .isInTheFuture();
  }

  /** Checks the names that slapd 2.5 has with one store, apart from overlays and modules. */
  @Test
  void shouldHaveTheEntriesThatSlapdHas() throws Exception {
    start("adaptive");
    Set<String> wanted = new TreeSet<>(List.of("cn=Monitor"));
    Map<String, String> below =
        Map.ofEntries(
            Map.entry("Backends", "Backend 0,Backend 1"),
            Map.entry("Connections", "Connection 1,Max File Descriptors,Total,Current"),
            Map.entry("Databases", "Frontend,Database 1,Database 2"),
            Map.entry("Listeners", "Listener 0"),
            Map.entry("Log", ""),
            Map.entry(
                "Operations",
                "Bind,Unbind,Search,Compare,Modify,Modrdn,Add,Delete,Abandon,Extended"),
            Map.entry("Overlays", overlays(4)),
            Map.entry("SASL", ""),
            Map.entry("Shapes", "Dropped"),
            Map.entry("Statistics", "Bytes,PDU,Entries,Referrals"),
            Map.entry(
                "Threads",
                "Max,Max Pending,Open,Starting,Active,Pending,Backload,State,Runqueue,Tasklist"),
            Map.entry("TLS", ""),
            Map.entry("Time", "Start,Current,Uptime"),
            Map.entry("Waiters", "Read,Write"));
    below.forEach(
        (name, names) -> {
          String container = "cn=" + name + ",cn=Monitor";
          wanted.add(container);
          for (String each : names.split(",", -1)) {
            if (!each.isEmpty()) {
              wanted.add("cn=" + each + "," + container);
            }
          }
        });
    SearchResult all = root().search("cn=Monitor", SearchScope.SUB, "(objectClass=*)", "+", "*");
    assertThat(new TreeSet<>(names(all))).isEqualTo(wanted);
    for (SearchResultEntry entry : all.getSearchEntries()) {
      boolean isContainer = entry.getObjectClassValues()[0].equals("monitorContainer");
      assertThat(entry.hasAttribute("description") || !isContainer).as(entry.getDN()).isTrue();
    }
  }

  /** Sends the filters and attributes of exporters and collectors. */
  @Test
  void shouldAnswerWhatCollectorsAsk() throws Exception {
    start("adaptive");
    LDAPConnection root = root();
    root.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
    String[] attributes = {
      "monitorCounter", "monitorOpCompleted", "monitorOpInitiated", "monitoredInfo",
      "namingContexts", "olmMDBPagesMax", "olmMDBPagesUsed", "olmMDBPagesFree",
      "olmMDBReadersMax", "olmMDBReadersUsed", "olmMDBEntries"
    };
    SearchResult found =
        root.search("cn=Monitor", SearchScope.SUB, "(|(!(cn=* *))(cn=Database*))", attributes);
    SearchResultEntry store = found.getSearchEntry("cn=Database 1,cn=Databases,cn=Monitor");
    assertThat(store.getAttributeValue("monitoredInfo")).isEqualTo("mdb");
    assertThat(store.getAttributeValue("namingContexts")).isEqualTo(SUFFIX);
    long used = store.getAttributeValueAsLong("olmMDBPagesUsed");
    assertThat(store.getAttributeValueAsLong("olmMDBPagesFree")).isBetween(0L, used);
    assertThat(store.getAttributeValueAsLong("olmMDBReadersUsed")).isPositive();
    assertThat(store.getAttributeValueAsLong("olmMDBReadersMax")).isPositive();
    assertThat(found.getSearchEntry("cn=Max Pending,cn=Threads,cn=Monitor")).isNull();
    SearchResult databases =
        root.search(
            "cn=Databases,cn=Monitor",
            SearchScope.SUB,
            "(objectClass=*)",
            "monitorIsShadow",
            "monitorContext",
            "readOnly",
            "namingContexts");
    assertThat(
            databases
                .getSearchEntry("cn=Database 1,cn=Databases,cn=Monitor")
                .getAttributeValue("monitorIsShadow"))
        .isEqualTo("FALSE");
    assertThat(
            databases.getSearchEntry("cn=Databases,cn=Monitor").getAttributeValue("namingContexts"))
        .isEqualTo(SUFFIX);
    assertThat(
            root.search(
                    "cn=Monitor", SearchScope.SUB, "(structuralObjectClass=monitoredObject)", "cn")
                .getEntryCount())
        .isGreaterThan(10);
    SearchResultEntry mine = root.getEntry("cn=Connection 1,cn=Connections,cn=Monitor", "+", "*");
    assertThat(mine.getAttributeValue("monitorConnectionListener"))
        .isEqualTo(server.listeners().getFirst());
    assertThat(mine.getAttributeValue("monitorConnectionPeerDomain")).isEqualTo("unknown");
    assertThat(mine.getAttributeValueAsInteger("monitorConnectionGet")).isPositive();
    int reads = mine.getAttributeValueAsInteger("monitorConnectionRead");
    assertThat(reads).isPositive();
    // It has read all its answers.
    assertThat(mine.getAttributeValue("monitorConnectionWrite")).isEqualTo("0");
    assertThat(
            root.getEntry("cn=Connection 1,cn=Connections,cn=Monitor", "+")
                .getAttributeValueAsInteger("monitorConnectionRead"))
        .isGreaterThan(reads);
  }

  @Test
  void shouldBeForRootAlone() throws Exception {
    start("adaptive");
    LDAPConnection stranger = connect();
    for (String base : List.of("cn=Monitor", "cn=Operations,cn=Monitor", "cn=x,cn=Monitor")) {
      assertThatThrownBy(() -> stranger.search(base, SearchScope.SUB, "(objectClass=*)"))
          .isInstanceOfSatisfying(
              LDAPSearchException.class,
              e -> {
                assertThat(e.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
                assertThat(e.getMatchedDN()).isNull();
              });
    }
    LDAPConnection root = root();
    assertThatThrownBy(() -> root.search("cn=x,cn=Time,cn=Monitor", SearchScope.SUB, "(cn=*)"))
        .isInstanceOfSatisfying(
            LDAPSearchException.class,
            e -> {
              assertThat(e.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
              assertThat(e.getMatchedDN()).isEqualTo("cn=Time,cn=Monitor");
            });
    assertThat(root.getRootDSE().getAttributeValue("monitorContext")).isEqualTo("cn=Monitor");
  }

  @Test
  void shouldKeepToWhatTheClientAsksFor() throws Exception {
    start("adaptive");
    LDAPConnection root = root();
    SearchResultEntry plain = root.getEntry("cn=Read,cn=Waiters,cn=Monitor");
    assertThat(plain.getAttributeValue("cn")).isEqualTo("Read");
    assertThat(plain.hasAttribute("monitorCounter")).isFalse();
    assertThat(root.getEntry("cn=Read,cn=Waiters,cn=Monitor", "monitorCounter").getAttributes())
        .hasSize(1);
    SearchRequest few = new SearchRequest("cn=Monitor", SearchScope.SUB, "(objectClass=*)", "cn");
    few.setSizeLimit(3);
    assertThatThrownBy(() -> root.search(few))
        .isInstanceOfSatisfying(
            LDAPSearchException.class,
            e -> {
              assertThat(e.getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
              assertThat(e.getEntryCount()).isEqualTo(3);
            });
    SearchRequest paged = new SearchRequest("cn=Monitor", SearchScope.SUB, "(objectClass=*)", "cn");
    paged.addControl(new SimplePagedResultsControl(2, true));
    assertThatThrownBy(() -> root.search(paged))
        .isInstanceOfSatisfying(
            LDAPSearchException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM));
    assertThatThrownBy(() -> root.delete("cn=Time,cn=Monitor")).isInstanceOf(LDAPException.class);
  }

  @Test
  void shouldShowManyConnectionsToAClientThatReadsThem() throws Exception {
    start("adaptive");
    for (int i = 0; i < 300; i++) {
      // Its answer shows that the server has the connection.
      assertThat(connect().getRootDSE()).isNotNull();
    }
    SearchResult result =
        root().search("cn=Connections,cn=Monitor", SearchScope.ONE, "(cn=Connection*)", "+", "*");
    assertThat(names(result)).hasSize(301).doesNotHaveDuplicates();
  }
}
