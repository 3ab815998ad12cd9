package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestCertificates;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Sends the requests of phpLDAPadmin 1.2.6.3 and LDAP Account Manager 8.3 for their pages about the
 * server, as an access log has recorded them. {@code BrowserIT} has the programs themselves.
 */
class WebToolsTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private Path certificate;
  private RunningServer server;
  private LDAPConnection client;

  @BeforeEach
  void serve() throws Exception {
    certificate =
        TestCertificates.make(folder, "localhost", "-keyalg EC -groupname secp256r1")
            .pem(folder.resolve("server.pem"));
    server =
        LocalServer.start(
            folder,
            """
            root { dn = "cn=admin,dc=example,dc=com", password = admin }
            tls.certificate = "%s"
            memberOf.enabled = true
            referentialIntegrity.attributes = [member]
            """
                .formatted(certificate));
    client = LocalServer.connect(server);
    client.bind(ROOT, "admin");
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private List<SearchResultEntry> search(
      String base,
      SearchScope scope,
      DereferencePolicy aliases,
      String filter,
      String... attributes)
      throws Exception {
    SearchRequest request =
        new SearchRequest(base, scope, aliases, 0, 0, false, filter, attributes);
    return client.search(request).getSearchEntries();
  }

  /**
   * Both ask for everything below, by either order of the signs, and find entries by their names.
   */
  @Test
  void shouldShowWhatThePagesAboutTheServerRead() throws Exception {
    Map<String, SearchResultEntry> phpLdapAdmin = new TreeMap<>();
    for (SearchResultEntry entry :
        search(
            "cn=Monitor",
            SearchScope.SUB,
            DereferencePolicy.ALWAYS,
            "(&(objectClass=*))",
            "+",
            "*")) {
      phpLdapAdmin.put(entry.getDN(), entry);
    }
    // It stops at an entry of these without the first value.
    for (String kind : List.of("Backend", "Overlay")) {
      String container = "cn=" + kind + "s,cn=Monitor";
      String[] values = phpLdapAdmin.get(container).getAttributeValues("monitoredInfo");
      assertThat(values).as(container).isNotEmpty();
      for (int i = 0; i < values.length; i++) {
        SearchResultEntry each = phpLdapAdmin.get("cn=" + kind + " " + i + "," + container);
        assertThat(each.getAttributeValue("monitoredInfo")).isEqualTo(values[i]);
        assertThat(each.getAttributeValue("monitorRuntimeConfig")).isIn("TRUE", "FALSE");
        assertThat(phpLdapAdmin).containsKey(each.getAttributeValue("seeAlso"));
      }
    }
    Map<String, List<String>> shown = new TreeMap<>();
    search("cn=monitor", SearchScope.SUB, DereferencePolicy.NEVER, "(objectClass=*)", "*", "+")
        .forEach(
            entry -> {
              String[] info = entry.getAttributeValues("monitoredInfo");
              shown.put(entry.getDN(), info == null ? List.of() : List.of(info));
            });
    assertThat(shown.get("cn=Overlays,cn=Monitor"))
        .containsExactly("deref", "memberof", "ppolicy", "refint", "sssvlv", "syncprov");
    assertThat(shown.get("cn=SASL,cn=Monitor")).contains("EXTERNAL", "PLAIN", "SCRAM-SHA-256");
    assertThat(shown.get("cn=Certificate 0,cn=TLS,cn=Monitor"))
        .containsExactly(certificate.toString());
    for (String time : List.of("Start", "Current")) {
      assertThat(
              phpLdapAdmin
                  .get("cn=" + time + ",cn=Time,cn=Monitor")
                  .getAttributeValueAsDate("monitorTimestamp"))
          .isNotNull();
    }
    for (String counter : List.of("Bytes", "PDU", "Entries", "Referrals")) {
      assertThat(
              phpLdapAdmin
                  .get("cn=" + counter + ",cn=Statistics,cn=Monitor")
                  .getAttributeValueAsLong("monitorCounter"))
          .isNotNull();
    }
  }

  @Test
  void shouldShowTheSchemaByTheNamesThatTheyWrite() throws Exception {
    String subschema =
        search(
                "",
                SearchScope.BASE,
                DereferencePolicy.NEVER,
                "(objectclass=*)",
                "subschemaSubentry")
            .getFirst()
            .getAttributeValue("subschemaSubentry");
    for (String name :
        List.of("objectclasses", "attributetypes", "ldapsyntaxes", "matchingrules")) {
      for (DereferencePolicy aliases : Set.of(DereferencePolicy.NEVER, DereferencePolicy.ALWAYS)) {
        SearchResultEntry found =
            search(subschema, SearchScope.BASE, aliases, "(objectClass=*)", name).getFirst();
        assertThat(found.getAttributes()).hasSize(1);
        assertThat(found.getAttributeValues(name)).hasSizeGreaterThan(20);
        assertThat(found.getAttributeValues(name)).allMatch(value -> value.startsWith("( "));
      }
    }
  }

  /** Names that only other servers know are ignored, beside all attributes. */
  @Test
  void shouldShowTheRootDseToWhoAsksForAnything() throws Exception {
    SearchResultEntry root =
        search(
                "",
                SearchScope.BASE,
                DereferencePolicy.ALWAYS,
                "(&(objectClass=*))",
                "namingContexts",
                "subschemaSubentry",
                "altServer",
                "supportedExtension",
                "supportedControl",
                "supportedSASLMechanisms",
                "supportedLDAPVersion",
                "currentTime",
                "dsServiceName",
                "defaultNamingContext",
                "highestCommittedUSN",
                "changeLog",
                "tlsAvailableCipherSuites",
                "supportedSASLMechanisms",
                "dsaVersion",
                "dseType",
                "+",
                "*")
            .getFirst();
    assertThat(root.getAttributeValue("namingContexts")).isEqualTo(SUFFIX);
    assertThat(root.getAttributeValue("monitorContext")).isEqualTo("cn=Monitor");
    assertThat(root.getAttributeValue("vendorName")).isEqualTo("Nyala");
    assertThat(root.getAttributeValues("supportedControl")).contains("2.16.840.1.113730.3.4.2");
    assertThat(root.getAttributeValues("supportedSASLMechanisms")).doesNotHaveDuplicates();
  }
}
