package org.nyala.simulation;

import com.unboundid.ldap.sdk.LDAPException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Epoch;
import org.nyala.core.message.Request;
import org.nyala.core.update.CommittedChange;
import org.nyala.replica.SteppedReplica;

/**
 * A run of servers of which copies are promoted by force while others are away, as a seed says.
 * Each epoch has to have one writer, which changes nothing once it has heard of a later one; at the
 * end, when nothing is in the way, one server alone may be changed, and all others know why.
 *
 * <p>Confined to one thread.
 */
final class EpochSimulation {
  /** The rounds at the end, of ten seconds each: epochs pass along several lines, one by one. */
  private static final int QUIET_ROUNDS = 200;

  private final Random random;
  private final SimulatedTime time = new SimulatedTime();
  private final List<SimulatedServer> servers = new ArrayList<>();
  private final Map<SimulatedServer, SimulatedClient> clients = new HashMap<>();
  private final List<String> steps = new ArrayList<>();
  private final Map<Epoch, SimulatedServer> writers = new HashMap<>();
  private final boolean isDeaf;
  private int promotions;
  private int made;

  /**
   * Prepares a run.
   *
   * @param isDeaf true for servers that do not stop: the run has to fail then
   */
  EpochSimulation(long seed, boolean isDeaf) {
    this.random = new Random(seed);
    this.isDeaf = isDeaf;
    int copies = 2 + random.nextInt(4);
    for (int i = 0; i <= copies; i++) {
      SimulatedServer provider = i == 0 ? null : servers.get(random.nextInt(i));
      int at = i;
      servers.add(
          new SimulatedServer(
              "" + (char) ('a' + i),
              i + 1,
              provider,
              time,
              random,
              change -> changed(servers.get(at), change)));
    }
    for (SimulatedServer each : servers) {
      clients.put(
          each,
          new SimulatedClient(
              random, (_, result) -> say("  " + each + " answered " + result.code())));
    }
    servers.forEach(each -> say(each + " copies " + each.provider()));
  }

  private void say(String what) {
    steps.add(time.nanos() / 1_000_000 + " ms: " + what);
  }

  /** Returns what has happened, one thing a line. */
  List<String> steps() {
    return steps;
  }

