package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.SearchedEntries.ANN;
import static org.nyala.core.operation.SearchedEntries.BOB;
import static org.nyala.core.operation.SearchedEntries.PEOPLE;
import static org.nyala.core.operation.SearchedEntries.POLICY;
import static org.nyala.core.operation.SearchedEntries.TOP;
import static org.nyala.core.operation.SearchedEntries.entries;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
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
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests the results of searches: entries found, shown and hidden. */
final class SearchOperationTest {
  private final OperationFixture directory = new OperationFixture().store(entries(), false);

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
        new ReferenceFilter(OperationFixture.SCHEMA, type -> !type.isSecret(), entries);
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
        .extracting(LdapResult::code)
        .containsExactly(ResultCode.NO_SUCH_OBJECT);
    assertThat(directory.run(search("cn=x," + TOP, Scope.SUBTREE, ALL)).results)
        .extracting(LdapResult::code)
        .containsExactly(ResultCode.NO_SUCH_OBJECT);
    OperationFixture open = new OperationFixture().store(entries(), false);
    open.access = new AccessPolicy(true);
    open.identity = BoundIdentity.ANONYMOUS;
    assertThat(open.run(search(ANN, Scope.BASE, ALL)).dns).containsExactly(ANN);
  }

  @Test
  void shouldShowSubentriesOnlyAsTheBase() {
    assertThat(found(POLICY, Scope.BASE)).containsExactly(POLICY);
    assertThat(found(POLICY, Scope.SUBTREE)).isEmpty();
    assertThat(found(PEOPLE, Scope.ONE_LEVEL)).doesNotContain(POLICY);
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
  void shouldShowPasswordsToRootOnTheMachineItself() {
    directory.onThisMachine = true;
    Request.Search all = search(ANN, Scope.BASE, ALL);
    assertThat(directory.run(all).attributes.getFirst()).doesNotContainKey("userPassword");
    directory.identity = OperationFixture.ROOT;
    assertThat(directory.run(all).attributes.getFirst()).containsKeys("userPassword", "cn");
    Request.Search named = search(ANN, Scope.BASE, ALL, "userPassword");
    assertThat(directory.run(named).attributes.getFirst().keySet()).containsExactly("userPassword");
    directory.onThisMachine = false;
    assertThat(directory.run(all).attributes.getFirst()).doesNotContainKey("userPassword");
  }

  @Test
  void shouldSayWhyClientsThatHaveNotBoundFindNothing() {
    directory.identity = BoundIdentity.ANONYMOUS;
    for (String name : new String[] {ANN, TOP, "uid=nobody," + TOP, "dc=elsewhere"}) {
      LdapResult result = directory.run(search(name, Scope.BASE, ALL)).results.getFirst();
      assertThat(result.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
      assertThat(result.message())
          .isEqualTo("clients that have not bound may not read here (access.anonymousRead)");
      assertThat(result.matchedDn()).isEmpty();
    }
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
        .containsEntry("objectClass", List.of("top", "OpenLDAProotDSE"))
        .containsEntry("structuralObjectClass", List.of("OpenLDAProotDSE"))
        .containsEntry("namingContexts", List.of(TOP))
        .containsEntry("supportedLDAPVersion", List.of("3"))
        .containsEntry("supportedControl", SampleControls.SUPPORTED.oids())
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
