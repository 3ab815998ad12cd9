package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ListRequests.byOffset;
import static org.nyala.core.operation.ListRequests.pages;
import static org.nyala.core.operation.ListRequests.place;
import static org.nyala.core.operation.ListRequests.sort;
import static org.nyala.core.operation.ListRequests.sortResult;
import static org.nyala.core.operation.ListRequests.with;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.ListRequests.Place;
import org.nyala.core.operation.ListRequests.SortKey;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.session.OperationFixture;

/** Compares pages, orders and list views of random directories with a simple sort. */
final class ListOracleTest {
  private static final long SEED = Seeds.seed();
  private static final List<Scope> SCOPES = List.of(Scope.values());
  private static final List<String> ATTRIBUTES =
      List.of("cn", "sn", "uidNumber", "createTimestamp", "mail", "description", "entryUUID");

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

  private static MatchingRule rule(SortKey key) {
    AttributeDescription description =
        AttributeDescription.parse(OperationFixture.SCHEMA, key.attribute());
    if (key.rule() != null) {
      return OperationFixture.SCHEMA.matchingRule(key.rule());
    }
    MatchingRule ordering = description.type().ordering();
    return ordering != null ? ordering : description.type().equality();
  }

  /** Returns the smallest value in normal form, or null. */
  private static byte[] least(Entry entry, SortKey key) {
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

  private static Comparator<Entry> comparator(List<Entry> entries, List<SortKey> keys) {
    Comparator<Entry> order = (_, _) -> 0;
    for (SortKey key : keys) {
      Comparator<Entry> next =
          Comparator.comparing(
              (Entry entry) -> least(entry, key), Comparator.nullsLast(Arrays::compareUnsigned));
      order = order.thenComparing(key.reverse() ? next.reversed() : next);
    }
    return order.thenComparingInt(entries::indexOf);
  }

  private static List<SortKey> randomKeys(Random choice) {
    List<String> attributes = new ArrayList<>(ATTRIBUTES);
    Collections.shuffle(attributes, choice);
    List<SortKey> keys = new ArrayList<>();
    for (String attribute : attributes.subList(0, 1 + choice.nextInt(3))) {
      boolean isText = attribute.equals("cn") || attribute.equals("sn");
      String rule = isText && choice.nextBoolean() ? "caseExactOrderingMatch" : null;
      keys.add(new SortKey(attribute, rule, choice.nextBoolean()));
    }
    return keys;
  }

  private static List<String> sorted(List<Entry> entries, List<String> found, List<SortKey> keys) {
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
        List<SortKey> keys = randomKeys(choice);
        List<String> expected = sorted(entries, whole.dns, keys);
        RequestControl sort = sort(choice.nextBoolean(), keys.toArray(SortKey[]::new));
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
      List<SortKey> keys,
      List<String> expected,
      Random choice,
      String what) {
    RequestControl sort = sort(true, keys.toArray(SortKey[]::new));
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
}
