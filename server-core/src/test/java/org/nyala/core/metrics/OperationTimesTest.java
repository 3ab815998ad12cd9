package org.nyala.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.ResultCode;

class OperationTimesTest {
  private long now = 100;
  private int looks;

  private final class Times extends OperationTimes {
    Times(long decodeNanos) {
      super(OperationTimesTest.this::read, now, decodeNanos);
    }

    void begins(Phase next, boolean onLoop) {
      sliceBegins(next, onLoop);
    }

    void goes(Phase next) {
      enter(next);
    }

    void admitted() {
      permitted();
    }
  }

  private long read() {
    looks++;
    return now;
  }

  private static List<Long> all(OperationTimes times) {
    List<Long> all = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      all.add(times.nanos(phase));
    }
    return all;
  }

  @Test
  void shouldLookAtTheClockOnceForWhatEndsWhereItBegan() {
    Times times = new Times(7);
    times.begins(Phase.EXECUTE, true);
    now += 50;
    times.goes(Phase.WRITE);
    assertThat(looks).isEqualTo(1);
    assertThat(all(times)).containsExactly(7L, 0L, 0L, 50L, 0L, 0L, 0L);
    assertThat(times.totalNanos()).isEqualTo(57);
  }

  @Test
  void shouldPutEveryMomentIntoOnePhase() {
    Times times = new Times(1);
    now += 2;
    times.admitted();
    now += 4;
    times.begins(Phase.EXECUTE, true);
    now += 8;
    times.goes(Phase.QUEUE);
    now += 16;
    times.begins(Phase.HASH, false);
    now += 32;
    times.goes(Phase.COMMIT);
    now += 64;
    times.begins(Phase.EXECUTE, true);
    now += 128;
    times.goes(Phase.WRITE);
    now += 256;
    times.goes(Phase.WRITE);
    assertThat(all(times)).containsExactly(1L, 2L, 20L, 136L, 32L, 64L, 256L);
    assertThat(times.totalNanos())
        .isEqualTo(all(times).stream().mapToLong(Long::longValue).sum())
        .isEqualTo(511);
  }

  @Test
  void shouldCountByResultAndByPhaseOverAllThreads() throws InterruptedException {
    OperationMetrics metrics = new OperationMetrics();
    Times times = new Times(5000);
    times.begins(Phase.EXECUTE, true);
    now += 3000;
    times.goes(Phase.WRITE);
    Runnable counts =
        () -> {
          for (int i = 0; i < 1000; i++) {
            metrics.started(OperationType.SEARCH);
            metrics
                .recorder()
                .completed(
                    OperationType.SEARCH, times, i % 10 == 0 ? null : ResultCode.NO_SUCH_OBJECT);
          }
        };
    Thread[] threads = {
      Thread.ofPlatform().start(counts),
      Thread.ofPlatform().start(counts),
      Thread.ofPlatform().start(counts)
    };
    for (Thread thread : threads) {
      thread.join();
    }
    Map<String, Latency> requests = metrics.requests(OperationType.SEARCH);
    assertThat(requests).containsOnlyKeys("noSuchObject", OperationMetrics.ABANDONED);
    assertThat(requests.get("noSuchObject").count()).isEqualTo(2700);
    assertThat(requests.get("noSuchObject").sumNanos()).isEqualTo(2700L * 8000);
    assertThat(requests.get(OperationMetrics.ABANDONED).count()).isEqualTo(300);
    assertThat(metrics.completedCount(OperationType.SEARCH)).isEqualTo(3000);
    assertThat(metrics.startedCount(OperationType.SEARCH)).isEqualTo(3000);
    assertThat(metrics.phase(OperationType.SEARCH, Phase.DECODE).sumNanos())
        .isEqualTo(3000L * 5000);
    assertThat(metrics.phase(OperationType.SEARCH, Phase.EXECUTE).count()).isEqualTo(3000);
    assertThat(metrics.phase(OperationType.SEARCH, Phase.COMMIT).count()).isZero();
    assertThat(metrics.requests(OperationType.ADD)).isEmpty();
  }
}
