package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Controls;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.ldap.SyncProgress;

/**
 * Keeps a copy of the whole subtree up to date (RFC 4533, refreshAndPersist). An operation is an
 * entry that arrives after the refresh stage, its time the lag behind the time of the change, which
 * its cookie has. The refresh is part of setting up; a search that the server ends is a failed
 * operation, and the next one begins from the last cookie.
 *
 * <p>Confined to the channel's event loop.
 */
final class FollowClient extends SingleClient {
  private static final long NEXT_SEARCH_MILLIS = 100;

  /** The time by which a change may seem to come too early: beyond it, clocks differ. */
  private static final long MOST_AHEAD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private enum Stage {
    NO_SEARCH,
    REFRESH,
    PERSIST
  }

  private final SyncProgress progress;
  private Stage stage = Stage.NO_SEARCH;
  private long heardNanos;
  private boolean isSetUp;
  private boolean isEndPlanned;

  FollowClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
    this.progress = new SyncProgress(Pdu.utf8(loop.settings().options().sync().cookie()));
  }

  @Override
  void ready(LoadConnection opened) {
    search();
  }

  private void search() {
    stage = Stage.REFRESH;
    heardNanos = System.nanoTime();
    progress.begin();
    connection()
        .send(
            this,
            Pdu.controlledSearch(
                loop().settings().people().base(),
                Pdu.anything(),
                new String[] {"*"},
                Controls.sync(true, progress.cookie()),
                Controls.manageDsaIt()));
  }

  private void searchAgain() {
    if (stage == Stage.NO_SEARCH && connection().isReady()) {
      search();
    }
  }

  @Override
  boolean canSend() {
    return stage == Stage.PERSIST && super.canSend();
  }

  /** Sends nothing: the search stands already, and the next change is waited for. */
  @Override
  void next() {
    if (!isEndPlanned) {
      isEndPlanned = true;
      long untilEnd = statistics().endNanos() - System.nanoTime();
      Future<?> _ = loop().eventLoop().schedule(this::end, untilEnd, TimeUnit.NANOSECONDS);
    }
  }

  private void end() {
    if (isRunning()) {
      finishEarly();
    }
  }

  @Override
  void control(BerCursor name, BerCursor value) {
    progress.control(name, value);
  }

  @Override
  void intermediate(BerCursor name, BerCursor value) {
    heardNanos = loop().answeredNanos();
    progress.intermediate(name, value);
    if (stage == Stage.REFRESH && progress.isRefreshed()) {
      stage = Stage.PERSIST;
      if (!isSetUp || isRunning()) {
        isSetUp = true;
        startOrGoOn();
      }
    }
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    heardNanos = loop().answeredNanos();
    long changeNanos = progress.takeChangeNanos();
    if (stage == Stage.PERSIST && isUnderWay()) {
      received(changeNanos);
    }
  }

  private void received(long changeNanos) {
    long now = loop().answeredNanos();
    long lag = changeNanos == SyncProgress.NO_TIME ? 0 : clockNanos(now) - changeNanos;
    if (changeNanos == SyncProgress.NO_TIME || lag < -MOST_AHEAD_NANOS) {
      wrongAnswer();
    } else {
      long changed = now - Math.max(0, lag);
      completed(changed, changed, now);
    }
    again(now);
  }

  /**
   * Returns the time of day at a moment of {@link System#nanoTime()}, in nanoseconds since 1970.
   */
  private static long clockNanos(long moment) {
    Instant now = Instant.now();
    long since = System.nanoTime() - moment;
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - since;
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (tag != Pdu.SEARCH_DONE) {
      answering.malformed();
      return;
    }
    stage = Stage.NO_SEARCH;
    progress.ended(resultCode);
    if (!isSetUp && resultCode != SyncProgress.REFRESH_REQUIRED) {
      loop()
          .setupFailed(
              "the synchronization was refused: the server answered " + ResultNames.of(resultCode));
    }
    if (resultCode == 0) {
      wrongAnswer();
    } else {
      failed(resultCode);
    }
    Future<?> _ =
        loop().eventLoop().schedule(this::searchAgain, NEXT_SEARCH_MILLIS, TimeUnit.MILLISECONDS);
    if (isUnderWay()) {
      again(loop().answeredNanos());
    }
  }

  @Override
  void lost(LoadConnection broken) {
    stage = Stage.NO_SEARCH;
    super.lost(broken);
  }

  @Override
  String wrongAnswerInWords() {
    return stage == Stage.NO_SEARCH
        ? "the search that is to go on was answered by success"
        : "an entry came without a time of change in a cookie, or with one that is still to come";
  }

  @Override
  boolean waitsForAnswers() {
    return false;
  }

  /** Gives the connection up if a refresh stands still; changes may take as long as they like. */
  @Override
  void checkTimeOut(long nowNanos, long limitNanos) {
    if (stage == Stage.REFRESH && isRunning() && nowNanos - heardNanos >= limitNanos) {
      statistics().timedOut();
      connection().breakOff();
    }
  }
}
