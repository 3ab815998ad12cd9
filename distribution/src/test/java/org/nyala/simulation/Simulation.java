package org.nyala.simulation;

import com.unboundid.ldap.sdk.LDAPException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.update.CommittedChange;
import org.nyala.replica.SteppedReplica;

/**
 * A server that clients change, copies of it, and copies of copies, while lines are cut and stand
 * still, servers end, stores are full and are restored from backups: one thing after the other, as
 * a seed says. After each of them every copy that says that it follows has to hold what its vector
 * says, and at the end, when nothing is in the way, all of them the same.
 *
 * <p>Confined to one thread.
 */
final class Simulation {
  static final Dn SUFFIX = suffix();

  private static final int QUIET_ROUNDS = 3000;

  private final Random random;
  private final SimulatedTime time = new SimulatedTime();
  private final Contents truth = new Contents();
  private final List<SimulatedServer> servers = new ArrayList<>();
  private final List<SimulatedClient> clients = new ArrayList<>();
  private final List<String> steps = new ArrayList<>();
  private final Set<String> made = new HashSet<>();
  private final SimulatedServer source;

  private int acknowledged;

  private static Dn suffix() {
    try {
      return DnParser.parse(OperationFixture.SCHEMA, "dc=example,dc=com");
    } catch (InvalidDnException e) {
      throw new AssertionError(e);
    }
  }

