package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.Mix;

/**
 * A client that does one of several jobs at a time, chosen by chance and weight. Jobs that can
 * share the client's connection do so. Confined to the channel's event loop.
 */
final class MixedClient extends SimulatedClient implements ClientListener {
  private final LoadConnection connection;
  private final List<SimulatedClient> parts = new ArrayList<>();
  private final List<SimulatedClient> sharing = new ArrayList<>();
  private final int[] cumulatedWeights;
  private SimulatedClient current;

  MixedClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed);
    this.connection = connection;
    Mix mix = loop.settings().options().mix();
    cumulatedWeights = mix.cumulated();
    JobOptions options = loop.settings().options();
    for (JobKind job : mix.jobs()) {
      LoadConnection own = new LoadConnection(loop, 1, options.isServiceBound(job), server());
      boolean isSharing = options.isPipelined(job);
      SimulatedClient part = ClientFactory.of(job, loop, seed, isSharing ? connection : own);
      part.joins(this, job);
      parts.add(part);
      if (isSharing) {
        sharing.add(part);
      } else {
        own.attach(part);
      }
    }
    current = parts.getFirst();
  }

  @Override
  void prepare() {
    if (slot() == 0) {
      connection.open();
    }
    for (SimulatedClient part : parts) {
      if (!sharing.contains(part)) {
        part.prepare();
      }
    }
  }

  @Override
  void next() {
    int chance = randomBelow(cumulatedWeights[cumulatedWeights.length - 1]);
    int chosen = 0;
    while (cumulatedWeights[chosen] <= chance) {
      chosen++;
    }
    current = parts.get(chosen);
    current.start(intendedNanos(), sentNanos());
  }

  @Override
  boolean canSend() {
    if (!connection.isReady()) {
      return false;
    }
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).canSend()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Goes on first with a part that was interrupted in the middle of a pair of changes: it undoes
   * them.
   */
  @Override
  void ready(LoadConnection opened) {
    for (SimulatedClient part : sharing) {
      if (part instanceof PairClient pair && pair.isInDoubt() && isRunning()) {
        current = pair;
        pair.ready(opened);
        return;
      }
    }
    goOnIfReady();
  }

  @Override
  public boolean runsParts() {
    return isRunning();
  }

  @Override
  public boolean wantsConnection(LoadConnection lost) {
    return wants(lost);
  }

  @Override
  public void partReady() {
    goOnIfReady();
  }

  @Override
  public void partEnded(long nowNanos) {
    again(nowNanos);
  }

  @Override
  public void partStartsBeside() {
    startBeside();
  }

  @Override
  public void partBrokeOff() {
    finishEarly();
  }

  private void goOnIfReady() {
    if (canSend()) {
      startOrGoOn();
    }
  }

  @Override
  void lost(LoadConnection broken) {
    for (SimulatedClient part : sharing) {
      part.lost(broken);
    }
    super.lost(broken);
  }

  @Override
  public void partLost(SimulatedClient part) {
    if (part == current) {
      interrupt();
    }
  }

  @Override
  LoopStatistics operationStatistics() {
    return current.statistics();
  }

  @Override
  long waitingSinceNanos() {
    return current.waitingSinceNanos();
  }

  @Override
  void forget() {
    current.forgetPart();
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    current.entry(in, dnStart, dnEnd, attributesStart, attributesEnd);
  }

  @Override
  void control(BerCursor name, BerCursor value) {
    current.control(name, value);
  }

  @Override
  void serverCredentials(BerCursor value) {
    current.serverCredentials(value);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    current.result(answering, tag, resultCode);
  }

  @Override
  boolean startCleaning() {
    for (SimulatedClient part : parts) {
      if (part.startCleaning()) {
        current = part;
        return true;
      }
    }
    return false;
  }

  @Override
  void closeAll() {
    connection.leave();
    for (SimulatedClient part : parts) {
      if (!sharing.contains(part)) {
        part.closeAll();
      }
    }
  }
}
