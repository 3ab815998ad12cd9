package org.nyala.core.access.enforce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RulesText;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.Scope;
import org.nyala.core.session.OperationFixture;

/** Tests in which groups clients are, of few and of many that rules name. */
final class MembershipLookupTest {
  private static final String TOP = "dc=example,dc=com";

  private static String user(int number) {
    return "cn=u" + number + ',' + TOP;
  }

  private static String group(int number) {
    return "cn=g" + number + ',' + TOP;
  }

  /** User i is in group i, and in group i + 1 through it. */
  private static OperationFixture server(int groups, String kind, boolean isExact) {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    StringBuilder rules = new StringBuilder();
    for (int i = 0; i < groups; i++) {
      entries.add(entry(user(i), "objectClass", "person", "cn", "u" + i, "sn", "x"));
    }
    String member = kind.contains("uniqueMember") ? "uniqueMember" : "member";
    for (int i = 0; i < groups; i++) {
      String inner = group(i - 1);
      entries.add(
          entry(
              group(i), "objectClass", "groupOfNames", "cn", "g", member, user(i), member, inner));
      rules.append("to entry \"").append(user(i)).append("\"\n  group \"");
      rules.append(group(i)).append("\" ").append(kind).append(" may read\n");
    }
    rules.append("to all\n  all may search\n");
    OperationFixture server = new OperationFixture().store(entries, isExact);
    server.rights = new RulesService();
    server.access = new AccessPolicy(false).withRules(new RulesText("rules", rules.toString()));
    return server;
  }

  @ParameterizedTest
  @CsvSource({
    "5,'',true",
    "40,'',true",
    "40,'',false",
    "5,nested,true",
    "40,nested,false",
    "40,class groupOfNames,true",
    "40,class groupOfUniqueNames member uniqueMember,true",
    "40,member uniqueMember,false"
  })
  void shouldFindThoseOfTheUser(int groups, String kind, boolean isExact) {
    boolean isOfOtherClass = kind.contains("class groupOfUniqueNames");
    OperationFixture server = server(groups, kind, isExact);
    for (int i = 0; i < groups; i++) {
      server.identity = new BoundIdentity(entry(user(i)).dn(), false);
      // Each slice ends at once.
      server.budget = new SliceBudget(1, 1);
      server.nanosPerLook = 1;
      List<String> expected = new ArrayList<>();
      for (int j = i; j < groups; j++) {
        if (j == i && !isOfOtherClass || kind.equals("nested")) {
          expected.add(user(j));
        }
      }
      assertThat(server.run(search(TOP, Scope.SUBTREE, ALL)).dns).isEqualTo(expected);
    }
  }
}