  Simulation(long seed) {
    this.random = new Random(seed);
    this.source = new SimulatedServer("a", 1, null, time, random, this::changed);
    servers.add(source);
    SimulatedServer first = new SimulatedServer("b", 2, source, time, random, this::changed);
    servers.add(first);
    int more = 1 + random.nextInt(2);
    for (int i = 0; i < more; i++) {
      SimulatedServer provider = servers.get(random.nextInt(servers.size()));
      servers.add(
          new SimulatedServer("" + (char) ('c' + i), 3 + i, provider, time, random, this::changed));
    }
    for (int i = 0; i < 3; i++) {
      clients.add(new SimulatedClient(random, this::answered));
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

  int acknowledged() {
    return acknowledged;
  }

  private void changed(CommittedChange change) {
    truth.take(change);
    made.add(signature(change.change()));
    say("  made " + change.csn() + " " + signature(change.change()));
  }

  private static String signature(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add _ -> "add " + change.dn();
      case ResolvedChange.Modify _ -> "modify " + change.dn();
      case ResolvedChange.Delete _ -> "delete " + change.dn();
      case ResolvedChange.Rename _ -> "rename " + change.dn();
    };
  }

  private static String signature(Request request) {
    return switch (request) {
      case Request.Add add -> "add " + add.name();
      case Request.Modify modify -> "modify " + modify.name();
      case Request.Delete delete -> "delete " + delete.name();
      case Request.ModifyDn rename -> "rename " + rename.name();
      default -> throw new AssertionError(request);
    };
  }

  private void answered(Request request, LdapResult result) {
    say("  answered " + signature(request) + ": " + result.code() + " " + result.message());
    if (SimulatedClient.isMade(result)) {
      acknowledged++;
      require(made.contains(signature(request)), "acknowledged, and not made: " + request);
    }
  }

  private void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  /** Runs it. */
  void run(int length) {
    try {
      begin();
      for (int i = 0; i < length; i++) {
        time.pass(Duration.ofMillis(1 + random.nextInt(20)));
        step();
        check();
      }
      settle();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void begin() throws Exception {
    ask();
    while (truth.now().isEmpty()) {
      work();
    }
  }

  private void step() throws Exception {
    int dice = random.nextInt(1000);
    if (dice < 120) {
      ask();
    } else if (dice < 950) {
      work();
    } else if (dice < 975) {
      line();
    } else if (dice < 985) {
      time.pass(Duration.ofSeconds(random.nextInt(40)));
    } else {
      fault();
    }
  }

  private void ask() throws LDAPException {
    SimulatedClient client = clients.get(random.nextInt(clients.size()));
    if (!client.isBusy()) {
      Request asked = client.ask(source, List.copyOf(truth.now().keySet()));
      say("a client asks to " + signature(asked));
    }
  }

  /** A thing that can happen next. */
  private interface Work {
    void run() throws Exception;
  }

  /** Lets one of the things happen that are due. */
  private boolean work() throws Exception {
    List<Work> due = new ArrayList<>();
    for (SimulatedServer server : servers) {
      for (int i = 0; i < server.tasks(); i++) {
        int index = i;
        due.add(() -> server.runTask(index));
      }
      if (server.queued() > 0) {
        due.add(server::write);
      }
      for (SimulatedLine line : server.lines()) {
        if (line.canDeliverUp()) {
          due.add(line::deliverUp);
        }
        if (line.canRunLoop()) {
          due.add(line::runLoop);
        }
        if (line.canDeliverDown()) {
          due.add(line::deliverDown);
        }
        if (line.isEndedAtClient() != line.isEndedAtServer() && random.nextInt(8) == 0) {
          due.add(
              () -> {
                line.endAtServer();
                line.endAtClient("the connection has ended");
              });
        }
      }
      SteppedReplica copy = server.copy();
      if (copy != null) {
        due.add(() -> step(server, copy));
      }
    }
    if (due.isEmpty()) {
      return false;
    }
    due.get(random.nextInt(due.size())).run();
    return true;
  }

  private void step(SimulatedServer server, SteppedReplica copy) throws InterruptedException {
    ReplicaPhase before = copy.phase();
    String error = copy.error();
    copy.step();
    if (copy.phase() != before) {
      say(server + " is " + copy.phase() + " with " + Contents.vector(server.store(), SUFFIX));
    }
    if (!copy.error().equals(error)) {
      say(server + " fails: " + copy.error());
    }
    SimulatedServer from = server.provider();
    if (copy.phase() == ReplicaPhase.REFRESHING) {
      server.isMixed = true;
    } else if (before == ReplicaPhase.REFRESHING && copy.phase() == ReplicaPhase.FOLLOWING) {
      server.isMixed = false;
      server.brought = from.brought.with(Contents.vector(from.store(), SUFFIX));
    }
  }

  /** Something happens to a line. */
  private void line() {
    SimulatedServer server = servers.get(random.nextInt(servers.size()));
    List<SimulatedLine> lines = server.lines();
    if (lines.isEmpty()) {
      return;
    }
    SimulatedLine line = lines.get(random.nextInt(lines.size()));
    String name = "the line " + line.number() + " of " + server;
    switch (random.nextInt(6)) {
      case 0 -> {
        say(name + " is cut");
        line.endAtServer();
        line.endAtClient("the connection has ended");
      }
      case 1 -> {
        say(name + " is cut, which " + server + " learns");
        line.endAtServer();
      }
      case 2 -> {
        say(name + " is cut, which the client learns");
        line.endAtClient("the connection has ended");
      }
      case 3 -> {
        say(name + " stands still upwards: " + !line.isStalledUp);
        line.isStalledUp = !line.isStalledUp;
      }
      case 4 -> {
        say(name + " stands still downwards: " + !line.isStalledDown);
        line.isStalledDown = !line.isStalledDown;
      }
      default -> {
        line.isStalledUp = false;
        line.isStalledDown = false;
      }
    }
  }

  private void fault() {
    SimulatedServer server = servers.get(random.nextInt(servers.size()));
    switch (random.nextInt(10)) {
      case 0 -> restart(server);
      case 1 -> {
        say(server + " writes, and ends before it answers");
        server.write();
        restart(server);
      }
      case 2 -> {
        server.isFull = !server.isFull;
        say("the store of " + server + " is full: " + server.isFull);
      }
      case 3 -> {
        server.isCutOff = !server.isCutOff;
        say(server + " is cut off: " + server.isCutOff);
      }
      case 4 -> {
        int kept = random.nextInt(20);
        say("the journal of " + server + " keeps " + kept);
        server.store().trimJournal(kept);
      }
      case 5 -> {
        say(server + " is saved with " + Contents.vector(server.store(), SUFFIX));
        server.backup = server.store().backup();
      }
      case 6 -> {
        // Less than copies accept, between any two of them.
        server.ahead = Duration.ofMinutes(random.nextInt(-600, 600));
        say("the clock of " + server + " is set ahead by " + server.ahead);
      }
      case 7 -> {
        say(server + " has on its disk " + Contents.vector(server.store(), SUFFIX));
        server.synced = server.store().backup();
      }
      case 8 -> lose(server);
      default -> restore(server);
    }
  }

  /** A cut of power: with it goes what was not on the disk yet. */
  private void lose(SimulatedServer server) {
    InMemoryBackend.Backup kept = server.synced;
    if (kept == null) {
      return;
    }
    goBack(server, () -> server.store().lose(kept));
    startAgain(server, server.isChangedHere(), "loses power, and has ");
  }

  private void restart(SimulatedServer server) {
    say(server + " ends and starts");
    server.start();
  }

  private void restore(SimulatedServer server) {
    if (server.backup == null) {
      return;
    }
    goBack(server, () -> server.store().restore(server.backup, time.clock(server.ahead).instant()));
    startAgain(server, server.isChangedHere(), "is restored with ");
  }

  /** Takes a store back; those who are being refreshed from it may have what it loses. */
  private static void goBack(SimulatedServer server, Runnable step) {
    server.brought = server.brought.with(Contents.vector(server.store(), SUFFIX));
    step.run();
  }

  private void startAgain(SimulatedServer server, boolean isSource, String how) {
    server.start();
    say(server + " " + how + Contents.vector(server.store(), SUFFIX));
    server.isMixed = true;
    if (isSource) {
      server.isMixed = false;
      truth.reset(server.store(), SUFFIX);
    }
  }

  /** Compares every store with what it ought to hold. */
  private void check() {
    for (SimulatedServer server : servers) {
      require(server.internalErrors() == 0, "an internal error of " + server);
      if (!server.isToBeChecked()) {
        continue;
      }
      if (server.isChangedHere()) {
        requireEqual(truth.now(), Contents.of(server.store()), server + " is changed here");
        require(
            truth.now().isEmpty() || Contents.vector(server.store(), SUFFIX).equals(truth.vector()),
            server + " has another vector than " + truth.vector());
      } else if (server.copy().phase() == ReplicaPhase.FOLLOWING) {
        CsnVector vector = Contents.vector(server.store(), SUFFIX);
        if (server.isMixed || !vector.covers(server.brought)) {
          continue;
        }
        Map<String, String> held = Contents.of(server.store());
        Set<Map<String, String>> expected = truth.with(vector);
        require(!expected.isEmpty(), server + " follows with a vector that never was: " + vector);
        if (!expected.contains(held)) {
          requireEqual(
              expected.iterator().next(), held, server + " follows with the vector " + vector);
        }
      }
    }
  }

  private static void requireEqual(
      Map<String, String> expected, Map<String, String> held, String what) {
    if (expected.equals(held)) {
      return;
    }
    List<String> differences = new ArrayList<>();
    expected.forEach(
        (name, said) -> {
          if (!said.equals(held.get(name))) {
            differences.add("expected " + name + ": " + said + "\n    held " + held.get(name));
          }
        });
    held.forEach(
        (name, said) -> {
          if (!expected.containsKey(name)) {
            differences.add("too much " + name + ": " + said);
          }
        });
    throw new AssertionError(what + ", and differs:\n  " + String.join("\n  ", differences));
  }

  /** Takes everything out of the way, and waits until all hold the same. */
  private void settle() throws Exception {
    say("nothing is in the way any more");
    for (SimulatedServer server : servers) {
      server.isFull = false;
      server.isCutOff = false;
      for (SimulatedLine line : server.lines()) {
        line.isStalledUp = false;
        line.isStalledDown = false;
      }
    }
    for (int round = 0; round < QUIET_ROUNDS && !isSettled(); round++) {
      for (int i = 0; i < 20; i++) {
        work();
        check();
      }
      time.pass(isIdle() ? Duration.ofSeconds(10) : Duration.ofMillis(500));
      confirm();
    }
    for (SimulatedServer server : servers) {
      SteppedReplica copy = server.copy();
      if (copy != null) {
        require(
            copy.phase() == ReplicaPhase.FOLLOWING,
            server + " does not follow in the end, but is " + copy.phase() + ": " + copy.error());
        requireEqual(truth.now(), Contents.of(server.store()), server + " follows in the end");
      }
    }
  }

  /** An administrator allows what was stopped. */
  private void confirm() {
    for (SimulatedServer server : servers) {
      SteppedReplica copy = server.copy();
      if (copy != null && copy.guarded() > 0) {
        require(!copy.error().isEmpty(), server + " is stopped, and does not say why");
        say(server + " is allowed to lose " + copy.guarded());
        copy.confirm(copy.guarded());
      }
    }
  }

  /** Returns whether nothing happens before time has passed. */
  private boolean isIdle() {
    for (SimulatedServer server : servers) {
      for (SimulatedLine line : server.lines()) {
        if (line.canDeliverUp() || line.canRunLoop() || line.canDeliverDown()) {
          return false;
        }
      }
      if (server.queued() > 0 || server.tasks() > 0) {
        return false;
      }
    }
    return true;
  }

  private boolean isSettled() {
    for (SimulatedServer server : servers) {
      SteppedReplica copy = server.copy();
      boolean isBehind =
          copy != null
              && (copy.phase() != ReplicaPhase.FOLLOWING
                  || !Contents.vector(server.store(), SUFFIX).equals(truth.vector()));
      if (isBehind || server.queued() > 0 || server.tasks() > 0) {
        return false;
      }
    }
    return clients.stream().noneMatch(SimulatedClient::isBusy);
  }
}
