package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.SearchedEntries.ANN;
import static org.nyala.core.operation.SearchedEntries.PEOPLE;
import static org.nyala.core.operation.SearchedEntries.TOP;
import static org.nyala.core.operation.SearchedEntries.entries;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.limited;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests the bounds of a search: its request, its results, and the length of its slices. */
final class SearchLimitsTest {
  private final OperationFixture directory = new OperationFixture().store(entries(), false);

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
    return TestLimits.with(
        TestLimits.with(ServerLimits.DEFAULT, new ServerLimits.RequestLimits(4, 10, 200, 10, 3, 3)),
        new ServerLimits.SearchLimits(size, 3600, lookThrough, 16, 16, 100_000));
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
  void shouldStopWhenTheTimeIsUpThoughTheClientDoesNotRead() {
    directory.strategy =
        DispatchStrategies.create(
            "run-to-completion",
            new DispatchSettings(
                1, 0, 1, 1, 1, Thread.ofPlatform().daemon().factory(), System::nanoTime));
    RecordingSink neverRead = new RecordingSink(0);
    Operation operation =
        directory.operation(limited(search(TOP, Scope.SUBTREE, ALL), 0, 1), neverRead);
    Task.Outcome outcome = Task.Outcome.YIELDED;
    while (outcome == Task.Outcome.YIELDED) {
      outcome = operation.run(new SliceBudget(1000, 1_000_000));
    }
    assertThat(outcome).isEqualTo(Task.Outcome.AWAITING_CLIENT);
    operation.wake();
    assertThat(operation.isDue()).isFalse();
    assertThat(neverRead.results).isEmpty();
    directory.nowNanos += 2_000_000_000L;
    assertThat(operation.isDue()).isTrue();
    operation.wake();
    assertThat(neverRead.code()).isEqualTo(ResultCode.TIME_LIMIT_EXCEEDED);
    assertThat(neverRead.dns).hasSize(1);
  }

  @Test
  void shouldYieldWhenTheSliceIsOverAndWaitForTheClient() {
    directory.budget = new SliceBudget(1, Long.MAX_VALUE / 4);
    assertThat(directory.run(search(TOP, Scope.SUBTREE, ALL)).code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.slices).isEqualTo(7);
    directory.budget = new SliceBudget(1000, 1);
    directory.room = 1;
    assertThat(directory.run(search(TOP, Scope.SUBTREE, ALL)).code()).isEqualTo(ResultCode.SUCCESS);
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
    List<FilterNode> parts =
        IntStream.range(0, 4000)
            .<FilterNode>mapToObj(
                i ->
                    new FilterNode.Substrings(
                        "cn", OperationFixture.bytes("no" + i), List.of(), null))
            .toList();
    directory.run(search(TOP, Scope.SUBTREE, item));
    assertThat(directory.slices).isEqualTo(1);
    directory.run(search(TOP, Scope.SUBTREE, new FilterNode.Or(parts)));
    assertThat(directory.slices).isGreaterThan(4);
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
}
