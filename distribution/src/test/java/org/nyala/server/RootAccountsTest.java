package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ConfigurationException;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Tries all kinds of requests as root of everything, and of single naming contexts. */
@Timeout(300)
class RootAccountsTest {
  private static final String A = "o=a";
  private static final String B = "o=b";
  private static final Control RELAX = new Control("1.3.6.1.4.1.4203.666.5.12", true);
  private static final Control EXPLAIN =
      new Control("2.25.255841831655906417978202072494760795204", true);
  private static final String ACCOUNTS =
      """
      suffixes = ["o=a", "o=b"], access.rules = access.rules
      uniqueness = [ { attributes = [employeeNumber] } ]
      rootAccounts = [
        { dn = "cn=root,o=a", password = secret, suffixes = ["o=a"] }
        { dn = "cn=root,o=b", passwordFile = "b-password", suffixes = ["o=b"] }
        { dn = "cn=both", password = secret, suffixes = ["o=a", "o=b"] }
      ]
      """;

  /** The naming contexts of which each account is root; null for everything. */
  private static final Map<String, Set<String>> ROOTS = new LinkedHashMap<>();

  static {
    ROOTS.put("cn=root,o=a", Set.of(A));
    ROOTS.put("cn=root,o=b", Set.of(B));
    ROOTS.put("cn=both", Set.of(A, B));
    ROOTS.put("cn=admin", Set.of(A, B, ""));
  }

  /** An attempt; returns whether root's rights were there. */
  private interface Attempt {
    boolean go(LDAPConnection client, String target) throws LDAPException;
  }

