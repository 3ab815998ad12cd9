package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.ResultCode;

class CommitPacerTest {
  private static final int BATCH = 4;
  private static final long FOREVER_NANOS = TimeUnit.HOURS.toNanos(1);

  private final BlockingQueue<Integer> commits = new LinkedBlockingQueue<>();

  /** Returns a directory whose writer rests for an hour after a commit of a single update. */
  private UpdateFixture resting() {
    UpdateFixture fixture = new UpdateFixture();
    ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
    fixture.limits =
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.UpdateLimits(
                d.writeQueue(),
                BATCH,
                d.treeDeleteEntries(),
                d.valuesPerAttribute(),
                d.attributeOptions(),
                3_000_000,
                ServerLimits.EntrySizes.DEFAULT));
    fixture.pace =
        () ->
            updates -> {
              commits.add(updates);
              return updates == 1 ? FOREVER_NANOS : 0;
            };
    return fixture;
  }

  private static List<RecordingSink> add(UpdateFixture fixture, int from, int to) {
    List<RecordingSink> sinks = new ArrayList<>();
    for (int i = from; i < to; i++) {
      RecordingSink sink = new RecordingSink(1);
      fixture.start(
          UpdateFixture.add(
              "ou=" + i + "," + UpdateFixture.TOP,
              "objectClass",
              "organizationalUnit",
              "ou",
              Integer.toString(i)),
          sink);
      sinks.add(sink);
    }
    return sinks;
  }

  @Test
  void shouldAnswerBeforeItRestsAndRestUntilACommitIsFull() throws InterruptedException {
    try (UpdateFixture fixture = resting()) {
      add(fixture, 0, 1).forEach(UpdateFixture::await);
      assertThat(commits.take()).isEqualTo(1);
      List<RecordingSink> gathered = add(fixture, 1, 1 + BATCH);
      gathered.forEach(UpdateFixture::await);
      // The writer may check while the last one is just being queued.
      assertThat(commits.take()).isBetween(BATCH - 1, BATCH);
      gathered.forEach(sink -> assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS));
    }
  }

  @Test
  void shouldWriteWhatGatheredWhenTheServerStops() throws InterruptedException {
    List<RecordingSink> gathered;
    try (UpdateFixture fixture = resting()) {
      add(fixture, 0, 1).forEach(UpdateFixture::await);
      assertThat(commits.take()).isEqualTo(1);
      gathered = add(fixture, 1, BATCH);
    }
    assertThat(commits.take()).isEqualTo(BATCH - 1);
    gathered.forEach(sink -> assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS));
  }
}
