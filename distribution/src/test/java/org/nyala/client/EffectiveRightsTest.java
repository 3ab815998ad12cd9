package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.unboundidds.controls.GetEffectiveRightsRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Asks for effective rights, as programs do for 389 Directory Server and others. */
@Timeout(300)
class EffectiveRightsTest {
  private static final String OID = "1.3.6.1.4.1.42.2.27.9.5.2";
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String BOB = "uid=bob," + TOP;
  private static final String EVE = "uid=eve," + TOP;
  private static final String RULES =
      """
      people admins = group "cn=admins,dc=example,dc=com" nested
      to attributes userPassword
        self may write
        anonymous may authenticate
      to subtree "dc=example,dc=com" attributes mail
        self may read, write
      to entry "uid=eve,dc=example,dc=com"
        users may read
      to all
        admins may manage
        users may read
      """;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;

  @BeforeEach
  void serve() throws Exception {
    Path rules = Files.writeString(folder.resolve("access.rules"), RULES);
    server = LocalServer.start(folder, "access.rules = \"%s\"".formatted(rules));
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    for (String name : new String[] {"ann", "bob", "eve"}) {
      root.add(
          "dn: uid=%s,%s".formatted(name, TOP),
          "objectClass: inetOrgPerson",
          "cn: " + name,
          "sn: " + name,
          "mail: " + name,
          "userPassword: " + name);
    }
    root.add("dn: cn=admins," + TOP, "objectClass: groupOfNames", "member: " + ANN);
  }

  @AfterEach
  void stop() {
    root.close();
    server.close();
  }

  private LDAPConnection bound(String name) throws LDAPException {
    return new LDAPConnection(
        "127.0.0.1", LocalServer.port(server), "uid=%s,%s".formatted(name, TOP), name);
  }

  private static SearchResultEntry rights(
      LDAPConnection by, String entry, Control control, String... attributes) throws LDAPException {
    SearchRequest request =
        new SearchRequest(entry, SearchScope.BASE, "(objectClass=*)", attributes);
    request.addControl(control);
    SearchResult result = by.search(request);
    assertThat(result.getEntryCount()).isEqualTo(1);
    return result.getSearchEntries().getFirst();
  }

  private static void assertRights(SearchResultEntry entry, String ofEntry, String ofAttributes) {
    assertThat(entry.getAttributeValue("entryLevelRights")).isEqualTo(ofEntry);
    assertThat(entry.getAttributeValue("attributeLevelRights")).isEqualTo(ofAttributes);
  }

  private static Control of(String user, String... attributes) {
    return new GetEffectiveRightsRequestControl(true, "dn:" + user, attributes);
  }

  /** Returns the control as {@code ldapsearch -E !1.3.6.1.4.1.42.2.27.9.5.2=:dn:...} sends it. */
  private static Control plain(String value) {
    return new Control(OID, true, new ASN1OctetString(value));
  }

  @Test
  void shouldTellAdministratorsTheRightsOfOthers() throws Exception {
    try (LDAPConnection ann = bound("ann")) {
      assertRights(
          rights(ann, BOB, of(BOB, "mail", "userPassword"), "cn", "sn"),
          "v",
          "cn:rsc, sn:rsc, mail:rscwo, userPassword:wo");
      assertRights(rights(ann, BOB, plain("dn: " + ANN), "cn"), "vadn", "cn:rscwo");
      assertRights(
          rights(ann, BOB, plain("dn:"), "cn", "userPassword"),
          "none",
          "cn:none, userPassword:none");
      assertRights(rights(ann, TOP, of(EVE), "dc"), "v", "dc:rsc");
      assertRights(rights(ann, BOB, of("cn=admin"), "cn"), "vadn", "cn:rscwo");
    }
    assertRights(rights(root, BOB, of(EVE), "cn", "mail"), "v", "cn:rsc, mail:none");
  }

  @Test
  void shouldTellUsersTheirOwnRights() throws Exception {
    try (LDAPConnection bob = bound("bob")) {
      SearchResultEntry own = rights(bob, BOB, new Control(OID, true), "*");
      assertThat(own.getAttributeValue("cn")).isEqualTo("bob");
      assertThat(own.hasAttribute("userPassword")).isFalse();
      assertRights(own, "v", "objectClass:rsc, cn:rsc, sn:rsc, mail:rscwo, uid:rsc");
      assertRights(rights(bob, ANN, of(BOB), "cn", "mail", "nosuch"), "v", "cn:rsc, mail:none");
      assertRights(rights(root, BOB, plain(""), "cn"), "vadn", "cn:rscwo");
    }
  }

  @Test
  void shouldTellNobodyElse() throws Exception {
    try (LDAPConnection bob = bound("bob");
        LDAPConnection ann = bound("ann")) {
      SearchResultEntry entry = rights(bob, ANN, of(ANN), "cn");
      assertThat(entry.getAttributeValue("cn")).isEqualTo("ann");
      assertThat(entry.hasAttribute("entryLevelRights")).isFalse();
      assertThat(entry.hasAttribute("attributeLevelRights")).isFalse();
      // Administrators do not manage this one.
      assertThat(rights(ann, EVE, of(BOB), "cn").hasAttribute("entryLevelRights")).isFalse();
    }
  }

  @Test
  void shouldTellThemWithEachEntryOfASortedSearch() throws Exception {
    SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(sn=*)", "sn");
    request.addControl(of(BOB));
    request.addControl(new ServerSideSortRequestControl(true, new SortKey("sn", true)));
    assertThat(root.search(request).getSearchEntries())
        .extracting(
            SearchResultEntry::getDN, entry -> entry.getAttributeValue("attributeLevelRights"))
        .containsExactly(tuple(EVE, "sn:rsc"), tuple(BOB, "sn:rsc"), tuple(ANN, "sn:rsc"));
  }

  @Test
  void shouldRefuseWhatItCannotTell() throws Exception {
    assertRefused(plain("u:bob"), ResultCode.PROTOCOL_ERROR);
    assertRefused(plain("dn:bob"), ResultCode.INVALID_DN_SYNTAX);
    Files.writeString(folder.resolve("test.conf"), "");
    server.close();
    server = LocalServer.start(folder, "");
    root = LocalServer.connectAsRoot(server);
    assertRefused(of(BOB), ResultCode.UNWILLING_TO_PERFORM);
    Control optional = new GetEffectiveRightsRequestControl(false, "dn:" + BOB);
    assertThat(rights(root, BOB, optional, "cn").hasAttribute("entryLevelRights")).isFalse();
  }

  private void assertRefused(Control control, ResultCode code) {
    assertThatThrownBy(() -> rights(root, BOB, control))
        .isInstanceOfSatisfying(
            LDAPException.class, e -> assertThat(e.getResultCode()).isEqualTo(code));
  }
}
