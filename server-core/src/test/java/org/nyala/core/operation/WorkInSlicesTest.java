package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.filter.Membership;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests requests with much work for one entry: they run in slices of bounded length. */
final class WorkInSlicesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String GROUP = "cn=group," + TOP;
  private static final String POSIX = "cn=posix," + TOP;
  private static final String CHAIN = Membership.CHAIN_RULE_OID;
  private static final SliceBudget BUDGET = new SliceBudget(1 << 16, 1_000_000);

  /**
   * Measures the time in which the thread had a processor: other programs use the machine as well.
   */
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /**
   * Ten times the desired bound: the code is cold, and the store makes records as they are read.
   */
  private static final long LONGEST_MILLIS = 250;

  /** The bound itself, for warm code. */
  private static final double LONGEST_WARM_MILLIS = 20;

  private final OperationFixture directory = new OperationFixture().inRealTime();
  private long longestNanos;
  private long slices;

  private static List<Entry> entries(int members) {
    Entry group = entry(GROUP, "objectClass", "groupOfNames", "cn", "group");
    AttributeDescription member = AttributeDescription.parse(OperationFixture.SCHEMA, "member");
    Entry posix = entry(POSIX, "objectClass", "posixGroup", "cn", "posix", "gidNumber", "1");
    AttributeDescription uid = AttributeDescription.parse(OperationFixture.SCHEMA, "memberUid");
    for (int i = 0; i < members; i++) {
      group.add(member, bytes("uid=user" + i + ",ou=people," + TOP));
      posix.add(uid, bytes("user number " + i));
    }
    return List.of(
        entry(TOP, "objectClass", "organization", "objectClass", "dcObject", "o", "x"),
        group,
        posix);
  }

  private static FilterNode any(int count, IntFunction<FilterNode> item) {
    List<FilterNode> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.add(item.apply(i));
    }
    return new FilterNode.Or(items);
  }

  private static FilterNode byRule(String rule, String value) {
    return new FilterNode.Extensible(rule, null, bytes(value), false);
  }

  private static FilterNode part(String attribute, String part) {
    return new FilterNode.Substrings(attribute, null, List.of(bytes(part)), null);
  }

  /** Runs a request and measures its slices. */
  private RecordingSink run(Request request) {
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(request, sink);
    runToEnd(operation, Long.MAX_VALUE, _ -> {});
    return sink;
  }

  /** Runs an operation to its end, and an action after one of its slices. */
  private void runToEnd(Operation operation, long afterSlice, Consumer<Operation> deed) {
    longestNanos = 0;
    slices = 0;
    Outcome outcome;
    do {
      long start = THREADS.getCurrentThreadCpuTime();
      outcome = operation.run(BUDGET);
      longestNanos = Math.max(longestNanos, THREADS.getCurrentThreadCpuTime() - start);
      if (++slices == afterSlice) {
        deed.accept(operation);
      }
    } while (outcome != Outcome.DONE);
  }

  private void assertShortSlices() {
    assertThat(TimeUnit.NANOSECONDS.toMillis(longestNanos)).isLessThan(LONGEST_MILLIS);
  }

  @Test
  void shouldShareTheThreadBesideManyTestsOfTheSubschema() {
    directory.store(entries(1), false);
    FilterNode same = any(3500, _ -> byRule("2.5.13.30", "9.9"));
    assertThat(run(search("cn=Subschema", Scope.BASE, same)).code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(slices).isLessThan(1000);
    assertShortSlices();
    FilterNode others = any(2000, i -> part("objectClasses", "no" + i));
    RecordingSink sink = run(search("cn=Subschema", Scope.BASE, others));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.dns).isEmpty();
    assertShortSlices();
  }

  @Test
  void shouldEndInTimeWhereOneEntryTakesLong() {
    directory.store(entries(20_000), false);
    FilterNode many = any(2000, i -> part("memberUid", "no" + i));
    Request.Search search = OperationFixture.limited(search(POSIX, Scope.BASE, many), 0, 60);
    RecordingSink late = new RecordingSink(Integer.MAX_VALUE);
    long limitNanos = TimeUnit.SECONDS.toNanos(60);
    runToEnd(directory.operation(search, late), 10, _ -> directory.skippedNanos = limitNanos);
    assertThat(late.code()).isEqualTo(ResultCode.TIME_LIMIT_EXCEEDED);
    assertThat(slices).as("the limit ends the slice after it").isEqualTo(11);
    assertShortSlices();
    RecordingSink abandoned = new RecordingSink(Integer.MAX_VALUE);
    runToEnd(directory.operation(search, abandoned), 10, Operation::abandon);
    assertThat(slices).isEqualTo(11);
    assertThat(abandoned.results).isEmpty();
  }

  @Test
  void shouldTestAllMembersAgainstManyNamesAtOnce() {
    directory.store(entries(20_000), false);
    FilterNode names = any(1000, i -> byRule("2.5.13.1", "o=x" + i));
    RecordingSink sink = run(search(GROUP, Scope.BASE, names));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.dns).isEmpty();
    assertShortSlices();
    FilterNode last = byRule("2.5.13.1", "uid=user19999,ou=people," + TOP);
    FilterNode found = new FilterNode.And(List.of(last, new FilterNode.Not(names)));
    assertThat(run(search(GROUP, Scope.BASE, found)).dns).containsExactly(GROUP);
    assertThat(slices).isGreaterThan(1);
    assertThat(run(search(TOP, Scope.SUBTREE, found)).dns).containsExactly(GROUP);
  }

  private static Membership membership(boolean isNested) {
    return Membership.of(
        OperationFixture.SCHEMA.attributeType("memberOf"),
        List.of(OperationFixture.SCHEMA.attributeType("member")),
        isNested,
        1000);
  }

  @Test
  void shouldLookUpTheMembersOfGroupsInSlices() {
    directory.membership = membership(true);
    List<Entry> people = new ArrayList<>(entries(5000));
    people.add(entry("ou=people," + TOP, "objectClass", "organizationalUnit", "ou", "people"));
    for (int i = 4900; i < 5100; i++) {
      String name = "uid=user" + i + ",ou=people," + TOP;
      people.add(entry(name, "objectClass", "account", "uid", "user" + i));
    }
    directory.store(people, false);
    FilterNode of = new FilterNode.Equality("memberOf", bytes(GROUP));
    FilterNode all = new FilterNode.And(List.of(any(40, _ -> of), ALL));
    RecordingSink sink = run(search(TOP, Scope.SUBTREE, all));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.dns).hasSize(100);
    assertThat(slices).isGreaterThan(3);
    assertShortSlices();
    FilterNode chain =
        new FilterNode.Extensible(CHAIN, "member", bytes(people.get(4).dn() + ""), false);
    assertThat(run(search(GROUP, Scope.BASE, any(40, _ -> chain))).dns).containsExactly(GROUP);
    assertShortSlices();
    String member = people.get(4).dn().toString();
    assertThat(run(search(member, Scope.BASE, any(40, _ -> of))).dns).containsExactly(member);
    String other = people.getLast().dn().toString();
    assertThat(run(search(other, Scope.BASE, new FilterNode.Not(of))).dns).containsExactly(other);
  }

  private static RequestControl matched(List<FilterNode> items) {
    BerWriter all = new BerWriter();
    items.forEach(item -> all.raw(FilterWriter.encode(item)));
    byte[] value = new BerWriter().sequence(all).toByteArray();
    return ControlledEntries.control(ControlType.MATCHED_VALUES, value);
  }

  @Test
  void shouldMatchValuesInSlices() {
    directory.store(entries(5000), false);
    List<FilterNode> items = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      items.add(part("memberUid", "number 499" + i));
    }
    RecordingSink sink = run(with(search(POSIX, Scope.BASE, ALL), matched(items)));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.attributes.getFirst().get("memberUid"))
        .hasSize(10)
        .contains("user number 4991");
    assertThat(slices).isGreaterThan(2);
    assertShortSlices();
    RecordingSink abandoned = new RecordingSink(Integer.MAX_VALUE);
    Request request = with(search(POSIX, Scope.BASE, ALL), matched(items));
    runToEnd(directory.operation(request, abandoned), 2, Operation::abandon);
    assertThat(slices).isEqualTo(3);
  }

  @Test
  void shouldCompareAndAssertInSlices() {
    directory.store(entries(20_000), false);
    String last = "uid=user19999,ou=people," + TOP;
    FilterNode asserted =
        new FilterNode.And(
            List.of(
                byRule("2.5.13.1", last),
                new FilterNode.Not(any(300, i -> part("memberUid", "no" + i)))));
    RequestControl control =
        ControlledEntries.control(ControlType.ASSERTION, FilterWriter.encode(asserted));
    Request compare = new Request.Compare(1, GROUP, "member", bytes(last), List.of(control));
    assertThat(run(compare).code()).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(slices).isGreaterThan(1);
    assertShortSlices();
    Request.Search search = search(GROUP, Scope.SUBTREE, ALL);
    assertThat(run(with(search, control)).dns).containsExactly(GROUP);
    assertShortSlices();
  }

  @Test
  void shouldCompileLongFiltersInSlices() {
    directory.store(entries(1), false);
    FilterNode some =
        any(
            16,
            i -> new FilterNode.Equality("cn", bytes("\u1e9b\u0323 " + "\u00c4".repeat(5000) + i)));
    assertThat(run(search(TOP, Scope.BASE, some)).code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(slices).isGreaterThan(3);
    assertShortSlices();
  }

  @Test
  void shouldRefuseAnAssertionThatIsTooLong() {
    directory.store(entries(1), false);
    FilterNode longest = new FilterNode.Equality("cn", new byte[(1 << 20) + 1]);
    assertThat(run(search(TOP, Scope.BASE, longest)).code())
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    Request compare = new Request.Compare(1, TOP, "o", new byte[(1 << 20) + 1], List.of());
    assertThat(run(compare).code()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  @Test
  void shouldKeepSlicesShortForFiltersOfAllKinds() {
    directory.store(entries(5000), false);
    long seed = Seeds.seed();
    Random random = new Random(seed);
    long worst = 0;
    for (int i = 0; i < 20; i++) {
      FilterNode filter = hostile(random, 3);
      String base = random.nextBoolean() ? TOP : random.nextBoolean() ? "cn=Subschema" : "";
      Scope scope = base.equals(TOP) ? Scope.SUBTREE : Scope.BASE;
      Request.Search search = OperationFixture.limited(search(base, scope, filter), 0, 1);
      run(search);
      assertShortSlices();
      run(search);
      for (int j = 0; j < 4 && longestNanos / 1e6 >= LONGEST_WARM_MILLIS; j++) {
        // A machine that takes the processor away in a slice does not do so again and again.
        run(search);
      }
      worst = Math.max(worst, longestNanos);
      assertThat(longestNanos / 1e6)
          .as("test.seed=%d, filter %d, with warm code", seed, i)
          .isLessThan(LONGEST_WARM_MILLIS);
    }
    System.out.printf("test.seed=%d: longest slice %.1f ms%n", seed, worst / 1e6);
  }

  private static FilterNode hostile(Random random, int depth) {
    int count = 1 + random.nextInt(depth == 3 ? 12 : 300);
    String[] attributes = {"member", "memberUid", "objectClasses", "cn", "name", "cn;x-" + count};
    String[] rules = {"2.5.13.1", "2.5.13.2", "2.5.13.30", "2.5.13.32", "2.5.13.5", "2.5.13.8"};
    FilterNode nodes =
        any(
            count,
            i -> {
              String attribute = attributes[random.nextInt(attributes.length)];
              return switch (random.nextInt(depth > 1 ? 7 : 5)) {
                case 0 -> new FilterNode.Equality(attribute, bytes("o=x" + i));
                case 1 -> part(attribute, "a".repeat(1 + random.nextInt(300)) + i);
                case 2 -> byRule(rules[random.nextInt(rules.length)], "9." + i);
                case 3 ->
                    new FilterNode.Extensible(
                        rules[random.nextInt(rules.length)], attribute, bytes("o=" + i), true);
                case 4 -> new FilterNode.Equality("entryDN", bytes("cn=x" + i));
                default -> hostile(random, depth - 1);
              };
            });
    return random.nextBoolean()
        ? nodes
        : new FilterNode.Not(new FilterNode.And(List.of(new FilterNode.Not(nodes))));
  }
}
