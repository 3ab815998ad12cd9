package org.nyala.core.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ListRequests.byOffset;
import static org.nyala.core.operation.ListRequests.context;
import static org.nyala.core.operation.ListRequests.sort;
import static org.nyala.core.operation.ListRequests.sortResult;
import static org.nyala.core.operation.ListRequests.with;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.ListRequests.SortKey;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.SilentClient;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests the memory that sorted lists take from their client's account. */
class ListMemoryTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int PEOPLE = 3000;
  private static final int MEBIBYTE = 1 << 20;
  private static final SortKey CN = new SortKey("cn", null, false);

  private final OperationFixture directory = new OperationFixture();

  @BeforeEach
  void fill() {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    for (int i = 0; i < PEOPLE; i++) {
      String name = "u" + i * 37 % PEOPLE;
      entries.add(
          entry(
              "uid=" + name + "," + TOP,
              "objectClass",
              "inetOrgPerson",
              "uid",
              name,
              "cn",
              name,
              "sn",
              "s" + i % 3));
    }
    directory.store(entries, true);
  }

  private void bound(long ownerBytes, long connectionBytes) {
    MemoryBounds bounds = new MemoryBounds(8 * MEBIBYTE, ownerBytes, connectionBytes);
    directory.memory = new MemoryBudget(bounds, System::nanoTime);
  }

  private static Request.Search sorted(SortKey... keys) {
    Request.Search all = search(TOP, Scope.SUBORDINATE, new FilterNode.Present("cn"));
    return with(all, 0, sort(true, keys));
  }

  private static Request.Search part(byte[] context) {
    Request.Search all = search(TOP, Scope.SUBORDINATE, new FilterNode.Present("cn"));
    return with(all, 0, sort(true, CN), byOffset(0, 1000, 1, 0, context));
  }

  private RecordingSink run(Request.Search search) {
    RecordingSink sink = directory.run(search);
    sink.completion.run();
    return sink;
  }

  @Test
  void shouldHoldAListWhileItIsMadeAndWhileItIsKept() {
    bound(4 * MEBIBYTE, 4 * MEBIBYTE);
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(sorted(CN), sink);
    SliceBudget slice = new SliceBudget(100, Long.MAX_VALUE / 4);
    long most = 0;
    while (operation.run(slice) != Outcome.DONE) {
      most = Math.max(most, directory.memory.held());
    }
    assertThat(most).isGreaterThan(SteppedCharge.STEP_BYTES);
    sink.completion.run();
    assertThat(sink.dns).hasSize(PEOPLE);
    assertThat(directory.memory.held()).isBetween(8L * PEOPLE, 9L * PEOPLE);
    directory.operations.dropKept(owner -> owner.equals("another"));
    assertThat(directory.memory.held()).isPositive();
    directory.operations.dropKept(_ -> true);
    assertThat(directory.memory.held()).isZero();
  }

  @Test
  void shouldHoldADroppedListForAsLongAsSomebodySendsFromIt() {
    bound(4 * MEBIBYTE, 4 * MEBIBYTE);
    byte[] context = context(run(part(null)));
    RecordingSink sink = new RecordingSink(1);
    Operation reading = directory.operation(part(context), sink);
    assertThat(reading.run(directory.budget)).isNotEqualTo(Outcome.DONE);
    directory.operations.dropKept(_ -> true);
    assertThat(directory.memory.held()).isBetween(8L * PEOPLE, 9L * PEOPLE);
    reading.abandon();
    assertThat(reading.run(directory.budget)).isEqualTo(Outcome.DONE);
    sink.completion.run();
    assertThat(directory.memory.held()).isZero();
  }

  @Test
  void shouldKeepAListForEachAddressOfThoseWhoHaveNotBound() {
    bound(4 * MEBIBYTE, 4 * MEBIBYTE);
    run(sorted(CN));
    directory.onThisMachine = true;
    // From another client, so that the list is its own.
    run(sorted(CN));
    assertThat(directory.memory.held()).isBetween(2 * 8L * PEOPLE, 2 * 9L * PEOPLE);
    run(sorted(CN));
    assertThat(directory.memory.held()).isBetween(2 * 8L * PEOPLE, 2 * 9L * PEOPLE);
    directory.operations.dropKept(owner -> owner.equals(new SilentClient(true)));
    assertThat(directory.memory.held()).isBetween(8L * PEOPLE, 9L * PEOPLE);
    directory.operations.dropKept(_ -> true);
    assertThat(directory.memory.held()).isZero();
  }

  @Test
  void shouldHoldAListForWhomItWasBegunThoughTheConnectionHasAnotherOwnerSince() {
    bound(4 * MEBIBYTE, 4 * MEBIBYTE);
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(sorted(CN), sink);
    SliceBudget slice = new SliceBudget(100, Long.MAX_VALUE / 4);
    while (directory.memory.held() == 0) {
      assertThat(operation.run(slice)).isEqualTo(Outcome.YIELDED);
    }
    operation.session().memory().belongTo("another");
    while (operation.run(slice) != Outcome.DONE) {
      assertThat(sink.results).isEmpty();
    }
    sink.completion.run();
    directory.operations.dropKept(owner -> owner.equals("another"));
    assertThat(directory.memory.held()).isBetween(8L * PEOPLE, 9L * PEOPLE);
    directory.operations.dropKept(owner -> owner.equals(new SilentClient(false)));
    assertThat(directory.memory.held()).isZero();
  }

  @Test
  void shouldHoldNothingForAListThatNobodyWantsAnyMore() {
    bound(4 * MEBIBYTE, 4 * MEBIBYTE);
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(sorted(CN), sink);
    SliceBudget slice = new SliceBudget(100, Long.MAX_VALUE / 4);
    while (directory.memory.held() == 0) {
      assertThat(operation.run(slice)).isEqualTo(Outcome.YIELDED);
    }
    operation.abandon();
    assertThat(operation.run(slice)).isEqualTo(Outcome.DONE);
    sink.completion.run();
    assertThat(directory.memory.held()).isZero();
  }

  @Test
  void shouldMakeNoListOfMoreThanAShare() {
    bound(4 * MEBIBYTE, 2 * SteppedCharge.STEP_BYTES);
    RecordingSink sink = run(sorted(CN));
    assertThat(sink.code()).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(sortResult(sink)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED.code());
    assertThat(directory.memory.held()).isZero();
    bound(4 * MEBIBYTE, 4 * MEBIBYTE);
    directory.memory.open(new SilentClient(false)).take(4 * MEBIBYTE);
    sink = run(sorted(CN));
    assertThat(sortResult(sink)).isEqualTo(ResultCode.BUSY.code());
    assertThat(directory.memory.held()).isEqualTo(4 * MEBIBYTE);
  }

  @Test
  void shouldKeepRecentListsOfAnOwnerInPlaceOfOlderOnes() {
    long share = 256 << 10;
    bound(share, share);
    for (String first : List.of("cn", "sn", "uid")) {
      for (String second : List.of("givenName", "mail", "title")) {
        SortKey reverse = new SortKey(first, null, true);
        RecordingSink sink = run(sorted(reverse, new SortKey(second, null, false)));
        assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
        assertThat(directory.memory.held()).isBetween(8L * PEOPLE, share / 2);
      }
    }
  }
}
