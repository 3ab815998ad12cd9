package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.OperationFixture.ALL;
import static org.nyala.core.operation.OperationFixture.entry;
import static org.nyala.core.operation.OperationFixture.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.ServerLimits;
import org.nyala.core.ServerLimits.SortLimits;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.ByteAppender;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.search.DerefAliases;
import org.nyala.core.search.FilterNode;
import org.nyala.core.search.Scope;

/** Pages, orders and list views, compared with sorting the whole result by hand. */
final class ListSearchTest {
  private static final long SEED = Long.getLong("test.seed", System.nanoTime());
  private static final String TOP = "dc=example,dc=com";
  private static final String SORTED = "1.2.840.113556.1.4.474";
  private static final String PAGED = "1.2.840.113556.1.4.319";
  private static final String VIEWED = "2.16.840.1.113730.3.4.10";
  private static final List<Scope> SCOPES = List.of(Scope.values());
  private static final List<String> ATTRIBUTES =
      List.of("cn", "sn", "uidNumber", "createTimestamp", "mail", "description", "entryUUID");

  /** One sort key as a test wants it. */
  record Key(String attribute, String rule, boolean reverse) {}

  static RequestControl sort(boolean critical, Key... keys) {
    BerWriter list = new BerWriter();
    for (Key key : keys) {
      BerWriter one = new BerWriter().text(key.attribute());
      if (key.rule() != null) {
        one.octets(0x80, OperationFixture.bytes(key.rule()));
      }
      if (key.reverse()) {
        one.octets(0x81, new byte[] {-1});
      }
      list.sequence(one);
    }
    return control(ControlType.SORT, critical, list);
  }

  static RequestControl page(int size, byte[] cookie) {
    return control(ControlType.PAGED_RESULTS, true, new BerWriter().integer(size).octets(cookie));
  }

  static RequestControl byOffset(int before, int after, int offset, int count, byte[] context) {
    BerWriter target = new BerWriter().integer(offset).integer(count);
    BerWriter view = new BerWriter().integer(before).integer(after).constructed(0xa0, target);
    return control(
        ControlType.VIRTUAL_LIST_VIEW, true, context == null ? view : view.octets(context));
  }

  static RequestControl byValue(int before, int after, String value) {
    BerWriter view = new BerWriter().integer(before).integer(after);
    return control(
        ControlType.VIRTUAL_LIST_VIEW, true, view.octets(0x81, OperationFixture.bytes(value)));
  }

  private static RequestControl control(ControlType type, boolean critical, BerWriter content) {
    return new RequestControl(
        type.oid(), critical, new BerWriter().sequence(content).toByteArray());
  }

  static Request.Search with(Request.Search search, int sizeLimit, RequestControl... controls) {
    return new Request.Search(
        1,
        search.base(),
        search.scope(),
        search.derefAliases(),
        sizeLimit,
        0,
        false,
        search.filter(),
        List.of("1.1"),
        List.of(controls));
  }

