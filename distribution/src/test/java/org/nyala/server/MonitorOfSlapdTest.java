package org.nyala.server;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestCertificates;
import org.nyala.process.LocalServer;
import org.nyala.process.SlapdProcess;

/**
 * Compares {@code cn=Monitor} with that of Debian's slapd, which does the same work: each entry
 * that slapd has is there, with each attribute that slapd has in it.
 */
class MonitorOfSlapdTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";

  private static final String SLAPD =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      moduleload back_monitor
      moduleload ppolicy
      moduleload refint
      moduleload unique
      moduleload syncprov
      TLSCertificateFile CERTIFICATE
      TLSCertificateKeyFile CERTIFICATE
      database monitor
      access to * by dn.base="cn=admin,dc=example,dc=com" read
      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      rootpw admin
      directory FOLDER/data
      overlay syncprov
      overlay ppolicy
      overlay refint
      refint_attributes member
      overlay unique
      unique_uri ldap:///?uid?sub
      """;

  /** The entries for what Nyala does not have; the differences page names each. */
  private static final Set<String> SLAPDS_OWN =
      Set.of(
          "cn=Backend config,cn=Backends",
          "cn=Backend ldif,cn=Backends",
          "cn=Database config,cn=Databases",
          "cn=Overlay glue,cn=Overlays");

  @TempDir Path folder;

  /** Returns the entries by their names, with a kind in the place of a number. */
  private static Map<String, SearchResultEntry> entries(int port) throws Exception {
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", port, ROOT, "admin")) {
      return client
          .search("cn=Monitor", SearchScope.SUB, "(objectClass=*)", "*", "+")
          .getSearchEntries()
          .stream()
          .filter(entry -> !isNested(entry.getDN()))
          .collect(
              toMap(MonitorOfSlapdTest::name, entry -> entry, (first, _) -> first, TreeMap::new));
    }
  }

  /** Returns whether slapd shows an overlay below its database, as it does with the last one. */
  private static boolean isNested(String dn) {
    return dn.matches("cn=Overlay \\d+,cn=Database .*");
  }

  private static String name(SearchResultEntry entry) {
    String dn = entry.getDN().replace(",cn=Monitor", "");
    String kind = dn.startsWith("cn=Connection ") ? "N" : entry.getAttributeValue("monitoredInfo");
    return dn.replaceFirst("(?<=^cn=(Backend|Connection|Database|Overlay)) \\d+", " " + kind);
  }

  private static Set<String> attributes(SearchResultEntry entry) {
    Set<String> names = new TreeSet<>();
    for (Attribute attribute : entry.getAttributes()) {
      // The parts of a scheduler that Nyala does not have; requests never wait for a thread here.
      if (!attribute.getName().startsWith("monitorConnectionOpsDefer")) {
        names.add(attribute.getName());
      }
    }
    return names;
  }

  private Map<String, SearchResultEntry> slapd(Path certificate) throws Exception {
    Path own = Files.createDirectories(folder.resolve("slapd/data")).getParent();
    String text =
        SLAPD.replace("CERTIFICATE", certificate.toString()).replace("FOLDER", own.toString());
    Path conf = Files.writeString(own.resolve("slapd.conf"), text);
    try (SlapdProcess slapd = SlapdProcess.start(own, conf)) {
      return entries(URI.create(slapd.urls().getFirst()).getPort());
    }
  }

  @Test
  void shouldHaveWhatSlapdHasInEachEntry() throws Exception {
    Path certificate =
        TestCertificates.make(folder, "localhost", "-keyalg RSA -keysize 2048")
            .pem(folder.resolve("server.pem"));
    Map<String, SearchResultEntry> expected = slapd(certificate);
    assertThat(expected).hasSizeGreaterThan(50).containsKeys(SLAPDS_OWN.toArray(String[]::new));
    Map<String, SearchResultEntry> found;
    String configuration =
        """
        listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0", "ldapi://%s"]
        root { dn = "cn=admin,dc=example,dc=com", password = admin }
        tls.certificate = "%s"
        referentialIntegrity.attributes = [member]
        uniqueness = [{ attributes = [uid] }]
        """
            .formatted(folder.resolve("socket"), certificate);
    try (RunningServer server = LocalServer.start(folder, configuration)) {
      found = entries(LocalServer.port(server));
    }
    expected.forEach(
        (name, theirs) -> {
          if (SLAPDS_OWN.contains(name)) {
            assertThat(found.keySet()).doesNotContain(name);
            return;
          }
          assertThat(found.keySet()).contains(name);
          SearchResultEntry ours = found.get(name);
          assertThat(attributes(ours)).as(name).containsAll(attributes(theirs));
          assertThat(ours.getObjectClassValues())
              .as(name)
              .containsExactly(theirs.getObjectClassValues());
          boolean hasMore =
              found.values().stream().anyMatch(other -> other.getDN().endsWith("," + ours.getDN()));
          assertThat(ours.getAttributeValue("hasSubordinates"))
              .as(name)
              .isEqualTo(hasMore ? "TRUE" : "FALSE");
        });
  }
}
