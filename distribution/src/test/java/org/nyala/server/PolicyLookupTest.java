package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadResponseControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;

/** Reads policies and groups beside entries, whose borrowed data stay what they are. */
@Timeout(300)
class PolicyLookupTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String USABILITY = "1.3.6.1.4.1.42.2.27.9.5.8";

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;

  @BeforeEach
  void serve() throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            passwordPolicy.default = "cn=default,dc=example,dc=com"
            passwordPolicy.rules = [
              { group = "cn=group,dc=example,dc=com", policy = "cn=of group,dc=example,dc=com" }
              { filter = "(title=boss)", policy = "cn=of bosses,dc=example,dc=com" }
            ]
            """);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    for (String name : List.of("default", "of group", "of bosses")) {
      root.add(
          "dn: cn=" + name + "," + TOP,
          "objectClass: device",
          "objectClass: pwdPolicy",
          "pwdAttribute: userPassword",
          "description: " + "a policy, and a long one".repeat(20));
    }
    root.add(
        "dn: cn=group," + TOP,
        "objectClass: groupOfNames",
        "description: the group",
        "member: uid=a," + TOP);
    for (String name : List.of("a", "b", "c")) {
      root.add(
          "dn: uid=" + name + "," + TOP,
          "objectClass: inetOrgPerson",
          "cn: person " + name,
          "sn: " + name,
          "title: " + (name.equals("c") ? "clerk" : "boss"),
          "userPassword: secret");
    }
  }

  @AfterEach
  void stop() {
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    root.close();
    server.close();
  }

  private void requireApplies(String name, String policy) throws Exception {
    assertThat(
            root.compare("uid=" + name + "," + TOP, "pwdPolicySubentry", "cn=" + policy + "," + TOP)
                .compareMatched())
        .as(name)
        .isTrue();
  }

  @Test
  void shouldChooseByLaterRulesAfterAGroupWasRead() throws Exception {
    requireApplies("a", "of group");
    requireApplies("b", "of bosses");
    requireApplies("c", "default");
  }

  @Test
  void shouldChangeTheEntryWhosePolicyItShowsBefore() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      ModifyRequest request =
          new ModifyRequest(
              "uid=" + name + "," + TOP,
              new Modification(ModificationType.REPLACE, "description", "changed"));
      request.addControl(new PreReadRequestControl("*", "+"));
      LDAPResult result = root.modify(request);
      Entry before = PreReadResponseControl.get(result).getEntry();
      assertThat(before.getDN()).isEqualTo("uid=" + name + "," + TOP);
      assertThat(before.getAttributeValue("cn")).isEqualTo("person " + name);
      assertThat(before.getAttributeValue("pwdPolicySubentry")).isNotNull();
      Entry after = root.getEntry("uid=" + name + "," + TOP);
      assertThat(after.getAttributeValue("description")).isEqualTo("changed");
      assertThat(after.getAttributeValue("sn")).isEqualTo(name);
      assertThat(after.getObjectClassValues()).containsExactly("inetOrgPerson");
    }
  }

  @Test
  void shouldSendSortedEntriesWithTheirOwnValues() throws Exception {
    SearchRequest request =
        new SearchRequest(TOP, SearchScope.ONE, "(uid=*)", "cn", "uid", "pwdPolicySubentry");
    request.addControl(new ServerSideSortRequestControl(new SortKey("uid", null, true)));
    request.addControl(new Control(USABILITY, true));
    List<SearchResultEntry> found = root.search(request).getSearchEntries();
    assertThat(found)
        .extracting(Entry::getDN)
        .containsExactly("uid=c," + TOP, "uid=b," + TOP, "uid=a," + TOP);
    for (SearchResultEntry entry : found) {
      assertThat(entry.getAttributeValue("cn"))
          .isEqualTo("person " + entry.getAttributeValue("uid"));
      assertThat(entry.getAttributeValue("pwdPolicySubentry")).startsWith("cn=");
      assertThat(entry.getControl(USABILITY)).isNotNull();
    }
  }
}
