package org.nyala.core.access.enforce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RulesText;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.session.OperationFixture;

/** Carries out large filters under access rules: in slices, charged to their client. */
final class LargeFilterTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int PEOPLE = 8;
  private static final int OPTIONS = 400;
  private static final int ITEMS = 1000;

  @Test
  void shouldTestEntriesOfManyProfilesInSlices() {
    OperationFixture server = server();
    server.nanosPerLook = 1_000_000;
    server.budget = new SliceBudget(1000, 1);
    RecordingSink sink =
        server.run(search(TOP, Scope.SUBTREE, filter(new FilterNode.Present("uid"))));
    assertThat(sink.results.getFirst().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.dns).hasSize(PEOPLE);
    // Each form has the items once more, and each item counts as 32 bytes of an assertion.
    assertThat(server.slices).isGreaterThan(PEOPLE * ITEMS * 32 / 4096 / 2);
    assertThat(server.memory.held()).isGreaterThan(256L * ITEMS * PEOPLE);
    sink.completion.run();
    assertThat(server.memory.held()).isZero();
  }

  @Test
  void shouldFindValuesOfAttributesWithManyOptions() {
    OperationFixture server = server();
    RecordingSink sink =
        server.run(
            search(
                TOP,
                Scope.SUBTREE,
                filter(new FilterNode.Extensible("caseIgnoreMatch", null, bytes("tag 7"), false))));
    assertThat(sink.dns).containsExactly("uid=p1," + TOP);
    RecordingSink hidden =
        server.run(
            search(
                TOP,
                Scope.SUBTREE,
                filter(
                    new FilterNode.Extensible("caseIgnoreMatch", null, bytes("secret"), false))));
    assertThat(hidden.dns).isEmpty();
    sink.completion.run();
    hidden.completion.run();
    assertThat(server.memory.held()).isZero();
  }

  private static OperationFixture server() {
    List<Entry> entries = new ArrayList<>();
    entries.add(
        OperationFixture.entry(
            TOP,
            "objectClass",
            "organization",
            "objectClass",
            "dcObject",
            "o",
            "o",
            "dc",
            "example"));
    StringBuilder rules = new StringBuilder();
    for (int i = 0; i < PEOPLE; i++) {
      String name = "uid=p" + i + ',' + TOP;
      List<String> pairs = new ArrayList<>();
      pairs.addAll(List.of("objectClass", "inetOrgPerson", "uid", "p" + i, "cn", "x", "sn", "x"));
      pairs.addAll(List.of("mail", "secret"));
      for (int tag = 0; i == 1 && tag < OPTIONS; tag++) {
        pairs.addAll(List.of("description;lang-x" + tag, "tag " + tag));
      }
      entries.add(OperationFixture.entry(name, pairs.toArray(String[]::new)));
      rules.append(
          "to entry \"" + name + "\" attributes " + ONE_HIDDEN.get(i) + "\n  all may nothing\n");
    }
    rules.append("to all attributes mail\n  all may nothing\nto all\n  all may read\n");
    OperationFixture server = new OperationFixture();
    server.store(entries, true);
    server.rights = new RulesService();
    server.access = new AccessPolicy(false).withRules(new RulesText("rules", rules.toString()));
    return server;
  }

  /** Attributes that rules hide in one entry each, so that each has a profile of its own. */
  private static final List<String> ONE_HIDDEN =
      List.of("sn", "title", "street", "l", "st", "postalCode", "initials", "displayName");

  private static FilterNode filter(FilterNode one) {
    List<FilterNode> items = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      items.add(new FilterNode.Extensible("caseIgnoreMatch", null, bytes("none " + i), false));
    }
    items.add(one);
    return new FilterNode.Or(items);
  }
}
