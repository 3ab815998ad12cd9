package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.await;
import static org.nyala.core.operation.UpdateFixture.delete;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.SilentLog;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.update.ChangeWriter;
import org.nyala.core.update.CommittedChange;

/** Tests when updates are answered, and the results of those beside one that fails. */
final class UpdateOrderTest {
  private static final int FREE = 1_000_000;

  private final UpdateFixture directory = new UpdateFixture();
  private final GatedBackend store = new GatedBackend(directory.store);
  private final List<CommittedChange> committed = new ArrayList<>();

  @BeforeEach
  void gate() {
    directory.backend = store;
    directory.listeners.add(committed::addAll);
  }

  @AfterEach
  void close() {
    store.commits.release(FREE);
    directory.close();
  }

  private RecordingSink start(Request request) {
    RecordingSink sink = new RecordingSink(100);
    directory.start(request, sink);
    return sink;
  }

  private RecordingSink startDevice(String cn) {
    return start(add("cn=" + cn + "," + PEOPLE, "objectClass", "device", "cn", cn));
  }

  /** Keeps the writer busy, so that all further changes go into one batch. */
  private RecordingSink occupyWriter() {
    RecordingSink first = startDevice("first");
    Patience.await(store.committing);
    return first;
  }

  @Test
  void shouldAnswerAfterTheCommitAndNotBefore() {
    RecordingSink sink = occupyWriter();
    assertThat(sink.ended.getCount()).isEqualTo(1);
    assertThat(sink.results).isEmpty();
    assertThat(directory.stored("cn=first," + PEOPLE)).isNull();
    store.commits.release();
    await(sink);
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("cn=first," + PEOPLE)).isNotNull();
  }

  @Test
  void shouldCommitWhatWaitsTogetherAndHarmNoNeighbourOfARefusedUpdate() {
    final RecordingSink first = occupyWriter();
    RecordingSink one = startDevice("one");
    RecordingSink refused = start(delete("cn=nobody," + PEOPLE));
    RecordingSink again = startDevice("one");
    RecordingSink two = startDevice("two");
    RecordingSink gone = start(delete(LEAF));
    store.commits.release(2);
    for (RecordingSink sink : List.of(first, one, refused, again, two, gone)) {
      await(sink);
    }
    assertThat(List.of(first.code(), one.code(), refused.code(), again.code(), two.code()))
        .containsExactly(
            ResultCode.SUCCESS,
            ResultCode.SUCCESS,
            ResultCode.NO_SUCH_OBJECT,
            ResultCode.ENTRY_ALREADY_EXISTS,
            ResultCode.SUCCESS);
    assertThat(store.commits.availablePermits()).as("two commits").isZero();
    assertThat(committed)
        .extracting(change -> change.change().dn().toString())
        .containsExactly("cn=first," + PEOPLE, "cn=one," + PEOPLE, "cn=two," + PEOPLE, LEAF);
    assertThat(committed).extracting(CommittedChange::csn).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void shouldHarmNoNeighbourOfAnUpdateThatBreaks() {
    directory.rules.add(
        (_, change, _, _, _) -> {
          if (change.dn().toString().startsWith("cn=poison")) {
            throw new IllegalStateException("broken on purpose");
          }
        });
    try (SilentLog _ = new SilentLog(ChangeWriter.class.getName())) {
      final RecordingSink first = occupyWriter();
      RecordingSink one = startDevice("one");
      RecordingSink poison = startDevice("poison");
      RecordingSink two = startDevice("two");
      store.commits.release(FREE);
      for (RecordingSink sink : List.of(first, one, poison, two)) {
        await(sink);
      }
      assertThat(List.of(one.code(), poison.code(), two.code()))
          .containsExactly(ResultCode.SUCCESS, ResultCode.OTHER, ResultCode.SUCCESS);
    }
    assertThat(directory.names())
        .contains("cn=one," + PEOPLE, "cn=two," + PEOPLE)
        .doesNotContain("cn=poison," + PEOPLE);
  }

  @Test
  void shouldAnswerAndGoOnWhateverListenersThrow() {
    store.commits.release(FREE);
    directory.listeners.addFirst(
        _ -> {
          throw new StackOverflowError("broken on purpose");
        });
    try (SilentLog _ = new SilentLog(ChangeWriter.class.getName())) {
      for (String cn : List.of("one", "two")) {
        RecordingSink sink = startDevice(cn);
        await(sink);
        assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
      }
    }
    assertThat(committed).hasSize(2);
  }

  @Test
  void shouldTryEachAloneWhenABatchCannotBeStored() {
    try (SilentLog _ = new SilentLog(ChangeWriter.class.getName())) {
      store.failure =
          changes -> changes > 1 ? new StoreUnavailableException("full on purpose", null) : null;
      final RecordingSink first = occupyWriter();
      RecordingSink one = startDevice("one");
      RecordingSink two = startDevice("two");
      store.commits.release(FREE);
      for (RecordingSink sink : List.of(first, one, two)) {
        await(sink);
        assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
      }
      assertThat(committed).hasSize(3);
    }
  }

  @Test
  void shouldSayWhatIsTheMatterWithTheStoreAndChangeNothing() {
    try (SilentLog _ = new SilentLog(ChangeWriter.class.getName())) {
      store.failure = _ -> new StoreUnavailableException("full on purpose", null);
      store.commits.release(FREE);
      RecordingSink sink = startDevice("one");
      await(sink);
      assertThat(sink.results)
          .containsExactly(LdapResult.of(ResultCode.UNAVAILABLE, "full on purpose"));
      assertThat(directory.names()).hasSize(6);
      assertThat(committed).isEmpty();
    }
  }

  @Test
  void shouldPassOverWhatWasAbandonedBeforeItsTurn() {
    final RecordingSink first = occupyWriter();
    RecordingSink sink = new RecordingSink(100);
    Operation abandoned = directory.start(delete(LEAF), sink);
    RecordingSink last = start(delete(ANN));
    abandoned.abandon();
    store.commits.release(FREE);
    await(first);
    await(last);
    await(sink);
    assertThat(sink.results).isEmpty();
    assertThat(directory.names()).contains(LEAF).doesNotContain(ANN);
  }

  @Test
  void shouldAnswerBusyWhenTooManyWait() {
    directory.limits =
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.UpdateLimits(
                2, 2, 10, 10, 10, 3_000_000, ServerLimits.EntrySizes.DEFAULT));
    final RecordingSink first = occupyWriter();
    RecordingSink one = startDevice("one");
    RecordingSink two = startDevice("two");
    RecordingSink three = startDevice("three");
    assertThat(three.code()).isEqualTo(ResultCode.BUSY);
    store.commits.release(FREE);
    for (RecordingSink sink : List.of(first, one, two)) {
      await(sink);
      assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    }
  }

  @Test
  void shouldWriteWhatWaitsBeforeItCloses() {
    final RecordingSink first = occupyWriter();
    RecordingSink one = startDevice("one");
    store.commits.release(FREE);
    directory.close();
    assertThat(first.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(one.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(startDevice("late").code()).isEqualTo(ResultCode.UNAVAILABLE);
  }
}
