package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;

/** Searches for passwords as they are stored, by rights that rules give. */
@Timeout(300)
class SearchedPasswordsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String BOB = "uid=bob," + TOP;
  private static final String EVE = "uid=eve," + TOP;
  private static final String ANNS = "{SSHA}+dVMWWRpVYFJRn0RFZGBgRbAw0P4kDbwzWfZZA==";

  /** Filters, and those of the three that they find. */
  private static final Map<String, List<String>> FOUND =
      Map.of(
          "(userPassword=*)",
          List.of(ANN, BOB),
          "(!(userPassword=*))",
          List.of(EVE),
          "(userPassword={SSHA}*)",
          List.of(ANN),
          "(!(userPassword={SSHA}*))",
          List.of(BOB, EVE),
          "(userPassword=" + ANNS + ")",
          List.of(ANN),
          "(:octetStringMatch:=" + ANNS + ")",
          List.of(ANN),
          "(userPassword=bobs)",
          List.of());

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection bob;

  private void serve(String rulesOfPasswords) throws Exception {
    String text =
        "%s\n  anonymous may authenticate\nto all\n  users may read\n".formatted(rulesOfPasswords);
    Path rules = Files.writeString(folder.resolve("access.rules"), text);
    server = LocalServer.start(folder, "access.rules = \"%s\"".formatted(rules));
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add(
          "dn: " + ANN, "objectClass: inetOrgPerson", "cn: x", "sn: x", "userPassword: " + ANNS);
      root.add("dn: " + BOB, "objectClass: inetOrgPerson", "cn: x", "sn: x", "userPassword: bobs");
      root.add("dn: " + EVE, "objectClass: inetOrgPerson", "cn: x", "sn: x");
    }
    bob = LocalServer.connect(server);
    bob.bind(BOB, "bobs");
  }

  @AfterEach
  void stop() {
    bob.close();
    server.close();
  }

  private List<String> found(String filter) throws LDAPException {
    return bob.search(TOP, SearchScope.ONE, filter, "1.1").getSearchEntries().stream()
        .map(entry -> entry.getDN())
        .sorted()
        .toList();
  }

  @Test
  void shouldFindThemForThoseWhoMayReadThem() throws Exception {
    serve("to attributes userPassword\n  users may read");
    for (Map.Entry<String, List<String>> each : FOUND.entrySet()) {
      assertThat(found(each.getKey())).as(each.getKey()).isEqualTo(each.getValue());
    }
  }

  /** A filter would otherwise verify guesses, which nobody counts. */
  @Test
  void shouldTellThoseWhoMayOnlySearchThemWhetherThereAreAny() throws Exception {
    serve("to attributes userPassword\n  users may search");
    for (Map.Entry<String, List<String>> each : FOUND.entrySet()) {
      boolean isAboutPresence = each.getKey().contains("=*)") && !each.getKey().contains("SSHA");
      assertThat(found(each.getKey()))
          .as(each.getKey())
          .isEqualTo(isAboutPresence ? each.getValue() : List.of());
    }
  }

  @Test
  void shouldFindNoValueThatMayOnlyBeSearched() throws Exception {
    serve(
        "to attributes userPassword value \"%s\"\n  users may search\nto attributes userPassword"
            .formatted(ANNS));
    for (String filter : FOUND.keySet()) {
      assertThat(found(filter)).as(filter).isEmpty();
    }
  }
}
