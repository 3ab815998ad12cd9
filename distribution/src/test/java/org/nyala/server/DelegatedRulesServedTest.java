package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Serves a subtree whose rules the directory holds, and explains what they give. */
@Timeout(300)
class DelegatedRulesServedTest {
  private static final String SALES = "ou=sales,dc=example,dc=com";
  private static final String RULES = "cn=access rules," + SALES;
  private static final String ANN = "uid=ann," + SALES;
  private static final String BOB = "uid=bob," + SALES;
  private static final String FILE =
      """
      people salesAdmins = entry "%s"
      to attributes userPassword
        anonymous may authenticate
      to entry "%s"
        salesAdmins may manage
      delegate subtree "%s" to directory
      to entry "%s" attributes children
        salesAdmins may write
      to all
        users may search
      """
          .formatted(BOB, RULES, SALES, SALES);
  private static final String DATA =
      """
      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: ou=sales,dc=example,dc=com
      objectClass: organizationalUnit

      dn: uid=ann,ou=sales,dc=example,dc=com
      objectClass: inetOrgPerson
      cn: Ann
      sn: A
      userPassword: ann

      dn: uid=bob,ou=sales,dc=example,dc=com
      objectClass: inetOrgPerson
      cn: Bob
      sn: B
      userPassword: bob
      """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path configuration;
  private RunningServer server;
  private LDAPConnection ann;
  private LDAPConnection bob;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("access.rules"), FILE);
    configuration =
        ServerProcess.configure(
            folder, "access.rules = \"%s\"".formatted(folder.resolve("access.rules")));
    Path ldif = Files.writeString(folder.resolve("a.ldif"), DATA);
    nyala.shouldSucceed(configuration, "import", ldif.toString());
    serve();
  }

  private void serve() throws Exception {
    server = LocalServer.startFrom(configuration, folder);
    ann = LocalServer.connect(server);
    ann.bind(ANN, "ann");
    bob = LocalServer.connect(server);
    bob.bind(BOB, "bob");
  }

  @AfterEach
  void stop() {
    ann.close();
    bob.close();
    server.close();
  }

  private void addRules(String... texts) throws LDAPException {
    Entry entry = new Entry(RULES);
    entry.addAttribute("objectClass", "subentry", "accessRuleSubentry");
    entry.addAttribute("subtreeSpecification", "{}");
    entry.addAttribute("accessRule", texts);
    bob.add(entry);
  }

  private void assertAnnReads(boolean surname) throws LDAPException {
    Entry found = ann.getEntry(ANN);
    assertThat(found != null && found.hasAttribute("sn")).isEqualTo(surname);
  }

  @Test
  void shouldActAtOnceAndAfterAStart() throws Exception {
    assertAnnReads(false);
    addRules("{0}to attributes cn; all may nothing", "{1}to all; users may read");
    assertAnnReads(true);
    assertThat(ann.getEntry(ANN).hasAttribute("cn")).isFalse();
    stop();
    serve();
    assertAnnReads(true);
    assertThat(ann.getEntry(ANN).hasAttribute("cn")).isFalse();
    bob.modify(RULES, new Modification(ModificationType.DELETE, "accessRule"));
    assertAnnReads(false);
  }

  @Test
  void shouldShowTheSubentryToThoseWhoMayReadIt() throws Exception {
    addRules("to all; users may read");
    SearchRequest search =
        new SearchRequest(SALES, SearchScope.SUB, "(objectClass=*)", "accessRule");
    search.addControl(new RFC3672SubentriesRequestControl(true));
    assertThat(bob.search(search).getSearchEntries())
        .singleElement()
        .satisfies(
            entry ->
                assertThat(entry.getAttributeValue("accessRule"))
                    .isEqualTo("to all; users may read"));
    assertThat(ann.search(search).getSearchEntries()).isEmpty();
    search.setControls(new Control[0]);
    assertThat(bob.search(search).getSearchEntries()).hasSize(3);
  }

  @Test
  void shouldExplainAndCheckThem() throws Exception {
    addRules("{5}to attributes sn; self may read\nto all; users may search");
    stop();
    nyala.shouldSucceed(
        configuration, "access", "explain", "--as=" + ANN, "--attribute=sn", "--target=" + ANN);
    assertThat(nyala.out()).contains(RULES + " {5}:1:");
    String file = folder.resolve("access.rules").toString();
    nyala.shouldSucceed(
        configuration, "access", "check", file, "--data", folder.resolve("data").toString());
    assertThat(nyala.out()).endsWith(" 0 remarks\n");
    Files.writeString(folder.resolve("access.rules"), FILE.replace("salesAdmins", "admins"));
    serve();
    bob.modify(
        RULES,
        new Modification(
            ModificationType.REPLACE,
            "accessRule",
            "to all; group \"cn=x,ou=sales,dc=example,dc=com\" may read; admins may read"));
    stop();
    Files.writeString(folder.resolve("access.rules"), FILE);
    nyala.shouldSucceed(
        configuration, "access", "check", file, "--data", folder.resolve("data").toString());
    assertThat(nyala.out())
        .contains(RULES + ":1:59: found 'admins', expected ", ", so that the subtree is closed\n");
    serve();
    assertAnnReads(false);
    assertThatThrownBy(() -> bob.modify(ANN, new Modification(ModificationType.REPLACE, "sn", "X")))
        .isInstanceOf(LDAPException.class);
  }
}
