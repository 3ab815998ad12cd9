package org.nyala.core.operation.list;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ListRequests.byOffset;
import static org.nyala.core.operation.ListRequests.byValue;
import static org.nyala.core.operation.ListRequests.cookie;
import static org.nyala.core.operation.ListRequests.page;
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
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.BerReader;
import org.nyala.core.entry.Entry;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.ServerLimits.SortLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.ListRequests.SortKey;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.session.OperationFixture;

/** Tests pages, orders and list views of a few people: results, errors and limits. */
final class SortedSearchTest {
  private static final String TOP = "dc=example,dc=com";

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
      entries.add(person(i, String.format(Locale.ROOT, "name %04d", i * 37 % count)));
    }
    return new OperationFixture().store(entries, true);
  }

  private static Request.Search everybody() {
    return search(TOP, Scope.SUBORDINATE, ALL);
  }

  private static final SortKey CN = new SortKey("cn", null, false);

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
    SortKey reverse = new SortKey("cn", "caseIgnoreOrderingMatch", true);
    sink = directory.run(with(everybody(), 0, sort(true, reverse), byValue(0, 1, "name 0040")));
    assertThat(sink.dns).containsExactly(uid(40, 100), uid(39, 100));
    assertThat(place(sink).position()).isEqualTo(60);
    sink =
        directory.run(
            with(
                everybody(),
                0,
                sort(true, new SortKey("sn", null, false), CN),
                byValue(0, 0, "s1")));
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
    SortKey number = new SortKey("uidNumber", null, false);
    assertView(
        directory, ResultCode.INAPPROPRIATE_MATCHING, sort(true, number), byValue(0, 0, "x"));
    SortKey unknown = new SortKey("nothing", null, false);
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
    assertUnsorted(directory, ResultCode.NO_SUCH_ATTRIBUTE, new SortKey("nothing", null, false));
    assertUnsorted(
        directory, ResultCode.NO_SUCH_ATTRIBUTE, new SortKey("userPassword", null, false));
    assertUnsorted(
        directory, ResultCode.INAPPROPRIATE_MATCHING, new SortKey("cn", "nothing", false));
    assertUnsorted(
        directory,
        ResultCode.INAPPROPRIATE_MATCHING,
        new SortKey("cn", "integerOrderingMatch", false));
    assertUnsorted(
        directory,
        ResultCode.INAPPROPRIATE_MATCHING,
        new SortKey("cn", "caseIgnoreSubstringsMatch", true));
    assertUnsorted(directory, ResultCode.UNWILLING_TO_PERFORM, new SortKey("entryDN", null, false));
    assertUnsorted(directory, ResultCode.UNWILLING_TO_PERFORM, CN, new SortKey("CN", null, true));
    SortKey[] many = new SortKey[9];
    Arrays.setAll(many, i -> new SortKey("cn;x-" + i, null, false));
    assertUnsorted(directory, ResultCode.ADMIN_LIMIT_EXCEEDED, many);
  }

  @Test
  void shouldNotSendBackAnEndlessKey() {
    SortKey endless = new SortKey("x".repeat(BerReader.LONGEST_TEXT_BYTES), null, false);
    RecordingSink sink = people(1).run(with(everybody(), 0, sort(true, endless)));
    assertThat(sortResult(sink)).isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE.code());
    LdapResult result = sink.results.getFirst();
    assertThat(result.message()).startsWith("sort key 'xxx").hasSizeLessThan(200);
    assertThat(result.controls()).allMatch(control -> control.value().length < 200);
  }

  private static void assertUnsorted(OperationFixture directory, ResultCode code, SortKey... keys) {
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
    return TestLimits.with(
        TestLimits.with(
            ServerLimits.DEFAULT, TestLimits.size(ServerLimits.SearchLimits.DEFAULT, size)),
        new SortLimits(sortEntries, mebibytes));
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
    // The reserved memory is free again.
    SortKey uid = new SortKey("uid", null, false);
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
  void shouldObeySizeLimitsBelowWhatWasSentAlready() {
    for (RequestControl[] others : new RequestControl[][] {{}, {sort(true, CN)}}) {
      OperationFixture directory = people(20);
      List<RequestControl> controls = new ArrayList<>(List.of(others));
      controls.add(page(6, new byte[0]));
      RecordingSink sink =
          directory.run(with(everybody(), 0, controls.toArray(RequestControl[]::new)));
      controls.set(controls.size() - 1, page(6, cookie(sink)));
      Request.Search fewer = with(everybody(), 4, controls.toArray(RequestControl[]::new));
      sink = directory.run(fewer);
      assertThat(sink.dns).isEmpty();
      assertThat(sink.code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    }
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
      // Other lists evict this one.
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