  /** Returns the promotions. */
  int promotions() {
    return promotions;
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  /** A server has made a change, and committed it. */
  private void changed(SimulatedServer server, CommittedChange change) {
    if (change.csn().serverId() != server.serverId()) {
      return;
    }
    made++;
    ContextEpochs epochs = server.epochs();
    say("  " + server + " made " + change.csn() + " in " + epochs);
    require(!epochs.isSuperseded(), server + " changes entries after it has heard of " + epochs);
    Epoch epoch = epochs.ours();
    require(
        epoch.isNone() ? server == servers.getFirst() : epoch.serverId() == server.serverId(),
        server + " changes entries in an epoch of another server: " + epoch);
    SimulatedServer writer = writers.putIfAbsent(epoch, server);
    require(
        writer == null || writer == server,
        writer + " and " + server + " change entries in " + epoch);
  }

  /** Runs it; returns the changes that were made. */
  int run(int length) {
    try {
      while (made == 0) {
        ask(servers.getFirst());
        work();
      }
      for (int i = 0; i < length; i++) {
        time.pass(Duration.ofMillis(1 + random.nextInt(40)));
        step();
      }
      settle();
      return made;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void step() throws Exception {
    int dice = random.nextInt(1000);
    if (dice < 80) {
      ask(servers.get(random.nextInt(servers.size())));
    } else if (dice < 960) {
      work();
    } else if (dice < 975) {
      time.pass(Duration.ofSeconds(random.nextInt(60)));
    } else {
      fault(servers.get(random.nextInt(servers.size())));
    }
  }

  private void ask(SimulatedServer server) throws LDAPException {
    SimulatedClient client = clients.get(server);
    if (!client.isBusy()) {
      List<String> names = List.copyOf(Contents.of(server.store()).keySet());
      if (server == servers.getFirst() || !names.isEmpty()) {
        Request asked = client.ask(server, names);
        say(server + " is asked for " + asked.getClass().getSimpleName());
      }
    }
  }

  private void fault(SimulatedServer server) {
    switch (random.nextInt(6)) {
      case 0 -> {
        say(server + " ends and starts");
        server.start();
      }
      case 1 -> {
        say(server + " writes, and ends before it answers");
        server.write();
        server.start();
      }
      case 2 -> {
        server.isFull = !server.isFull;
        say("the store of " + server + " is full: " + server.isFull);
      }
      case 3 -> {
        server.isCutOff = !server.isCutOff;
        say(server + " is cut off: " + server.isCutOff);
        server.lines().forEach(each -> each.endAtClient("the connection has ended"));
      }
      default -> promote(server);
    }
  }

  private void promote(SimulatedServer server) {
    CsnVector present = Contents.vector(server.store(), Simulation.SUFFIX);
    boolean isCopy = server.provider() != null && !server.isChangedHere();
    if (isCopy && !server.epochs().isSuperseded() && !present.csns().isEmpty() && promotions < 3) {
      boolean isDone = server.promote();
      promotions += isDone ? 1 : 0;
      say(server + " is promoted: " + isDone + " " + server.epochs());
    }
  }

  /** Lets each server do what is due, once. */
  private void work() throws Exception {
    for (SimulatedServer server : servers) {
      if (isDeaf) {
        server.ignoreEpochs();
      }
      if (random.nextInt(3) > 0) {
        work(server);
      }
    }
  }

  private static void work(SimulatedServer server) throws InterruptedException {
    for (SimulatedLine line : List.copyOf(server.lines())) {
      if (line.canDeliverUp()) {
        line.deliverUp();
      }
      if (line.canRunLoop()) {
        line.runLoop();
      }
      if (line.canDeliverDown()) {
        line.deliverDown();
      }
      if (line.isEndedAtClient() && !line.isEndedAtServer()) {
        line.endAtServer();
      }
    }
    if (server.tasks() > 0) {
      server.runTask(0);
    }
    server.write();
    SteppedReplica copy = server.copy();
    if (copy != null) {
      copy.step();
    }
  }

  /** Takes everything out of the way: all hear of the last epoch, and one server goes on. */
  private void settle() throws Exception {
    say("nothing is in the way any more");
    for (SimulatedServer server : servers) {
      server.isFull = false;
      server.isCutOff = false;
    }
    for (int round = 0; round < QUIET_ROUNDS && !isSettled(); round++) {
      for (int i = 0; i < 20; i++) {
        work();
      }
      time.pass(Duration.ofSeconds(10));
    }
    for (SimulatedServer each : servers) {
      SteppedReplica copy = each.copy();
      String doing = copy == null ? "" : ": " + copy.phase() + " " + copy.error();
      say(each + " ends with " + each.epochs() + doing);
    }
    Epoch last = last();
    List<SimulatedServer> changed = changed();
    require(changed.size() == 1, "in the end " + changed + " may be changed");
    require(
        changed.getFirst().epochs().equals(new ContextEpochs(last, Epoch.NONE)),
        changed + " may be changed in the end, with " + changed.getFirst().epochs());
    for (SimulatedServer server : servers) {
      require(knows(server, last), server + " does not know " + last + ": " + server.epochs());
    }
  }

  private boolean isSettled() {
    Epoch last = last();
    return changed().size() == 1 && servers.stream().allMatch(each -> knows(each, last));
  }

  private static boolean knows(SimulatedServer server, Epoch epoch) {
    ContextEpochs epochs = server.epochs();
    return epochs.ours().equals(epoch) || epochs.heard().equals(epoch);
  }

  private List<SimulatedServer> changed() {
    return servers.stream().filter(SimulatedServer::isChangedHere).toList();
  }

  /** Returns the epoch that counts. */
  private Epoch last() {
    return servers.stream()
        .map(each -> each.epochs().ours())
        .reduce(Epoch.NONE, (one, other) -> other.isAfter(one) ? other : one);
  }
}
