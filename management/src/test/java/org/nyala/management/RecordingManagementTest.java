package org.nyala.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.FlightRecorder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.management.bean.ContentionMXBean;
import org.nyala.management.bean.RecordingMXBean;

/** Tests the bounds of recordings for clients of the JMX port, with the recorder of this JVM. */
class RecordingManagementTest {
  private final AtomicLong nanos = new AtomicLong();
  private final RecordingManagement management = new RecordingManagement(nanos::get);

  @AfterEach
  void close() {
    management.close();
    assertThat(management.getRecordings()).isZero();
  }

  private static long recordings() {
    return FlightRecorder.getFlightRecorder().getRecordings().stream()
        .filter(recording -> recording.getName().startsWith("nyala "))
        .count();
  }

  private int bytes(long number) throws IOException {
    int bytes = 0;
    for (byte[] block = management.read(number);
        block.length > 0;
        block = management.read(number)) {
      bytes += block.length;
    }
    return bytes;
  }

  @Test
  void shouldHoldFewAtATime() throws Exception {
    long before = recordings();
    long locks = management.startLocks(3600);
    long server = management.startServer(3600, 0);
    assertThat(recordings()).isEqualTo(before + RecordingMXBean.MOST);
    assertThatIllegalStateException()
        .isThrownBy(() -> management.startLocks(1))
        .withMessageContaining("2 recordings");
    assertThat(bytes(server)).isPositive();
    // At the end it stays there.
    assertThat(management.read(server)).isEmpty();
    assertThat(management.getRecordings()).isEqualTo(2);
    management.discard(server);
    management.discard(server);
    assertThatIllegalStateException().isThrownBy(() -> management.read(server));
    assertThat(management.startLocks(1)).isGreaterThan(server);
    assertThat(bytes(locks)).isPositive();
    management.close();
    assertThat(recordings()).isEqualTo(before);
  }

  /** Commands that have been killed fetch and discard nothing. */
  @Test
  void shouldDiscardWhatNobodyFetches() throws Exception {
    long _ = management.startLocks(1);
    long forgotten = management.startLocks(60);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(122));
    long _ = management.startLocks(1);
    assertThat(management.getRecordings()).isEqualTo(2);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
    long _ = management.startLocks(1);
    assertThatIllegalStateException().isThrownBy(() -> management.read(forgotten));
  }

  @Test
  void shouldRefuseWhatIsOutOfBounds() {
    for (int seconds : new int[] {-1, 0, ContentionMXBean.MAXIMUM_SECONDS + 1, Integer.MAX_VALUE}) {
      assertThatIllegalArgumentException().isThrownBy(() -> management.startLocks(seconds));
      assertThatIllegalArgumentException().isThrownBy(() -> management.startServer(seconds, 0));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> management.startServer(1, -1));
  }
}