  private static BerReader value(RecordingSink sink, String oid) {
    List<byte[]> values = sink.controlValues(oid);
    assertThat(values).as(oid).hasSize(1);
    try {
      return new BerReader(values.getFirst()).sequence();
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  static byte[] cookie(RecordingSink sink) {
    try {
      BerReader value = value(sink, PAGED);
      value.integer();
      return value.octets();
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  /** What the server calls the list. */
  static byte[] context(RecordingSink sink) {
    return place(sink).context();
  }

  private static int sortResult(RecordingSink sink) {
    try {
      return value(sink, SORTED).enumerated();
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  private record Place(int position, int count, int result, byte[] context) {}

  private static Place place(RecordingSink sink) {
    try {
      BerReader in = value(sink, VIEWED);
      return new Place(
          in.integer(), in.integer(), in.enumerated(), in.hasNext() ? in.octets() : null);
    } catch (InvalidBerException e) {
      throw new AssertionError(e);
    }
  }

  /** The results of all pages. */
  private static List<String> pages(
      OperationFixture directory, Request.Search search, int size, RequestControl... others) {
    List<String> found = new ArrayList<>();
    byte[] cookie = {};
    int pages = 0;
    do {
      List<RequestControl> controls = new ArrayList<>(List.of(others));
      controls.add(page(size, cookie));
      RecordingSink sink = directory.run(with(search, 0, controls.toArray(RequestControl[]::new)));
      assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
      cookie = cookie(sink);
      assertThat(sink.dns.size()).isLessThanOrEqualTo(size);
      if (cookie.length > 0) {
        assertThat(sink.dns).hasSize(size);
      }
      found.addAll(sink.dns);
      assertThat(++pages).isLessThan(1000);
    } while (cookie.length > 0);
    return found;
  }

  private static OperationFixture random(List<Entry> entries, Random choice) {
    OperationFixture directory = new OperationFixture().store(entries, choice.nextBoolean());
    directory.budget = new SliceBudget(1 + choice.nextInt(50), Long.MAX_VALUE / 4);
    directory.room = 1 + choice.nextInt(10);
    return directory;
  }

  private static Request.Search randomSearch(
      List<Entry> entries, RandomFilters filters, Random choice) {
    String base = entries.get(choice.nextInt(3) > 0 ? 0 : choice.nextInt(entries.size())).dn() + "";
    Scope scope = SCOPES.get(choice.nextInt(4));
    FilterNode filter = choice.nextBoolean() ? ALL : filters.next(3);
    return search(base, scope, filter);
  }

  @Test
  void shouldShowInPagesWhatIsShownAtOnce() {
    for (long round = SEED; round < SEED + 30; round++) {
      Random choice = new Random(round);
      List<Entry> entries =
          new RandomDirectory(OperationFixture.SCHEMA, round).withSpecialEntries().entries(80);
      OperationFixture directory = random(entries, choice);
      RandomFilters filters = new RandomFilters(entries, round);
      for (int i = 0; i < 10; i++) {
        Request.Search plain = randomSearch(entries, filters, choice);
        if (choice.nextBoolean()) {
          plain = OperationFixture.with(plain, DerefAliases.IN_SEARCHING);
        }
        RecordingSink whole = directory.run(plain);
        if (whole.code() == ResultCode.SUCCESS) {
          assertThat(pages(directory, plain, 1 + choice.nextInt(9)))
              .as("-Dtest.seed=%d %s", round, plain)
              .isEqualTo(whole.dns);
        }
      }
    }
  }

  private static MatchingRule rule(Key key) {
    AttributeDescription description =
        AttributeDescription.parse(OperationFixture.SCHEMA, key.attribute());
    if (key.rule() != null) {
      return OperationFixture.SCHEMA.matchingRule(key.rule());
    }
    MatchingRule ordering = description.type().ordering();
    return ordering != null ? ordering : description.type().equality();
  }

  /** The smallest value in normal form, or null. */
  private static byte[] least(Entry entry, Key key) {
    AttributeDescription wanted =
        AttributeDescription.parse(OperationFixture.SCHEMA, key.attribute());
    byte[] least = null;
    for (AttributeDescription description : entry.descriptions()) {
      if (description.isSubtypeOf(wanted)) {
        for (byte[] value : entry.values(description)) {
          ByteAppender normal = new ByteAppender(16);
          if (rule(key).valueNormalizer().normalize(value, 0, value.length, normal)) {
            byte[] bytes = normal.toByteArray();
            least = least == null || Arrays.compareUnsigned(bytes, least) < 0 ? bytes : least;
          }
        }
      }
    }
    return least;
  }

  private static Comparator<Entry> comparator(List<Entry> entries, List<Key> keys) {
    Comparator<Entry> order = (_, _) -> 0;
    for (Key key : keys) {
      Comparator<Entry> next =
          Comparator.comparing(
              (Entry entry) -> least(entry, key), Comparator.nullsLast(Arrays::compareUnsigned));
      order = order.thenComparing(key.reverse() ? next.reversed() : next);
    }
    return order.thenComparingInt(entries::indexOf);
  }

  private static List<Key> randomKeys(Random choice) {
    List<String> attributes = new ArrayList<>(ATTRIBUTES);
    Collections.shuffle(attributes, choice);
    List<Key> keys = new ArrayList<>();
    for (String attribute : attributes.subList(0, 1 + choice.nextInt(3))) {
      boolean isText = attribute.equals("cn") || attribute.equals("sn");
      String rule = isText && choice.nextBoolean() ? "caseExactOrderingMatch" : null;
      keys.add(new Key(attribute, rule, choice.nextBoolean()));
    }
    return keys;
  }

  private static List<String> sorted(List<Entry> entries, List<String> found, List<Key> keys) {
    HashSet<String> names = new HashSet<>(found);
    return entries.stream()
        .filter(entry -> names.contains(entry.dn().toString()))
        .sorted(comparator(entries, keys))
        .map(entry -> entry.dn().toString())
        .toList();
  }

  @Test
  void shouldSortAsByHand() {
    for (long round = SEED; round < SEED + 25; round++) {
      Random choice = new Random(round);
      List<Entry> entries =
          new RandomDirectory(OperationFixture.SCHEMA, round).withSpecialEntries().entries(90);
      OperationFixture directory = random(entries, choice);
      RandomFilters filters = new RandomFilters(entries, round);
      for (int i = 0; i < 8; i++) {
        Request.Search plain = randomSearch(entries, filters, choice);
        RecordingSink whole = directory.run(plain);
        if (whole.code() != ResultCode.SUCCESS) {
          continue;
        }
        List<Key> keys = randomKeys(choice);
        List<String> expected = sorted(entries, whole.dns, keys);
        RequestControl sort = sort(choice.nextBoolean(), keys.toArray(Key[]::new));
        RecordingSink at = directory.run(with(plain, 0, sort));
        String what = "-Dtest.seed=" + round + " " + plain + keys;
        assertThat(at.dns).as(what).isEqualTo(expected);
        assertThat(sortResult(at)).isZero();
        assertThat(at.references).containsExactlyInAnyOrderElementsOf(whole.references);
        int pageSize = 1 + choice.nextInt(9);
        assertThat(pages(directory, plain, pageSize, sort)).as(what).isEqualTo(expected);
        view(directory, plain, keys, expected, choice, what);
      }
    }
  }

  private static void view(
      OperationFixture directory,
      Request.Search plain,
      List<Key> keys,
      List<String> expected,
      Random choice,
      String what) {
    RequestControl sort = sort(true, keys.toArray(Key[]::new));
    int size = expected.size();
    int before = choice.nextInt(5);
    int after = choice.nextInt(5);
    int offset = 1 + choice.nextInt(Math.max(1, size));
    int count = choice.nextBoolean() ? 0 : size;
    byte[] context = null;
    for (int again = 0; again < 2; again++) {
      RecordingSink sink =
          directory.run(with(plain, 0, sort, byOffset(before, after, offset, count, context)));
      assertThat(sink.code()).as(what).isEqualTo(ResultCode.SUCCESS);
      Place place = place(sink);
      assertThat(place.count()).isEqualTo(size);
      assertThat(place.position()).isEqualTo(size == 0 ? 0 : offset);
      assertThat(sink.dns)
          .as(what)
          .isEqualTo(
              size == 0
                  ? List.of()
                  : expected.subList(
                      Math.max(0, offset - 1 - before), Math.min(size, offset + after)));
      context = place.context();
    }
  }

  private static Entry person(int number, String cn, String... more) {
    List<String> pairs =
        new ArrayList<>(List.of("objectClass", "inetOrgPerson", "uid", "u" + number));
    pairs.addAll(List.of("cn", cn, "sn", "s" + number % 3));
    pairs.addAll(List.of(more));
    return entry("uid=u" + number + "," + TOP, pairs.toArray(String[]::new));
  }

  private static OperationFixture people(int count) {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    for (int i = 0; i < count; i++) {
      entries.add(person(i, "name %04d".formatted(i * 37 % count)));
    }
    return new OperationFixture().store(entries, true);
  }

  private static Request.Search everybody() {
    return search(TOP, Scope.SUBORDINATE, ALL);
  }

  private static final Key CN = new Key("cn", null, false);

  private static String uid(int rank, int count) {
    for (int i = 0; i < count; i++) {
      if (i * 37 % count == rank) {
        return "uid=u" + i + "," + TOP;
      }
    }
    throw new AssertionError();
  }

  @Test
  void shouldFindTheFirstThatIsNotBeforeAValue() {
    OperationFixture directory = people(100);
    RecordingSink sink =
        directory.run(with(everybody(), 0, sort(true, CN), byValue(1, 1, "NAME  004")));
    assertThat(sink.dns).containsExactly(uid(39, 100), uid(40, 100), uid(41, 100));
    assertThat(place(sink).position()).isEqualTo(41);
    sink = directory.run(with(everybody(), 0, sort(true, CN), byValue(2, 1, "zzz")));
    assertThat(sink.dns).containsExactly(uid(98, 100), uid(99, 100));
    assertThat(place(sink).position()).isEqualTo(101);
    Key reverse = new Key("cn", "caseIgnoreOrderingMatch", true);
    sink = directory.run(with(everybody(), 0, sort(true, reverse), byValue(0, 1, "name 0040")));
    assertThat(sink.dns).containsExactly(uid(40, 100), uid(39, 100));
    assertThat(place(sink).position()).isEqualTo(60);
    sink =
        directory.run(
            with(everybody(), 0, sort(true, new Key("sn", null, false), CN), byValue(0, 0, "s1")));
    assertThat(place(sink).position()).isEqualTo(35);
  }

  @Test
  void shouldScaleWhatTheClientTakesForTheSize() {
    OperationFixture directory = people(100);
    assertThat(offset(directory, 5, 10)).isEqualTo(50);
    assertThat(offset(directory, 1, 10)).isEqualTo(1);
    assertThat(offset(directory, 10, 10)).isEqualTo(100);
    assertThat(offset(directory, 500, 1000)).isEqualTo(50);
    assertThat(offset(directory, 2, 1000)).isEqualTo(1);
    assertThat(offset(directory, 100, 0)).isEqualTo(100);
    assertThat(offset(directory, 1, 1)).isEqualTo(1);
  }

  private static int offset(OperationFixture directory, int offset, int count) {
    RecordingSink sink =
        directory.run(with(everybody(), 0, sort(true, CN), byOffset(0, 0, offset, count, null)));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    return place(sink).position();
  }

  @Test
  void shouldRefuseListViewsThatCannotBe() {
    OperationFixture directory = people(10);
    assertView(directory, ResultCode.SORT_CONTROL_MISSING, byOffset(0, 0, 1, 0, null));
    assertView(
        directory, ResultCode.OFFSET_RANGE_ERROR, sort(true, CN), byOffset(0, 0, 0, 0, null));
    assertView(
        directory, ResultCode.OFFSET_RANGE_ERROR, sort(true, CN), byOffset(0, 0, 11, 0, null));
    assertView(
        directory, ResultCode.OFFSET_RANGE_ERROR, sort(true, CN), byOffset(0, 0, 9, 8, null));
    Key number = new Key("uidNumber", null, false);
    assertView(
        directory, ResultCode.INAPPROPRIATE_MATCHING, sort(true, number), byValue(0, 0, "x"));
    Key unknown = new Key("nothing", null, false);
    assertView(
        directory, ResultCode.UNWILLING_TO_PERFORM, sort(false, unknown), byValue(0, 0, "x"));
    assertView(
        directory,
        ResultCode.UNWILLING_TO_PERFORM,
        sort(true, CN),
        page(3, new byte[0]),
        byValue(0, 0, "x"));
    byte[] foreign = {1, 2, 3};
    assertView(directory, ResultCode.PROTOCOL_ERROR, sort(true, CN), byOffset(0, 0, 1, 0, foreign));
  }

  private static void assertView(
      OperationFixture directory, ResultCode code, RequestControl... controls) {
    RecordingSink sink = directory.run(with(everybody(), 0, controls));
    assertThat(sink.code()).isEqualTo(ResultCode.VIRTUAL_LIST_VIEW_ERROR);
    assertThat(place(sink).result()).isEqualTo(code.code());
    assertThat(sink.dns).isEmpty();
  }

  @Test
  void shouldSayWhyItCannotSort() {
    OperationFixture directory = people(10);
    assertUnsorted(directory, ResultCode.NO_SUCH_ATTRIBUTE, new Key("nothing", null, false));
    assertUnsorted(directory, ResultCode.NO_SUCH_ATTRIBUTE, new Key("userPassword", null, false));
    assertUnsorted(directory, ResultCode.INAPPROPRIATE_MATCHING, new Key("cn", "nothing", false));
    assertUnsorted(
        directory, ResultCode.INAPPROPRIATE_MATCHING, new Key("cn", "integerOrderingMatch", false));
    assertUnsorted(
        directory,
        ResultCode.INAPPROPRIATE_MATCHING,
        new Key("cn", "caseIgnoreSubstringsMatch", true));
    assertUnsorted(directory, ResultCode.UNWILLING_TO_PERFORM, new Key("entryDN", null, false));
    assertUnsorted(directory, ResultCode.UNWILLING_TO_PERFORM, CN, new Key("CN", null, true));
    Key[] many = new Key[9];
    Arrays.setAll(many, i -> new Key("cn;x-" + i, null, false));
    assertUnsorted(directory, ResultCode.ADMIN_LIMIT_EXCEEDED, many);
  }

  private static void assertUnsorted(OperationFixture directory, ResultCode code, Key... keys) {
    RecordingSink critical = directory.run(with(everybody(), 0, sort(true, keys)));
    assertThat(critical.code()).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(sortResult(critical)).isEqualTo(code.code());
    assertThat(critical.dns).isEmpty();
    RecordingSink other = directory.run(with(everybody(), 0, sort(false, keys)));
    assertThat(other.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sortResult(other)).isEqualTo(code.code());
    assertThat(other.dns).isEqualTo(directory.run(everybody()).dns);
    assertThat(pages(directory, everybody(), 3, sort(false, keys))).isEqualTo(other.dns);
  }

  private static ServerLimits limits(int size, int sortEntries, int mebibytes) {
    return ServerLimits.DEFAULT
        .withSizeLimit(size)
        .withSorting(new SortLimits(sortEntries, mebibytes));
  }

  @Test
  void shouldSortNoMoreThanItMay() {
    OperationFixture directory = people(20);
    directory.limits = limits(0, 19, 128);
    RecordingSink sink = directory.run(with(everybody(), 0, sort(true, CN)));
    assertThat(sink.code()).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(sortResult(sink)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED.code());
    sink = directory.run(with(everybody(), 0, sort(false, CN)));
    assertThat(sink.dns).hasSize(20);
    assertThat(sortResult(sink)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED.code());
    directory.identity = OperationFixture.ROOT;
    assertThat(sortResult(directory.run(with(everybody(), 0, sort(true, CN))))).isZero();
    assertThat(pages(directory, everybody(), 6, sort(false, CN))).hasSize(20);
  }

  @Test
  void shouldUseNoMoreMemoryThanItMay() {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    for (int i = 0; i < 5000; i++) {
      entries.add(person(i, "x".repeat(250) + i));
    }
    OperationFixture directory = new OperationFixture().store(entries, true);
    directory.limits = limits(0, 0, 1);
    RecordingSink sink = directory.run(with(everybody(), 0, sort(true, CN)));
    assertThat(sink.code()).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(sortResult(sink)).isEqualTo(ResultCode.BUSY.code());
    // What was set aside is free again.
    Key uid = new Key("uid", null, false);
    sink = directory.run(with(everybody(), 0, sort(true, uid)));
    assertThat(sink.dns).hasSize(5000);
  }

  @Test
  void shouldCountAllPagesAgainstTheSizeLimit() {
    OperationFixture directory = people(20);
    directory.limits = limits(7, 0, 128);
    for (RequestControl[] others : new RequestControl[][] {{}, {sort(true, CN)}}) {
      byte[] cookie = {};
      List<Integer> sizes = new ArrayList<>();
      RecordingSink sink;
      do {
        List<RequestControl> controls = new ArrayList<>(List.of(others));
        controls.add(page(3, cookie));
        sink = directory.run(with(everybody(), 0, controls.toArray(RequestControl[]::new)));
        sizes.add(sink.dns.size());
        cookie = sink.code() == ResultCode.SUCCESS ? cookie(sink) : new byte[0];
      } while (cookie.length > 0);
      assertThat(sizes).containsExactly(3, 3, 1);
      assertThat(sink.code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    }
    directory.identity = OperationFixture.ROOT;
    RecordingSink sink = directory.run(with(everybody(), 5, page(100, new byte[0])));
    assertThat(sink.code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(sink.dns).hasSize(5);
  }

  @Test
  void shouldEndPagesWhenTheClientHasEnough() {
    OperationFixture directory = people(20);
    byte[] cookie = cookie(directory.run(with(everybody(), 0, page(5, new byte[0]))));
    RecordingSink sink = directory.run(with(everybody(), 0, page(0, cookie)));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.dns).isEmpty();
    assertThat(cookie(sink)).isEmpty();
  }

  @Test
  void shouldRefuseTheCookieOfAnotherSearch() {
    OperationFixture directory = people(20);
    byte[] cookie = cookie(directory.run(with(everybody(), 0, page(5, new byte[0]))));
    assertRefused(directory, search(TOP, Scope.SUBTREE, ALL), cookie);
    FilterNode other = new FilterNode.Present("cn");
    assertRefused(directory, search(TOP, Scope.SUBORDINATE, other), cookie);
    assertRefused(directory, everybody(), cookie, sort(true, CN));
    directory.identity = OperationFixture.ROOT;
    assertRefused(directory, everybody(), cookie);
    directory.identity = OperationFixture.USER;
    RecordingSink same =
        directory.run(
            with(search("DC=Example, dc=com", Scope.SUBORDINATE, ALL), 0, page(5, cookie)));
    assertThat(same.code()).isEqualTo(ResultCode.SUCCESS);
    RecordingSink garbage = directory.run(with(everybody(), 0, page(5, new byte[] {1, 2})));
    assertThat(garbage.code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
  }

  private static void assertRefused(
      OperationFixture directory, Request.Search search, byte[] cookie, RequestControl... others) {
    List<RequestControl> controls = new ArrayList<>(List.of(others));
    controls.add(page(5, cookie));
    RecordingSink sink = directory.run(with(search, 0, controls.toArray(RequestControl[]::new)));
    assertThat(sink.code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(sink.dns).isEmpty();
  }

  @Test
  void shouldGoOnInOrderWhenTheListIsGone() {
    OperationFixture directory = people(2000);
    directory.limits = limits(0, 0, 1);
    List<String> found = new ArrayList<>();
    byte[] cookie = {};
    do {
      RecordingSink sink = directory.run(with(everybody(), 0, sort(true, CN), page(500, cookie)));
      cookie = cookie(sink);
      found.addAll(sink.dns);
      // Other lists drive this one out.
      for (int i = 0; i < 45; i++) {
        FilterNode another = new FilterNode.Equality("sn", new byte[] {(byte) ('a' + i)});
        FilterNode filter = new FilterNode.Or(List.of(new FilterNode.Present("cn"), another));
        directory.run(with(search(TOP, Scope.SUBORDINATE, filter), 0, sort(true, CN)));
      }
    } while (cookie.length > 0);
    List<String> expected = new ArrayList<>();
    for (int rank = 0; rank < 2000; rank++) {
      expected.add(uid(rank, 2000));
    }
    assertThat(found).isEqualTo(expected);
  }

  @Test
  void shouldTakeAnEntryOfTheServerForAPage() {
    OperationFixture directory = people(2);
    RecordingSink sink =
        directory.run(with(search("", Scope.BASE, ALL), 0, page(10, new byte[0]), sort(true, CN)));
    assertThat(sink.dns).containsExactly("");
    assertThat(cookie(sink)).isEmpty();
    assertThat(sortResult(sink)).isZero();
  }
}
