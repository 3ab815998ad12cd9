package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.SearchedEntries.ANN;
import static org.nyala.core.operation.SearchedEntries.BOB;
import static org.nyala.core.operation.SearchedEntries.ELSEWHERE;
import static org.nyala.core.operation.SearchedEntries.ORG;
import static org.nyala.core.operation.SearchedEntries.PEOPLE;
import static org.nyala.core.operation.SearchedEntries.TOP;
import static org.nyala.core.operation.SearchedEntries.alias;
import static org.nyala.core.operation.SearchedEntries.entries;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.manageDsaIt;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.OperationFixture;

/** Tests searches with referrals and aliases. */
final class ReferralsAndAliasesTest {
  private final OperationFixture directory = new OperationFixture().store(entries(), false);

  @Test
  void shouldReferToOtherServers() {
    RecordingSink sink = directory.run(search(TOP, Scope.SUBTREE, new FilterNode.Present("uid")));
    assertThat(sink.dns).containsExactly(ANN, BOB);
    assertThat(sink.references)
        .containsExactly(
            List.of(
                "ldap://one.example/ou=x,dc=y??sub",
                "ldaps://two.example:1636/ou=else%20where,dc=example,dc=com??sub",
                "http://three/"));
    assertThat(directory.run(search(TOP, Scope.ONE_LEVEL, ALL)).references.getFirst().getFirst())
        .isEqualTo("ldap://one.example/ou=x,dc=y??base");
  }

  @Test
  void shouldReferWhenTheBaseIsElsewhere() {
    LdapResult at = directory.run(search(ELSEWHERE, Scope.ONE_LEVEL, ALL)).results.getFirst();
    assertThat(at.code()).isEqualTo(ResultCode.REFERRAL);
    assertThat(at.matchedDn()).isEqualTo(ELSEWHERE);
    assertThat(at.referrals()).contains("ldap://one.example/ou=x,dc=y??one");
    LdapResult below =
        directory.run(search("cn=a b,cn=c," + ELSEWHERE, Scope.BASE, ALL)).results.getFirst();
    assertThat(below.referrals())
        .contains(
            "ldap://one.example/cn=a%20b,cn=c,ou=x,dc=y??base",
            "ldaps://two.example:1636/cn=a%20b,cn=c,ou=else%20where,dc=example,dc=com??base");
  }

