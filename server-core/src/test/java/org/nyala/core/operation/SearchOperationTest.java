package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.OperationFixture.ALL;
import static org.nyala.core.operation.OperationFixture.entry;
import static org.nyala.core.operation.OperationFixture.limited;
import static org.nyala.core.operation.OperationFixture.manageDsaIt;
import static org.nyala.core.operation.OperationFixture.search;
import static org.nyala.core.operation.OperationFixture.with;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.backend.ReferenceFilter;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.search.DerefAliases;
import org.nyala.core.search.FilterNode;
import org.nyala.core.search.Scope;
import org.nyala.core.search.Ternary;

final class SearchOperationTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String PEOPLE = "ou=people,dc=example,dc=com";
  private static final String ANN = "uid=ann,ou=people,dc=example,dc=com";
  private static final String BOB = "uid=bob,ou=people,dc=example,dc=com";
  private static final String POLICY = "cn=policy,ou=people,dc=example,dc=com";
  private static final String ELSEWHERE = "ou=else where,dc=example,dc=com";
  private static final String ORG = "dc=example,dc=org";

  private final OperationFixture directory = new OperationFixture().store(entries(), false);

  private static List<Entry> entries() {
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(PEOPLE, "objectClass", "organizationalUnit", "ou", "people"),
        entry(
            ANN,
            "objectClass",
            "inetOrgPerson",
            "uid",
            "ann",
            "cn",
            "Ann",
            "sn",
            "A",
            "userPassword",
            "secret",
            "createTimestamp",
            "20200101000000Z"),
        entry(BOB, "objectClass", "inetOrgPerson", "uid", "bob", "cn", "Bob", "sn", "B"),
        entry(POLICY, "objectClass", "subentry", "cn", "policy", "subtreeSpecification", "{}"),
        entry(
            ELSEWHERE,
            "objectClass",
            "referral",
            "ou",
            "else where",
            "ref",
            "ldap://one.example/ou=x,dc=y",
            "ref",
            "ldaps://two.example:1636",
            "ref",
            "http://three/ label"));
  }

  private static Entry alias(String dn, String target) {
    return entry(dn, "objectClass", "alias", "aliasedObjectName", target);
  }

  private List<String> found(String base, Scope scope) {
    RecordingSink sink = directory.run(search(base, scope, ALL));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    return sink.dns;
  }

  @Test
  void shouldLookAtWhatTheScopeSays() {
    assertThat(found(PEOPLE, Scope.BASE)).containsExactly(PEOPLE);
    assertThat(found(PEOPLE, Scope.ONE_LEVEL)).containsExactly(ANN, BOB);
    assertThat(found(TOP, Scope.SUBTREE)).containsExactly(TOP, PEOPLE, ANN, BOB);
    assertThat(found(TOP, Scope.SUBORDINATE)).containsExactly(PEOPLE, ANN, BOB);
  }

  @Test
  void shouldFindTheSameAsBruteForceHoweverItIsSliced() {
    long seed = Long.getLong("test.seed", 3L);
    for (long round = seed; round < seed + 6; round++) {
      List<Entry> entries =
          new RandomDirectory(OperationFixture.SCHEMA, round).withSpecialEntries().entries(80);
      OperationFixture random = new OperationFixture().store(entries, round % 2 == 0);
      RandomFilters filters = new RandomFilters(entries, round);
      for (int i = 0; i < 40; i++) {
        searchRandomly(random, entries, filters.next(4), new Random(round * 1000 + i), round);
      }
    }
  }

  private static void searchRandomly(
      OperationFixture random, List<Entry> entries, FilterNode filter, Random choice, long seed) {
    random.budget = new SliceBudget(1 + choice.nextInt(50), Long.MAX_VALUE / 4);
    random.room = 1 + choice.nextInt(10);
    ReferenceFilter reference =
        new ReferenceFilter(OperationFixture.SCHEMA, random.access::isVisible, entries);
    List<String> expected = new ArrayList<>();
    for (Entry entry : entries) {
      int special = EntryRecord.REFERRAL | EntryRecord.SUBENTRY;
      if ((InMemoryBackend.flags(entry) & special) == 0
          && reference.value(filter, entry) == Ternary.TRUE) {
        expected.add(entry.dn().toString());
      }
    }
    RecordingSink sink = random.run(search(TOP, Scope.SUBTREE, filter));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.dns).as("test.seed=%d", seed).isEqualTo(expected);
  }

  @Test
  void shouldSayWhatIsThereOfAMissingName() {
    LdapResult result =
        directory.run(search("cn=x,cn=y," + PEOPLE, Scope.BASE, ALL)).results.getFirst();
    assertThat(result.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(result.matchedDn()).isEqualTo(PEOPLE);
    LdapResult outside = directory.run(search("dc=org", Scope.BASE, ALL)).results.getFirst();
    assertThat(outside).isEqualTo(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    assertThat(directory.run(search("people", Scope.BASE, ALL)).code())
        .isEqualTo(ResultCode.INVALID_DN_SYNTAX);
  }

  @Test
  void shouldLookEmptyToWhoMayNotRead() {
    directory.identity = BoundIdentity.ANONYMOUS;
    assertThat(directory.run(search(TOP, Scope.SUBTREE, ALL)).results)
        .containsExactly(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    assertThat(directory.run(search("cn=x," + TOP, Scope.SUBTREE, ALL)).results)
        .containsExactly(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    OperationFixture open = new OperationFixture().store(entries(), false);
    open.access = new AccessPolicy(true);
    open.identity = BoundIdentity.ANONYMOUS;
    assertThat(open.run(search(ANN, Scope.BASE, ALL)).dns).containsExactly(ANN);
  }

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

  @Test
  void shouldShowSubentriesOnlyAsTheBase() {
    assertThat(found(POLICY, Scope.BASE)).containsExactly(POLICY);
    assertThat(found(POLICY, Scope.SUBTREE)).isEmpty();
    assertThat(found(PEOPLE, Scope.ONE_LEVEL)).doesNotContain(POLICY);
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
  void shouldExceedTheSizeLimitOnlyWhenThereIsOneMore() {
    Request.Search four = search(TOP, Scope.SUBTREE, ALL);
    RecordingSink exact = directory.run(limited(four, 4, 0));
    assertThat(exact.code()).isEqualTo(ResultCode.SUCCESS);
    RecordingSink fewer = directory.run(limited(four, 3, 0));
    assertThat(fewer.code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(fewer.dns).containsExactly(TOP, PEOPLE, ANN);
  }

  private static ServerLimits limits(int size, int lookThrough) {
    return new ServerLimits(32, 64, 4, 10, 200, 10, 3, 3, size, 3600, lookThrough, 16);
  }

  @Test
  void shouldBindEverybodyButRootByTheServersLimits() {
    directory.limits = limits(3, 0);
    Request.Search four = search(TOP, Scope.SUBTREE, ALL);
    assertThat(directory.run(four).code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(directory.run(limited(four, 2, 0)).dns).hasSize(2);
    directory.identity = OperationFixture.ROOT;
    assertThat(directory.run(four).dns).hasSize(4);
    assertThat(directory.run(limited(four, 2, 0)).dns).hasSize(2);
  }

  @Test
  void shouldExceedTheLookThroughLimitOnlyWhenThereIsOneMore() {
    directory.limits = limits(0, 6);
    Request.Search one = search(TOP, Scope.SUBTREE, new FilterNode.Present("userPassword"));
    assertThat(directory.run(one).code()).isEqualTo(ResultCode.SUCCESS);
    OperationFixture stricter = new OperationFixture().store(entries(), false);
    stricter.limits = limits(0, 5);
    assertThat(stricter.run(one).code()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  @Test
  void shouldStopWhenTheTimeIsUp() {
    directory.budget = new SliceBudget(1, Long.MAX_VALUE / 4);
    directory.nanosPerLook = 500_000_000;
    Request.Search all = search(TOP, Scope.SUBTREE, ALL);
    RecordingSink sink = directory.run(limited(all, 0, 1));
    assertThat(sink.code()).isEqualTo(ResultCode.TIME_LIMIT_EXCEEDED);
    assertThat(sink.dns).hasSize(2);
    assertThat(directory.run(limited(all, 0, 100)).code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldYieldWhenTheSliceIsOverAndWaitForTheClient() {
    directory.budget = new SliceBudget(1, Long.MAX_VALUE / 4);
    found(TOP, Scope.SUBTREE);
    assertThat(directory.slices).isEqualTo(7);
    directory.budget = new SliceBudget(1000, 1);
    directory.room = 1;
    found(TOP, Scope.SUBTREE);
    assertThat(directory.slices).isEqualTo(6);
  }

  @Test
  void shouldSendWhatItHasWhenTheSliceIsOver() {
    RecordingSink sink = new RecordingSink(1000);
    Operation operation = directory.operation(search(TOP, Scope.SUBTREE, ALL), sink);
    assertThat(operation.run(new SliceBudget(1, Long.MAX_VALUE / 4)))
        .isEqualTo(Task.Outcome.YIELDED);
    assertThat(sink.dns).containsExactly(TOP);
    assertThat(sink.flushes).isEqualTo(1);
  }

  @Test
  void shouldLookAtTheClockMoreOftenWhereEntriesCostMore() {
    directory.budget = new SliceBudget(1000, 1);
    directory.nanosPerLook = 1;
    FilterNode item = new FilterNode.Equality("cn", OperationFixture.bytes("nobody"));
    directory.run(search(TOP, Scope.SUBTREE, item));
    assertThat(directory.slices).isEqualTo(1);
    directory.run(search(TOP, Scope.SUBTREE, new FilterNode.Or(Collections.nCopies(4000, item))));
    assertThat(directory.slices).isGreaterThan(4);
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

  @Test
  void shouldSendWhatWasSelected() {
    assertThat(directory.run(search(ANN, Scope.BASE, ALL)).attributes.getFirst().keySet())
        .containsExactlyInAnyOrder("objectClass", "uid", "cn", "sn");
    assertThat(directory.run(search(ANN, Scope.BASE, ALL, "name")).attributes.getFirst().keySet())
        .containsExactlyInAnyOrder("cn", "sn");
    assertThat(directory.run(search(ANN, Scope.BASE, ALL, "1.1")).attributes.getFirst()).isEmpty();
    assertThat(directory.run(search(ANN, Scope.BASE, ALL, "userPassword")).attributes.getFirst())
        .isEmpty();
  }

  @Test
  void shouldComputeAttributesWhenAskedFor() {
    assertThat(
            directory
                .run(search(PEOPLE, Scope.BASE, ALL, "entryDN", "hasSubordinates"))
                .attributes
                .getFirst())
        .containsOnly(
            Map.entry("entryDN", List.of(PEOPLE)), Map.entry("hasSubordinates", List.of("TRUE")));
    assertThat(directory.run(search(ANN, Scope.BASE, ALL, "+")).attributes.getFirst())
        .containsOnly(
            Map.entry("createTimestamp", List.of("20200101000000Z")),
            Map.entry("entryDN", List.of(ANN)),
            Map.entry("hasSubordinates", List.of("FALSE")),
            Map.entry("numSubordinates", List.of("0")),
            Map.entry("subschemaSubentry", List.of("cn=Subschema")));
    assertThat(
            directory.run(search(PEOPLE, Scope.BASE, ALL, "numSubordinates")).attributes.getFirst())
        .isEqualTo(
            Map.of(
                "numSubordinates",
                List.of(
                    Long.toString(
                        directory.backends.getFirst().entries().stream()
                            .filter(each -> each.dn().parent().toString().equals(PEOPLE))
                            .count()))));
    Request.Search typesOnly =
        new Request.Search(
            1,
            ANN,
            Scope.BASE,
            DerefAliases.NEVER,
            0,
            0,
            true,
            ALL,
            List.of("uid", "entryDN"),
            List.of());
    assertThat(directory.run(typesOnly).attributes.getFirst())
        .containsOnly(Map.entry("uid", List.of()), Map.entry("entryDN", List.of()));
  }

  @Test
  void shouldShowTheRootDseToEverybody() {
    directory.identity = BoundIdentity.ANONYMOUS;
    RecordingSink sink = directory.run(search("", Scope.BASE, ALL, "*", "+"));
    assertThat(sink.dns).containsExactly("");
    assertThat(sink.attributes.getFirst())
        .containsEntry("namingContexts", List.of(TOP))
        .containsEntry("supportedLDAPVersion", List.of("3"))
        .containsEntry("supportedControl", SupportedControls.oids())
        .containsEntry("supportedExtension", ExtendedOperation.OIDS)
        .containsEntry("subschemaSubentry", List.of("cn=Subschema"))
        .containsEntry("vendorName", List.of("Nyala"));
    assertThat(directory.run(search("", Scope.BASE, ALL)).attributes.getFirst().keySet())
        .containsExactly("objectClass");
    assertThat(directory.run(search("", Scope.BASE, new FilterNode.Present("uid"))).dns).isEmpty();
    assertThat(directory.run(search("", Scope.SUBTREE, ALL)).code())
        .isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldShowTheSchemaToEverybody() {
    directory.identity = BoundIdentity.ANONYMOUS;
    RecordingSink sink = directory.run(search("CN=subschema", Scope.BASE, ALL, "+"));
    assertThat(sink.dns).containsExactly("cn=Subschema");
    assertThat(sink.attributes.getFirst().get("attributeTypes"))
        .hasSize(OperationFixture.SCHEMA.attributeTypes().size());
    assertThat(sink.attributes.getFirst().keySet())
        .contains("objectClasses", "matchingRules", "matchingRuleUse", "ldapSyntaxes");
    assertThat(directory.run(search("cn=Subschema", Scope.ONE_LEVEL, ALL)).dns).isEmpty();
  }

  @Test
  void shouldHonourNoUnknownCriticalControl() {
    Request.Search base = search(ANN, Scope.BASE, ALL);
    assertThat(directory.run(with(base, new RequestControl("1.2.3", true, null))).code())
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(directory.run(with(base, new RequestControl("1.2.3", false, null))).code())
        .isEqualTo(ResultCode.SUCCESS);
    RequestControl ignored = new RequestControl("1.2.3", false, null);
    assertThat(directory.run(with(base, ignored, ignored)).code()).isEqualTo(ResultCode.SUCCESS);
    RequestControl twice = new RequestControl("2.16.840.1.113730.3.4.2", false, null);
    assertThat(directory.run(with(base, twice, twice)).code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    RequestControl value =
        new RequestControl("2.16.840.1.113730.3.4.2", true, OperationFixture.bytes("x"));
    assertThat(directory.run(with(base, value)).code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
  }

  @Test
  void shouldKeepTheLimitsOfARequest() {
    directory.limits = limits(0, 0);
    RequestControl[] three = new RequestControl[3];
    RequestControl[] four = new RequestControl[4];
    Arrays.setAll(three, i -> new RequestControl("1.2." + i, false, null));
    Arrays.setAll(four, i -> new RequestControl("1.2." + i, false, null));
    Request.Search base = search(ANN, Scope.BASE, ALL);
    assertThat(directory.run(with(base, three)).code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.run(with(base, four)).code()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.run(search(ANN, Scope.BASE, ALL, "a", "b", "c")).code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.run(search(ANN, Scope.BASE, ALL, "a", "b", "c", "d")).code())
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    FilterNode nine = new FilterNode.And(Collections.nCopies(9, ALL));
    FilterNode ten = new FilterNode.And(Collections.nCopies(10, ALL));
    assertThat(directory.run(search(ANN, Scope.BASE, nine)).code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.run(search(ANN, Scope.BASE, ten)).code())
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    String longName = "cn=" + "x".repeat(200) + "," + TOP;
    assertThat(directory.run(search(longName, Scope.BASE, ALL)).code())
        .isEqualTo(ResultCode.INVALID_DN_SYNTAX);
  }

  @Test
  void shouldEndWithoutAnAnswerWhenAbandoned() {
    RecordingSink sink = new RecordingSink(1);
    Operation operation = directory.operation(search(TOP, Scope.SUBTREE, ALL), sink);
    assertThat(operation.run(directory.budget)).isNotEqualTo(Task.Outcome.DONE);
    operation.abandon();
    assertThat(operation.run(directory.budget)).isEqualTo(Task.Outcome.DONE);
    assertThat(sink.dns).containsExactly(TOP);
    assertThat(sink.results).isEmpty();
    assertThat(directory.backends.getFirst().openReads()).isZero();
  }
}
