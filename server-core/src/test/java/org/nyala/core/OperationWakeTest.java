package org.nyala.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.ResponseSink;
import org.nyala.core.session.Session;
import org.nyala.core.session.WholeEntry;

/**
 * Tests that an operation that waits for its client is woken once per wait, at the worst moment.
 */
class OperationWakeTest {
  private static final int WAITS = 20_000;

  private final Semaphore full = new Semaphore(0);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean writable = true;
  private volatile @Nullable Session wokenMeanwhile;
  private int waits;

  private Outcome slice() {
    if (waits++ == WAITS) {
      return Outcome.DONE;
    }
    writable = false;
    full.release();
    return Outcome.AWAITING_CLIENT;
  }

  private final DispatchStrategy strategy =
      DispatchStrategies.create(
          "striped",
          new DispatchSettings(
              1, 0, 1, 1, 1, Thread.ofPlatform().daemon().factory(), System::nanoTime));
  private final DirectoryServer server =
      new DirectoryServer(_ -> (_, _) -> slice(), strategy, ServerLimits.DEFAULT, System::nanoTime);
  private final Session session = server.openSession(new Connection());

  private void start() {
    session.receive(new Request.Compare(1, "", "", new byte[0], List.of()));
  }

  @Test
  void shouldSeeAWakeUpBetweenTheLookAtTheSinkAndTheSleep() {
    wokenMeanwhile = session;
    start();
    await(ended);
    assertThat(waits).isEqualTo(WAITS + 1);
    server.close();
  }

  @Test
  void shouldLoseNoWakeUp() throws InterruptedException {
    start();
    for (int i = 0; i < WAITS; i++) {
      assertThat(full.tryAcquire(60, TimeUnit.SECONDS)).as("wait %d", i).isTrue();
      writable = true;
      session.writable();
    }
    await(ended);
    assertThat(waits).isEqualTo(WAITS + 1);
    server.close();
    assertThat(strategy.inFlight()).isZero();
  }

  /**
   * A connection that only gains and loses room: the test's thread is the event loop until the end.
   */
  private final class Connection implements ClientConnection {
    @Override
    public int number() {
      return 1;
    }

    @Override
    public void execute(Runnable work) {
      work.run();
    }

    @Override
    public void executeLater(Runnable work) {
      throw new AssertionError("stripes do not need the loop");
    }

    @Override
    public ResponseSink openSink(Request request) {
      return new Sink();
    }

    @Override
    public void resumeReading() {}

    @Override
    public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
      throw new AssertionError("notice");
    }

    @Override
    public void disconnect(@Nullable LdapResult notice) {
      throw new AssertionError("disconnected");
    }
  }

  private final class Sink implements ResponseSink {
    @Override
    public void entry(
        EntryView entry,
        AttributeTable table,
        AttributeSelection selection,
        List<byte[]> computed,
        List<ResponseControl> controls) {}

    @Override
    public EntryInParts entryInParts(
        EntryView entry,
        AttributeTable table,
        AttributeSelection selection,
        List<byte[]> computed,
        List<ResponseControl> controls) {
      return new WholeEntry(this, table, selection, computed, controls);
    }

    @Override
    public void reference(List<String> urls, List<ResponseControl> controls) {}

    @Override
    public void intermediate(@Nullable String oid, byte @Nullable [] value) {}

    @Override
    public void result(Request request, LdapResult result) {
      throw new AssertionError(result.toString());
    }

    @Override
    public void extendedResult(LdapResult result, @Nullable String oid, byte @Nullable [] value) {}

    @Override
    public void bindResult(LdapResult result, byte @Nullable [] serverSaslCredentials) {}

    @Override
    public boolean isWritable() {
      boolean seen = writable;
      Session woken = wokenMeanwhile;
      if (!seen && woken != null) {
        writable = true;
        woken.writable();
      }
      return seen;
    }

    /**
     * Completes only the end: any other completion would be a second wake-up and hide a lost one.
     */
    @Override
    public void flush(@Nullable Runnable completion) {
      if (waits > WAITS) {
        ended.countDown();
      }
    }

    @Override
    public void suppress() {}
  }
}