  @Test
  void shouldTreatReferralObjectsAsEntriesWhenManaged() {
    RecordingSink sink = directory.run(with(search(TOP, Scope.ONE_LEVEL, ALL), manageDsaIt()));
    assertThat(sink.dns).containsExactly(PEOPLE, ELSEWHERE);
    assertThat(sink.references).isEmpty();
    assertThat(directory.run(with(search(ELSEWHERE, Scope.BASE, ALL), manageDsaIt())).dns)
        .containsExactly(ELSEWHERE);
    assertThat(
            directory.run(with(search("cn=x," + ELSEWHERE, Scope.BASE, ALL), manageDsaIt())).code())
        .isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  private OperationFixture withAliases() {
    List<Entry> entries = new ArrayList<>(entries());
    entries.add(alias("cn=staff,dc=example,dc=com", PEOPLE));
    entries.add(alias("cn=chief,ou=people,dc=example,dc=com", "cn=friend,dc=example,dc=com"));
    entries.add(alias("cn=friend,dc=example,dc=com", "o=Ext," + ORG));
    entries.add(alias("cn=loop,dc=example,dc=com", "cn=pool,dc=example,dc=com"));
    entries.add(alias("cn=pool,dc=example,dc=com", "cn=loop,dc=example,dc=com"));
    entries.add(alias("cn=gone,dc=example,dc=com", "cn=nobody,dc=example,dc=com"));
    return new OperationFixture()
        .store(entries, false)
        .store(
            List.of(
                entry(ORG, "objectClass", "domain", "dc", "example"),
                entry("o=Ext," + ORG, "objectClass", "organization", "o", "Ext"),
                entry("cn=deep,o=Ext," + ORG, "objectClass", "person", "cn", "deep"),
                alias("cn=back,o=Ext," + ORG, PEOPLE)),
            true);
  }

  @Test
  void shouldFollowAliasesToTheBase() {
    OperationFixture aliases = withAliases();
    Request.Search below = search("uid=ann,cn=staff,dc=example,dc=com", Scope.BASE, ALL);
    assertThat(aliases.run(with(below, DerefAliases.FINDING_BASE)).dns).containsExactly(ANN);
    assertThat(aliases.run(below).code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    Request.Search chain = search("cn=chief," + PEOPLE, Scope.BASE, ALL);
    assertThat(aliases.run(with(chain, DerefAliases.ALWAYS)).dns).containsExactly("o=Ext," + ORG);
    assertThat(aliases.run(chain).dns).containsExactly("cn=chief," + PEOPLE);
  }

  @Test
  void shouldEndWhereAliasesLeadNowhere() {
    OperationFixture aliases = withAliases();
    Request.Search loop = search("cn=loop,dc=example,dc=com", Scope.BASE, ALL);
    assertThat(aliases.run(with(loop, DerefAliases.FINDING_BASE)).code())
        .isEqualTo(ResultCode.LOOP_DETECT);
    Request.Search gone = search("cn=gone,dc=example,dc=com", Scope.BASE, ALL);
    assertThat(aliases.run(with(gone, DerefAliases.FINDING_BASE)).code())
        .isEqualTo(ResultCode.ALIAS_PROBLEM);
    Request.Search below = search("cn=x,cn=gone,dc=example,dc=com", Scope.BASE, ALL);
    assertThat(aliases.run(with(below, DerefAliases.FINDING_BASE)).code())
        .isEqualTo(ResultCode.ALIAS_PROBLEM);
    Request.Search missing = search("cn=x,cn=staff,dc=example,dc=com", Scope.BASE, ALL);
    LdapResult nothing = aliases.run(with(missing, DerefAliases.FINDING_BASE)).results.getFirst();
    assertThat(nothing.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(nothing.matchedDn()).isEqualTo(PEOPLE);
  }

  @Test
  void shouldFollowAliasesBelowTheBaseOnce() {
    OperationFixture aliases = withAliases();
    aliases.budget = new SliceBudget(2, Long.MAX_VALUE / 4);
    assertThat(aliases.run(with(search(TOP, Scope.SUBTREE, ALL), DerefAliases.IN_SEARCHING)).dns)
        .containsExactly(TOP, PEOPLE, ANN, BOB, "o=Ext," + ORG, "cn=deep,o=Ext," + ORG);
    assertThat(aliases.run(with(search(PEOPLE, Scope.SUBTREE, ALL), DerefAliases.ALWAYS)).dns)
        .containsExactly(PEOPLE, ANN, BOB, "o=Ext," + ORG, "cn=deep,o=Ext," + ORG);
    assertThat(aliases.run(with(search(PEOPLE, Scope.ONE_LEVEL, ALL), DerefAliases.ALWAYS)).dns)
        .containsExactly(ANN, BOB, "o=Ext," + ORG);
    assertThat(aliases.run(with(search(TOP, Scope.ONE_LEVEL, ALL), DerefAliases.IN_SEARCHING)).dns)
        .containsExactly(PEOPLE, "o=Ext," + ORG);
    assertThat(aliases.run(with(search(ORG, Scope.SUBTREE, ALL), DerefAliases.IN_SEARCHING)).dns)
        .containsExactly(ORG, "o=Ext," + ORG, "cn=deep,o=Ext," + ORG, PEOPLE, ANN, BOB);
  }

  @Test
  void shouldLookAtTheClockBeforeItGoesOnWhereAnAliasLeads() {
    List<Entry> entries = new ArrayList<>(entries());
    entries.add(entry("ou=far," + TOP, "objectClass", "organizationalUnit", "ou", "far"));
    entries.add(alias("cn=way," + PEOPLE, "ou=far," + TOP));
    OperationFixture aliases = new OperationFixture().store(entries, false);
    aliases.budget = new SliceBudget(1000, 1);
    aliases.nanosPerLook = 1;
    Request.Search below = search(PEOPLE, Scope.SUBTREE, ALL);
    assertThat(aliases.run(with(below, DerefAliases.IN_SEARCHING)).dns)
        .containsExactly(PEOPLE, ANN, BOB, "ou=far," + TOP);
    assertThat(aliases.slices).isEqualTo(2);
  }
}
