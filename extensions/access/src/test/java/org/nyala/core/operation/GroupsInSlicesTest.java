package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Membership;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/**
 * Reads the groups of one entry that is in very many, by access rules, in slices that are counted
 * in readings of the clock.
 */
final class GroupsInSlicesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String CLOSED = "ou=closed," + TOP;
  private static final int GROUPS = 320;

  /** The readings of the clock in a slice. */
  private static final int LOOKS = 4;

  /** The readings of the clock that a slice may take to end. */
  private static final int MORE = 8;

  private static final String RULES =
      """
      to subtree "ou=closed,dc=example,dc=com"
        all may nothing
      to all
        users may read
      """;

  private final OperationFixture directory = new OperationFixture();
  private long slices;
  private long longest;

  GroupsInSlicesTest() {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "organization", "objectClass", "dcObject", "o", "x"));
    entries.add(entry(CLOSED, "objectClass", "organizationalUnit", "ou", "closed"));
    entries.add(entry(ANN, "objectClass", "account", "uid", "ann"));
    for (int i = 0; i < GROUPS; i++) {
      entries.add(entry(group(i), "objectClass", "groupOfNames", "member", ANN));
    }
    directory.store(entries, true);
    directory.rights = new RulesService();
    directory.access = new AccessPolicy(false).withRules(new RulesText("access.rules", RULES));
    directory.membership =
        Membership.of(
            SCHEMA.attributeType("memberOf"),
            List.of(SCHEMA.attributeType("member")),
            false,
            2 * GROUPS);
  }

  /** Every third group is hidden. */
  private static String group(int number) {
    return "cn=g" + number + "," + (number % 3 == 0 ? CLOSED : TOP);
  }

  private RecordingSink runInSlices(Request request) {
    directory.nanosPerLook = 1;
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(request, sink);
    SliceBudget budget = new SliceBudget(1 << 16, LOOKS);
    slices = 0;
    longest = 0;
    Outcome outcome;
    do {
      long before = directory.nowNanos;
      outcome = operation.run(budget);
      longest = Math.max(longest, directory.nowNanos - before);
      slices++;
      assertThat(slices).isLessThan(10_000);
    } while (outcome != Outcome.DONE);
    directory.nanosPerLook = 0;
    return sink;
  }

  private void assertManyShortSlices() {
    assertThat(slices).isGreaterThan(GROUPS / 8 / LOOKS);
    assertThat(longest).isLessThanOrEqualTo(LOOKS + MORE);
  }

  @Test
  void shouldReadTheSameGroupsInSlices() {
    for (String attributes : List.of("memberOf", "+")) {
      Request.Search request = search(ANN, Scope.BASE, ALL, attributes);
      RecordingSink whole = directory.run(request);
      assertThat(whole.attributes.getFirst().get("memberOf"))
          .hasSize(GROUPS - (GROUPS + 2) / 3)
          .contains(group(1), group(GROUPS - 1))
          .doesNotContain(group(0));

      RecordingSink sliced = runInSlices(request);

      assertThat(sliced.code()).isEqualTo(ResultCode.SUCCESS);
      assertThat(sliced.attributes).isEqualTo(whole.attributes);
      assertManyShortSlices();
    }
  }

  @Test
  void shouldCompareWithTheGroupsInSlices() {
    for (int number : new int[] {0, 1, GROUPS - 1, GROUPS + 1}) {
      Request request = new Request.Compare(1, ANN, "memberOf", bytes(group(number)), List.of());
      ResultCode whole = directory.run(request).code();
      boolean isSeen = number % 3 != 0 && number < GROUPS;
      assertThat(whole).isEqualTo(isSeen ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE);

      assertThat(runInSlices(request).code()).isEqualTo(whole);
      assertManyShortSlices();
    }
  }

  @Test
  void shouldEndAnAbandonedSearchForGroups() {
    directory.nanosPerLook = 1;
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(search(ANN, Scope.BASE, ALL, "memberOf"), sink);
    SliceBudget budget = new SliceBudget(1 << 16, LOOKS);
    for (int i = 0; i < 5; i++) {
      assertThat(operation.run(budget)).isNotEqualTo(Outcome.DONE);
    }
    operation.abandon();
    assertThat(operation.run(budget)).isEqualTo(Outcome.DONE);
    assertThat(sink.results).isEmpty();
  }
}