  @TempDir Path folder;

  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(
        folder.resolve("access.rules"), "to attributes userPassword\n  self may read\n");
    Files.writeString(folder.resolve("b-password"), "secret\n");
    server = LocalServer.startFrom(ServerProcess.configure(folder, ACCOUNTS), folder);
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      for (String top : List.of(A, B)) {
        root.add("dn: " + top, "objectClass: organization", "o: " + top.substring(2));
        person(root, "cn=ann," + top);
        root.add("dn: ou=x," + top, "objectClass: organizationalUnit", "ou: x");
        String other = top.equals(A) ? B : A;
        root.add(
            "dn: cn=away," + top,
            "objectClass: alias",
            "objectClass: extensibleObject",
            "cn: away",
            "aliasedObjectName: cn=ann," + other);
      }
    }
  }

  private static void person(LDAPConnection by, String name) throws LDAPException {
    by.add(
        name,
        new Attribute("objectClass", "inetOrgPerson"),
        new Attribute("cn", name.substring(3, name.indexOf(','))),
        new Attribute("sn", "A"),
        new Attribute("userPassword", "secret"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private LDAPConnection as(String name) throws LDAPException {
    LDAPConnection client = LocalServer.connect(server);
    client.bind(name, name.equals("cn=admin") ? "admin" : "secret");
    return client;
  }

  private static boolean finds(LDAPConnection client, SearchRequest request) throws LDAPException {
    SearchResult result;
    try {
      result = client.search(request);
    } catch (LDAPSearchException e) {
      result = e.getSearchResult();
    }
    return result.getSearchEntries().stream().anyMatch(entry -> !entry.getAttributes().isEmpty());
  }

  private static SearchRequest search(String base, SearchScope scope, Control... controls)
      throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            base, scope, Filter.createPresenceFilter("objectClass"), "*", "userPassword");
    request.setControls(controls);
    return request;
  }

  private static ResultCode refusal(LDAPConnection client, SearchRequest request) {
    try {
      return client.search(request).getResultCode();
    } catch (LDAPSearchException e) {
      return e.getResultCode();
    }
  }

  private static Modification note(String value) {
    return new Modification(ModificationType.REPLACE, "description", value);
  }

  /** The attempts at entries of a naming context. */
  private static Map<String, Attempt> attempts() {
    Map<String, Attempt> all = new LinkedHashMap<>();
    all.put(
        "read a password",
        (client, top) ->
            client.getEntry("cn=ann," + top, "userPassword") != null
                && client.getEntry("cn=ann," + top, "userPassword").hasAttribute("userPassword"));
    all.put("search", (client, top) -> finds(client, search(top, SearchScope.SUB)));
    all.put(
        "pages",
        (client, top) ->
            finds(client, search(top, SearchScope.SUB, new SimplePagedResultsControl(1))));
    all.put(
        "synchronize",
        (client, top) ->
            finds(
                client,
                search(
                    top,
                    SearchScope.SUB,
                    new ContentSyncRequestControl(
                        ContentSyncRequestMode.REFRESH_ONLY, null, false))));
    all.put(
        "compare",
        (client, top) ->
            client.compare("cn=ann," + top, "userPassword", "x").getResultCode() != null);
    all.put("modify", (client, top) -> done(client.modify("cn=ann," + top, note("m"))));
    all.put(
        "relax",
        (client, top) ->
            done(
                client.modify(
                    new ModifyRequest(
                        "cn=ann," + top, List.of(note("r")), new Control[] {RELAX}))));
    all.put(
        "add and delete",
        (client, top) -> {
          person(client, "cn=new," + top);
          return done(client.delete("cn=new," + top));
        });
    all.put(
        "rename",
        (client, top) -> {
          client.modifyDN("ou=x," + top, "ou=y", true);
          return done(client.modifyDN("ou=y," + top, "ou=x", true));
        });
    all.put(
        "set a password",
        (client, top) ->
            client
                .processExtendedOperation(
                    new PasswordModifyExtendedRequest("cn=ann," + top, null, "secret"))
                .getResultCode()
                .equals(ResultCode.SUCCESS));
    all.put("change in a transaction", RootAccountsTest::inTransaction);
    return all;
  }

  private static boolean leave(LDAPConnection client, String other) throws LDAPException {
    return done(client.modifyDN("ou=x," + (other.equals(A) ? B : A), "ou=moved", true, other));
  }

  private static boolean inTransaction(LDAPConnection client, String top) throws LDAPException {
    ASN1OctetString id =
        ((StartTransactionExtendedResult)
                client.processExtendedOperation(new StartTransactionExtendedRequest()))
            .getTransactionID();
    client.modify(
        new ModifyRequest(
            "cn=ann," + top,
            List.of(note("t")),
            new Control[] {new TransactionSpecificationRequestControl(id)}));
    return client
        .processExtendedOperation(new EndTransactionExtendedRequest(id, true))
        .getResultCode()
        .equals(ResultCode.SUCCESS);
  }

  private static boolean done(com.unboundid.ldap.sdk.LDAPResult result) {
    return result.getResultCode().equals(ResultCode.SUCCESS);
  }

  private static boolean succeeds(Attempt attempt, LDAPConnection client, String top) {
    try {
      return attempt.go(client, top);
    } catch (LDAPException _) {
      return false;
    }
  }

  @Test
  void shouldGiveTheRightsOfRootWithinItsNamingContextsOnly() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, Set<String>> root : ROOTS.entrySet()) {
      for (String top : List.of(A, B)) {
        for (Map.Entry<String, Attempt> each : attempts().entrySet()) {
          try (LDAPConnection client = as(root.getKey())) {
            boolean isExpected = root.getValue().contains(top);
            if (succeeds(each.getValue(), client, top) != isExpected) {
              wrong.add(root.getKey() + " in " + top + ": " + each.getKey());
            }
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void shouldKeepWhatBelongsToNoNamingContextToRootOfEverything() throws Exception {
    Map<String, Attempt> all = new LinkedHashMap<>();
    all.put("monitor", (client, _) -> finds(client, search("cn=monitor", SearchScope.SUB)));
    all.put(
        "schema",
        (client, _) ->
            done(
                client.modify(
                    "cn=subschema",
                    new Modification(
                        ModificationType.ADD,
                        "attributeTypes",
                        "( 1.3.6.1.4.1.32473.1 NAME 'rootMark' SUP name )"))));
    all.put(
        "act as another",
        (client, _) -> {
          Control as = new ProxiedAuthorizationV2RequestControl("dn:cn=ann," + A);
          SearchRequest request = search("cn=ann," + A, SearchScope.BASE, as);
          return !refusal(client, request).equals(ResultCode.AUTHORIZATION_DENIED);
        });
    all.put(
        "explain",
        (client, _) ->
            refusal(client, search(A, SearchScope.SUB, EXPLAIN)).equals(ResultCode.SUCCESS));
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, Set<String>> root : ROOTS.entrySet()) {
      for (Map.Entry<String, Attempt> each : all.entrySet()) {
        try (LDAPConnection client = as(root.getKey())) {
          if (succeeds(each.getValue(), client, "") != root.getValue().contains("")) {
            wrong.add(root.getKey() + ": " + each.getKey());
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void shouldLeaveItsNamingContextsNeitherByAliasesNorByRenaming() throws Exception {
    for (Map.Entry<String, Set<String>> root : ROOTS.entrySet()) {
      boolean isOfBoth = root.getValue().containsAll(Set.of(A, B));
      for (String top : root.getValue().stream().filter(each -> !each.isEmpty()).toList()) {
        String other = top.equals(A) ? B : A;
        try (LDAPConnection client = as(root.getKey())) {
          SearchRequest below = search(top, SearchScope.SUB);
          below.setDerefPolicy(DereferencePolicy.ALWAYS);
          List<String> names =
              client.search(below).getSearchEntries().stream().map(e -> e.getDN()).toList();
          assertThat(names.contains("cn=ann," + other)).as(root + " " + top).isEqualTo(isOfBoth);
          assertThat(names).contains("cn=ann," + top);
          SearchRequest at = search("cn=away," + top, SearchScope.BASE);
          at.setDerefPolicy(DereferencePolicy.ALWAYS);
          assertThat(finds(client, at)).as(root + " " + top).isEqualTo(isOfBoth);
          assertThat(succeeds(RootAccountsTest::leave, client, other)).isFalse();
        }
      }
    }
  }

  @Test
  void shouldRelaxUniquenessOnlyAmongItsOwn() throws Exception {
    try (LDAPConnection all = as("cn=admin");
        LDAPConnection client = as("cn=root,o=a")) {
      person(client, "cn=bob," + A);
      client.modify("cn=ann," + A, new Modification(ModificationType.ADD, "employeeNumber", "1"));
      all.modify("cn=ann," + B, new Modification(ModificationType.ADD, "employeeNumber", "2"));
      assertThat(relaxed(client, "1")).isTrue();
      assertThatThrownBy(() -> client.modify(number("2"))).hasMessageNotContaining("cn=ann,o=b");
      assertThat(relaxed(client, "2")).isFalse();
      assertThat(relaxed(all, "2")).isTrue();
    }
  }

  private static ModifyRequest number(String value, Control... controls) {
    return new ModifyRequest(
        "cn=bob," + A,
        List.of(new Modification(ModificationType.REPLACE, "employeeNumber", value)),
        controls);
  }

  private static boolean relaxed(LDAPConnection client, String value) {
    return succeeds((by, _) -> done(by.modify(number(value, RELAX))), client, A);
  }

  @Test
  void shouldTakeRightsAwayFromOpenConnectionsAtAReload() throws Exception {
    try (LDAPConnection client = as("cn=both")) {
      assertThat(finds(client, search(A, SearchScope.BASE))).isTrue();
      ServerProcess.configure(
          folder, ACCOUNTS.replace("suffixes = [\"o=a\", \"o=b\"] }", "suffixes = [\"o=b\"] }"));
      assertThat(server.served().control().reload().tookEffect())
          .singleElement()
          .asString()
          .startsWith("nyala.rootAccounts")
          .doesNotContain("secret");
      assertThat(finds(client, search(A, SearchScope.BASE))).isFalse();
      assertThat(finds(client, search(B, SearchScope.BASE))).isTrue();
      ServerProcess.configure(folder, ACCOUNTS.replace("password = secret", "password = changed"));
      assertThat(server.served().control().reload().tookEffect())
          .contains("nyala.rootAccounts: passwords");
    }
  }

  @Test
  void shouldRefuseAccountsThatAreNotOfWholeNamingContexts() throws Exception {
    refuses("suffixes = [\"ou=x,o=a\"]", "expected naming contexts of this server");
    refuses("suffixes = []", "at least one naming context");
    refuses("dn = \"cn=admin\", suffixes = [\"o=a\"]", "no other root account has");
    refuses("passwordFile = x, suffixes = [\"o=a\"]", "found both");
  }

  private void refuses(String part, String message) throws Exception {
    ServerProcess.configure(
        folder,
        "suffixes = [\"o=a\", \"o=b\"], access.rules = access.rules, rootAccounts = [ { dn ="
            + " \"cn=r\", password = x, "
            + part
            + " } ]");
    assertThatThrownBy(() -> server.served().control().reload())
        .isInstanceOfAny(ConfigurationException.class, IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
