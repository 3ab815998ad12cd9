package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.Replay;

/**
 * Sends the operations of an access log. Each is sent over a free connection, regardless of its
 * connection in the log. Binds have a connection of their own, so that no other operation runs
 * under the identity of a bind.
 *
 * <p>Confined to the channel's event loop.
 */
final class ReplayClient extends SimulatedClient {
  private final LoadConnection connection;
  private final LoadConnection binding = LoadConnection.of(this, false);
  private final Replay replay;
  private final Map<JobKind, LoopStatistics> statistics = new EnumMap<>(JobKind.class);
  private final boolean hasBinds;
  private Replay.Step step;
  private boolean isRight;
  private boolean isSample;

  ReplayClient(LoadLoop loop, long seed, LoadConnection connection, Replay replay) {
    super(loop, seed);
    this.connection = connection;
    this.replay = replay;
    this.hasBinds = replay.hasBinds();
    this.step = replay.steps().getFirst();
    for (Replay.Step any : replay.steps()) {
      statistics.computeIfAbsent(any.kind(), loop.statistics()::ofKind);
    }
  }

  @Override
  void prepare() {
    if (slot() == 0) {
      connection.open();
    }
    if (hasBinds) {
      binding.open();
    }
  }

  @Override
  boolean canSend() {
    return connection.isReady() && (!hasBinds || binding.isReady());
  }

  @Override
  void ready(LoadConnection opened) {
    if (canSend()) {
      startOrGoOn();
    }
  }

  @Override
  LoopStatistics operationStatistics() {
    return Objects.requireNonNull(statistics.get(step.kind()));
  }

  @Override
  void next() {
    step = replay.steps().get(chooseUser());
    isRight = true;
    isSample = loop().isNextSample();
    (step.kind() == JobKind.BIND ? binding : connection).send(this, step.message());
  }

  /**
   * Checks that a sampled entry is well-formed; the number of entries that a logged search should
   * find is unknown.
   */
  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    isRight &=
        !isSample
            || loop().entryCheck().isWellFormed(in, dnStart, dnEnd, attributesStart, attributesEnd);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isRunning() || !isUnderWay() || tag != step.responseTag()) {
      answering.malformed();
      return;
    }
    ended(step.isRight(resultCode) ? 0 : resultCode, isRight);
  }

  @Override
  void forget() {
    connection.forget(this);
    if (hasBinds) {
      binding.forget(this);
    }
  }

  @Override
  void closeAll() {
    connection.leave();
    if (hasBinds) {
      binding.close();
    }
  }

  @Override
  String wrongAnswerInWords() {
    return "an entry in the answer to a logged " + step.kind().label() + " is not well-formed";
  }
}
